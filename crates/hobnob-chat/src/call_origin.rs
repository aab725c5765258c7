//! Who asks for the model during a call, as the hub says it: the server of this name, or Hobnob.
//!
//! What must stay true: a server cannot pass for another one, or for a service of Hobnob.

use hobnob_agent::EffectiveCall;
use hobnob_terminal::terminal::QuestionOrigin;

#[cfg(test)]
mod tests;

/// The built-in service that asks for a model itself; its tools begin like this.
const MEMORY: &str = "memory_";

/// Who asks something during a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CallOrigin {
    /// The server of this name.
    Server(String),
    /// Hobnob's memory, which no server can ask through.
    Memory,
    /// Something behind this tool, which may call several servers.
    Behind(String),
}

impl CallOrigin {
    /// Who asks, of those that a call may reach.
    pub(super) fn of(origin: &QuestionOrigin, call: &EffectiveCall) -> Self {
        match origin {
            QuestionOrigin::Server { server } => Self::Server(server.to_string()),
            QuestionOrigin::Hobnob if call.tool().starts_with(MEMORY) => Self::Memory,
            QuestionOrigin::Hobnob | QuestionOrigin::Unknown => {
                Self::Behind(call.tool().to_owned())
            }
        }
    }

    /// The words for a person; they are not safe yet.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Server(server) => format!("server `{server}`"),
            Self::Memory => "Hobnob's memory".to_owned(),
            Self::Behind(tool) => format!("a server behind the tool `{tool}`"),
        }
    }

    /// The name of the server, if it is known.
    pub(super) fn server(&self) -> Option<&str> {
        match self {
            Self::Server(server) => Some(server),
            Self::Memory | Self::Behind(_) => None,
        }
    }
}
