//! What a person allows the services that touch the machine: nothing until something is granted.
//!
//! Everything here is pure: rows of text become a set, and the set answers a wish with a permit or
//! with the line to type. `hobnob-config` keeps the rows, the services ask, the effects read permits.

mod access;
mod relative_path;
mod root_identity;
mod source;
mod subject;

mod file_operation;
mod file_root;

mod action;
mod denied;
mod granted;
mod service_gate;

mod argv_pattern;
mod file_grant;
mod path_input;

mod set;
#[cfg(test)]
mod tests;

pub use access::{MachineService, ServiceAccess};
pub use action::FileAction;
pub use argv_pattern::ArgvPattern;
pub use denied::{NotGranted, NotGrantedReason};
pub use file_grant::FileWish;
pub use file_operation::{
    Deletion, EditCount, EditEffect, EntryKind, FileOperation, IgnoreFiles, ReadWindow,
    SearchQuery, SearchTotals, TextEdit, WriteMode,
};
pub use file_root::{FileRoot, GrantedPath, RootAccess};
pub(crate) use granted::GrantedAction;
pub use relative_path::{BadRelativePath, RelativePath};
pub use root_identity::{HardLinks, RootIdentity};
pub use set::{GrantError, GrantSet};
pub use source::{FileGrantSource, FolderSource, GrantSources};
pub use subject::{CallerPlace, GrantSubject};
