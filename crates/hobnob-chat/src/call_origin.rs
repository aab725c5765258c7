//! Who asks something during a call: the server behind the tool, found by the names of the hub.
//!
//! What must stay true: a server cannot pass for another one, or for a service of Hobnob.

use hobnob_agent::EffectiveCall;
use hobnob_config::Places;
use hobnob_terminal::hub::Names;
use serde_json::Value;

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
    /// Finds out behind whom a call ends.
    pub(super) fn of(places: &Places, call: &EffectiveCall) -> Self {
        let names = Names::load(places);
        Self::found(call.tool(), call.arguments(), |tool| names.owner(tool).server, names.servers())
    }

    fn found(
        tool: &str,
        arguments: &str,
        owner: impl Fn(&str) -> Option<String>,
        servers: &[String],
    ) -> Self {
        let argument = |key: &str| {
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            arguments[key].as_str().map(str::to_owned)
        };
        let inner = match tool {
            "ReadMcpResource" => argument("server").filter(|it| servers.contains(it)),
            tool => owner(tool),
        };
        match inner {
            Some(server) => Self::Server(server),
            None if tool.starts_with(MEMORY) => Self::Memory,
            None => Self::Behind(tool.to_owned()),
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
