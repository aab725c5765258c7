//! Who asks for the chat's model during a call: a server, as the hub says, or Hobnob's memory.
//!
//! What must stay true: a server cannot pass for another server, or for a service of Hobnob.

use hobnob_agent::EffectiveCall;
use hobnob_terminal::terminal::QuestionOrigin;

#[cfg(test)]
mod tests;

/// Prefix of the tools of the memory service, a built-in service that asks for a model itself.
const MEMORY_PREFIX: &str = "memory_";

/// Who asks something during a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CallOrigin {
    /// The server of this name.
    Server(String),
    /// Hobnob's memory, which no server can ask through.
    Memory,
    /// An unknown server that this tool reached; the tool may call several.
    Behind(String),
}

impl CallOrigin {
    /// Derives the origin from what the hub says and from the tool that runs.
    pub(super) fn of(origin: &QuestionOrigin, call: &EffectiveCall) -> Self {
        match origin {
            QuestionOrigin::Server { server } => Self::Server(server.to_string()),
            QuestionOrigin::Hobnob if call.tool().starts_with(MEMORY_PREFIX) => Self::Memory,
            QuestionOrigin::Hobnob | QuestionOrigin::Unknown => {
                Self::Behind(call.tool().to_owned())
            }
        }
    }

    /// The origin in words for a person; not yet made safe to show.
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
