//! What a person allows the services that touch the machine: nothing until something is granted.
//!
//! Everything here is pure: rows of text become a set, and the set answers a wish with a permit, or
//! with the command to type. `hobnob-config` stores the rows, services ask, effects read permits.

mod access;
mod hard_links;
mod relative_path;
mod source;
mod subject;

mod content_hash;
mod file_operation;
mod file_root;
mod file_search;
mod log_query;
mod registry_key;
mod registry_value;

mod action;
mod denied;
mod granted;
mod service_gate;

mod agent_grant;
mod argv_pattern;
mod command_grant;
mod command_text;
mod environment;
mod file_grant;
mod key_grant;
mod log_grant;
mod memory_role;
mod path_input;

mod set;
#[cfg(test)]
mod tests;

pub use access::{MachineService, ServiceAccess};
pub use action::{
    FileAction, KeyAction, LogAction, LogListing, NetworkRule, RootRule, RunCommand, SandboxFolder,
    SandboxRule, WorkingFolder,
};
pub use agent_grant::AgentWish;
pub use argv_pattern::ArgvPattern;
pub use command_grant::CommandWish;
pub use command_text::CommandText;
pub use content_hash::{BadContentHash, ContentHash};
pub use denied::{NotGranted, NotGrantedReason};
pub use environment::is_dangerous_variable;
pub use file_grant::FileWish;
pub use file_operation::{
    Deletion, EditMatches, EditRun, FileOperation, MissingParents, MoveMode, ReadWindow, TextEdit,
    WriteMode,
};
pub use file_root::{FileRoot, GrantedPath, RootAccess};
pub use file_search::{
    ContentPattern, DotFiles, EntryKind, FileSearch, HitCount, IgnoreFiles, LetterCase,
    PatternSyntax, TreeWish,
};
pub(crate) use granted::GrantedAction;
pub use hard_links::HardLinks;
pub use key_grant::KeyWish;
pub use log_grant::LogWish;
pub use log_query::{LogFilter, LogLevel, LogOperation, LogStart};
pub use memory_role::MemoryRole;
pub use registry_key::{BadRegistryKey, Hive, KeyView, RegistryKey};
pub use registry_value::{KeyOperation, RegistryValue, ValueName};
pub use relative_path::{BadRelativePath, RelativePath};
pub use set::{GrantError, GrantSet};
pub use source::{
    AgentGrantSource, CommandGrantSource, FileGrantSource, FolderSource, GrantSources,
    KeyGrantSource, LogGrantSource, LogSource, MemoryRoleSource,
};
pub use subject::{CallerPlace, GrantSubject};
