//! What `compose` builds a hub from: its folders, its views, its callers.
//!
//! `serve` and the commands that need a hub of their own fill in a [`Plan`].

use hobnob_config::{ListenerMode, NativeCallAccess, Places};
use hobnob_gateway::{FirstStarts, Reload};
use hobnob_services::{ListedOwner, ProjectFrom};

/// What differs between the ways to run a hub.
pub struct Plan {
    /// The folders of the project, of settings and of data.
    pub places: Places,
    /// The views that clients get.
    pub views: Views,
    /// Which servers are started to learn their lists.
    pub first_starts: FirstStarts,
    /// Whether changes of configuration files are noticed.
    pub reload: Reload,
    /// When native calls are answered, unless a profile is stricter.
    pub native_calls: NativeCallAccess,
    /// The callers that the views serve.
    pub callers: Callers,
}

/// How callers reach the views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// On a pipe or a private socket: the person's own programs.
    Local,
    /// Through a listener, too; its callers have names unless its mode is `local`.
    OfListener,
}

impl Callers {
    /// The owner whose stored records lists may name; lists are the same for all callers.
    pub(super) fn listed(self, mode: ListenerMode) -> ListedOwner {
        match (self, mode) {
            (Self::Local, _) | (Self::OfListener, ListenerMode::Local | ListenerMode::Open) => {
                ListedOwner::Person
            }
            (Self::OfListener, _) => ListedOwner::Nobody,
        }
    }
}

/// Which views a hub has.
pub enum Views {
    /// Only the plain view, which shows everything.
    Plain,
    /// Only the view of this profile.
    Only {
        /// The profile's name, as it was typed.
        profile: String,
        /// Where a client's project is looked up, unless the profile says otherwise.
        project_from: ProjectFrom,
    },
    /// The plain view and those of these profiles; an invalid profile is an error.
    PlainAnd(Vec<String>),
    /// The plain view and those of all valid profiles; an invalid profile is a warning.
    PlainAndAll,
}

impl Views {
    /// The profile of the first view, if it has one.
    pub(super) fn first_profile(&self) -> Option<&str> {
        match self {
            Self::Only { profile, .. } => Some(profile),
            Self::Plain | Self::PlainAnd(_) | Self::PlainAndAll => None,
        }
    }

    /// Where a client's project is looked up, unless its profile says otherwise.
    pub(super) fn project_from(&self) -> ProjectFrom {
        match self {
            Self::Plain => ProjectFrom::FolderThenRoots,
            Self::Only { project_from, .. } => *project_from,
            // Clients come from anywhere: the folder of this process says little about theirs.
            Self::PlainAnd(_) | Self::PlainAndAll => ProjectFrom::RootsThenFolder,
        }
    }
}
