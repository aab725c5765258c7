//! Files in a granted folder, in reading order: how a path is resolved, then the operations.
//!
//! The only way in is [`GrantedFolders`], which does what a permit says. Nothing is checked by name
//! and used by name later: each step of a path is opened relative to the handle before it, and that
//! handle is checked and used.

mod problem;

mod kind;
mod open;

mod hidden;

mod descend;
mod root;

mod content_hash;
mod encoded;
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
mod search;
mod search_hit;
mod tree;
mod walk;
mod work_stack;
mod working_folder;

mod perform;
mod watch;
mod watch_place;

pub use content_hash::content_hash;
pub use control::{SearchControl, SearchProgress};
pub use edit::EditedFile;
pub use hidden::HiddenFolders;
pub use list::{FolderEntry, FolderPage};
pub use make_folder::FolderMade;
pub use perform::{FileOutcome, GrantedFolders};
pub use problem::{FileError, FileRefusal};
pub use read::{FileBody, FilePart};
pub use root::{BadRootIdentity, RootIdentity};
pub use search::{
    BadPattern, BadSearchCursor, SearchCursor, SearchError, SearchPage, SearchSkipped,
    SearchTotals, TotalCount,
};
pub use search_hit::{LineHit, SearchHit};
pub use stat::{FileFacts, FileStat, LinkFacts};
pub use trash::{Deleted, TrashLimits};
pub use tree::{FolderTree, TreeRow};
pub use watch::{FolderWatcher, WatchError, WatchEvents};
pub use working_folder::{CommandFolders, CommandPlaces, OpenedFolder, VisibleFolder};
pub use write::WrittenFile;

// The logs of this crate are files in granted folders too.
pub(crate) use descend::LastLink;
pub(crate) use list::{list, visible_names};
pub(crate) use root::{ConfinedRoot, OpenFile};
