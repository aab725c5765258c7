//! Grants as they are stored, before they are parsed.
//!
//! The reader of the file of grants fills these rows and hands them to
//! [`GrantSet::parse`](crate::GrantSet::parse), which accepts all of them or none.

use std::path::PathBuf;

use crate::grants::hard_links::HardLinks;

/// All rows of all services. Without rows, nothing is granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrantSources {
    /// A service and its access, such as `files` and `read-only`. A service without a row is off.
    pub services: Vec<(String, String)>,
    /// Folders that the service `files` works in.
    pub files: Vec<FileGrantSource>,
    /// Commands that the service `shell` runs.
    pub commands: Vec<CommandGrantSource>,
    /// Logs that the service `logs` reads.
    pub logs: Vec<LogGrantSource>,
    /// Keys that the service `registry` works on.
    pub keys: Vec<KeyGrantSource>,
    /// Programs of agents that the service `claudecode` runs.
    pub agents: Vec<AgentGrantSource>,
    /// Roles in the memories that principals share.
    pub memory_roles: Vec<MemoryRoleSource>,
    /// The program that decides about grants, which is never run as a command.
    pub own_program: Option<PathBuf>,
}

/// A folder as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSource {
    /// The absolute path, without symbolic links.
    pub path: PathBuf,
    /// The word `read` or `write`.
    pub access: String,
    /// The folder's identity when it was granted, as recorded by the effect that opens it.
    pub identity: String,
    /// What happens to files with more than one name.
    pub hard_links: HardLinks,
}

/// A row of the service `files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileGrantSource {
    /// The folder, and what may be done in it.
    pub folder: FolderSource,
    /// The principal it is for; without one, callers on this machine.
    pub principal: Option<String>,
}

/// A row of the service `shell`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandGrantSource {
    /// The name by which callers run it, such as `cargo`.
    pub name: String,
    /// The file that is run: an absolute path, found when it was granted.
    pub program: PathBuf,
    /// The words after the name, as [`ArgvPattern`](crate::ArgvPattern) parses them. `None` lets
    /// the program, which then is a shell, run any command line.
    pub arguments: Option<Vec<String>>,
    /// The folders it may run in and see.
    pub folders: Vec<FolderSource>,
    /// The names of variables that callers may set.
    pub environment: Vec<String>,
    /// `on`, `required`, `any` or `off`.
    pub sandbox: String,
    /// Whether it has the machine's network.
    pub network: bool,
    /// Whether it may run as root.
    pub as_root: bool,
    /// The principal it is for; without one, callers on this machine.
    pub principal: Option<String>,
}

/// A row of the service `logs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogGrantSource {
    /// What may be read.
    pub log: LogSource,
    /// The principal it is for; without one, callers on this machine.
    pub principal: Option<String>,
}

/// A log of the system by its name, or a folder with files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogSource {
    /// A glob over the names that the system gives its logs.
    Name(String),
    /// Every log file beneath this folder.
    Folder(FolderSource),
}

/// A row of the service `registry`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrantSource {
    /// The key, such as `HKCU\Software\Example`; all keys below it are granted too.
    pub key: String,
    /// The word `read` or `write`.
    pub access: String,
    /// `32` or `64`; without it, both views.
    pub view: Option<String>,
    /// The principal it is for; without one, callers on this machine.
    pub principal: Option<String>,
}

/// A row of the service `claudecode`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentGrantSource {
    /// The agent's name, such as `claude`.
    pub agent: String,
    /// The file that is run: an absolute path, found when it was granted.
    pub program: PathBuf,
    /// The folders its sessions work in; at least one.
    pub folders: Vec<FolderSource>,
    /// The principal it is for; without one, callers on this machine.
    pub principal: Option<String>,
}

/// A role of one principal in the memories of scope `org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRoleSource {
    /// `reader`, `writer` or `admin`.
    pub role: String,
    /// The principal who has it.
    pub principal: String,
}
