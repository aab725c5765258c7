//! The services that touch the machine, and how far each of them is switched on.
//!
//! The order matters: a later access includes the earlier ones. A service without a row is off.

/// A service that acts on the machine and needs grants to do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MachineService {
    /// Runs commands that a person granted.
    Shell,
    /// Works on files beneath granted folders.
    Files,
    /// Reads the logs of the system and of programs.
    Logs,
    /// Reads and writes keys of a Windows registry.
    Registry,
    /// Runs the programs of coding agents, such as `claude`.
    Agents,
}

impl MachineService {
    /// Every service, in the order in which lists show them.
    pub const ALL: [Self; 5] = [Self::Shell, Self::Files, Self::Logs, Self::Registry, Self::Agents];

    /// The service's name on the command line and in the file of grants.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Files => "files",
            Self::Logs => "logs",
            Self::Registry => "registry",
            Self::Agents => "claudecode",
        }
    }

    /// The service with this name, if there is one.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        // What earlier versions called it; files of grants may still do so.
        let word = if word == "agents" { "claudecode" } else { word };
        Self::ALL.into_iter().find(|service| service.as_str() == word)
    }
}

/// How far a service is switched on. It limits every grant of that service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ServiceAccess {
    /// The service does nothing, even if grants exist.
    #[default]
    Disabled,
    /// The service reads what is granted and changes nothing.
    ReadOnly,
    /// The service does everything that is granted.
    ReadWrite,
}

impl ServiceAccess {
    /// The word in the file of grants and in `hobnob status`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::ReadOnly => "read-only",
            Self::ReadWrite => "read-write",
        }
    }

    /// The access with this word, if there is one.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Disabled, Self::ReadOnly, Self::ReadWrite]
            .into_iter()
            .find(|access| access.as_str() == word)
    }
}
