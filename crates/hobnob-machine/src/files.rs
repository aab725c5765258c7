//! Files beneath a granted folder, in reading order: how a path is reached, then what is done there.
//!
//! Nothing is checked by name and used by name later: each step of a path is opened relative to the
//! handle before it, and what was opened is what is judged and used.

mod problem;

mod kind;
mod open;

mod hidden;

mod descend;
mod root;

mod content_hash;
mod entries;
mod list;
mod read;
mod sorted_names;
mod stat;

mod edit;
mod make_folder;
mod remove_tree;
mod rename;
mod trash;
mod write;

mod control;
mod ignored;
mod perform;
mod search;
mod tree;
mod walk;
mod work_stack;
mod working_folder;

pub(crate) use descend::LastLink;
pub(crate) use list::visible_names;
pub(crate) use root::OpenFile;

pub use content_hash::content_hash;
pub use control::{SearchControl, SearchProgress};
pub use edit::{EditedFile, edit};
pub use hidden::HiddenFolders;
pub use list::{FolderEntry, FolderPage, list};
pub use make_folder::{FolderMade, make_folder};
pub use perform::{FileOutcome, GrantedFolders};
pub use problem::{FileError, FileRefusal};
pub use read::{FileBody, FilePart, read};
pub use rename::rename;
pub use root::{BadRootIdentity, ConfinedRoot, RootIdentity};
pub use search::{
    BadPattern, BadSearchCursor, LineHit, SearchCursor, SearchError, SearchHit, SearchPage,
    SearchSkipped, SearchTotals, search,
};
pub use stat::{FileFacts, FileStat, LinkFacts, stat};
pub use trash::{Deleted, TrashLimits, clean_trash, delete};
pub use tree::{FolderTree, TreeRow, tree};
pub use working_folder::{CommandFolders, OpenedFolder};
pub use write::{WrittenFile, write};
