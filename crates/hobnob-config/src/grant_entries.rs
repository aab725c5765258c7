//! What a person granted: the rows of the file of grants as types for serde. `grants_file` reads and
//! writes the file.
//!
//! The commands that grant and revoke change the rows, and the builder of the set of grants reads
//! them. The types do not interpret words such as `write`: the builder does, and a row that it cannot
//! parse makes the whole set count for nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// All rows. By default there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrantEntries {
    /// The access of each service, such as `files` to `read-only`. A missing service is off.
    pub services: BTreeMap<String, String>,
    /// Folders for the service `files`.
    pub files: Vec<FileGrantEntry>,
    /// Commands for the service `shell`.
    pub shell: Vec<CommandGrantEntry>,
    /// Logs for the service `logs`.
    pub logs: Vec<LogGrantEntry>,
    /// Keys for the service `registry`.
    pub registry: Vec<KeyGrantEntry>,
    /// Programs of agents for the service `claudecode`. Left out while empty, so that an older Hobnob
    /// can read a file without agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentGrantEntry>,
    /// Roles in the memories that principals share. Left out while empty, like agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryRoleEntry>,
}

/// A folder, and its identity when it was granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantedFolderEntry {
    /// The absolute path, without symbolic links.
    pub path: String,
    /// The word `read` or `write`.
    pub access: String,
    /// The identity of the folder, recorded by the effect that will open it: another folder in its
    /// place is not granted.
    pub identity: String,
    /// Whether files that have names elsewhere too may be read or changed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hard_links: bool,
}

/// A folder that the service `files` works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileGrantEntry {
    /// The folder, and what may be done in it.
    pub folder: GrantedFolderEntry,
    /// The principal it is for; without one, callers on this machine.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

/// A command that the service `shell` runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandGrantEntry {
    /// The name by which callers run it.
    pub name: String,
    /// The absolute path of the program, found when it was granted.
    pub program: String,
    /// The pattern of its arguments; without one, the program is a shell for whole lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// The folders it may run in and see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<GrantedFolderEntry>,
    /// The names of variables that callers may set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// `on`, `required`, `any` or `off`.
    pub sandbox: String,
    /// Whether it has the machine's network.
    #[serde(default, skip_serializing_if = "is_false")]
    pub network: bool,
    /// Whether it may run as root if Hobnob does.
    #[serde(default, skip_serializing_if = "is_false")]
    pub as_root: bool,
    /// The principal it is for; without one, callers on this machine.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

/// A log that the service `logs` reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogGrantEntry {
    /// What may be read.
    pub log: GrantedLogEntry,
    /// The principal it is for; without one, callers on this machine.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

/// Logs by the system's names, or by the folder of their files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum GrantedLogEntry {
    /// A glob over the names that the system gives its logs.
    Name(String),
    /// Every log file beneath this folder.
    Folder(GrantedFolderEntry),
}

/// A key that the service `registry` works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyGrantEntry {
    /// The key; all keys below it are granted too.
    pub key: String,
    /// The word `read` or `write`.
    pub access: String,
    /// `32` or `64`; without it, both views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// The principal it is for; without one, callers on this machine.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

/// An agent's program that the service `claudecode` runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentGrantEntry {
    /// The agent's name, such as `claude`.
    pub agent: String,
    /// The absolute path of the program, found when it was granted.
    pub program: String,
    /// The folders its sessions work in.
    pub folders: Vec<GrantedFolderEntry>,
    /// The principal it is for; without one, callers on this machine.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

/// A role of one principal in the memories of scope `org`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRoleEntry {
    /// `reader`, `writer` or `admin`.
    pub role: String,
    /// The principal who has it.
    #[serde(rename = "for")]
    pub principal: String,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
