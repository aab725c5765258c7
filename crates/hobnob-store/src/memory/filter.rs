//! What a caller can reach, and which part of that a query asks for. Every query of memories has
//! both; a backend must not reveal anything outside the access, not even that it exists.
//!
//! Also the pages of lists, which the ports of tasks and trees use too.

use super::record::{MemoryStatus, Namespace, Tag};
use super::scope::{OrgRole, ScopeKind};
use crate::owner::{Owner, ProjectKey};
use crate::time::Time;

/// What a caller can reach: its own memories of one project (or of all), its own memories of scope
/// `user`, and those of scope `org` if it has a role there. A backend never reads, counts or
/// reveals anything outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Whose memories are visible, besides the shared ones.
    pub owner: Owner,
    /// The caller's role in the scope `org`; without one, its memories are invisible.
    pub org: Option<OrgRole>,
    /// The project whose memories are visible; all of the owner's projects if `None`.
    pub project: Option<ProjectKey>,
    /// The current time. A memory that expired before it is invisible, unless it was deleted.
    pub now: Time,
}

/// Which memories a query asks for. The default is every active one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Any of these namespaces; all if empty.
    pub namespaces: Vec<Namespace>,
    /// At least one tag of each group.
    pub tags: Vec<Vec<Tag>>,
    /// Memories with any of these are left out.
    pub without_tags: Vec<Tag>,
    /// Created at this time or later.
    pub since: Option<Time>,
    /// Created before this moment.
    pub until: Option<Time>,
    /// A glob over the source (`*` and `?`). A source that contains a NUL matches only itself.
    pub source: Option<String>,
    /// Any of these scopes; all if empty.
    pub scopes: Vec<ScopeKind>,
    /// Any of these statuses; only active ones if empty.
    pub statuses: Vec<MemoryStatus>,
}

/// Which page of a list to return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The cursor that the page before ended with, opaque to the caller.
    pub after: Option<String>,
    /// The maximum number of items on the page.
    pub limit: usize,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items on this page.
    pub items: Vec<T>,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
}
