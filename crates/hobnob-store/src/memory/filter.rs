//! What a caller can access, and what of that is wanted. Every query has both.
//!
//! A backend must not reveal anything outside of the access, not even that it exists.

use super::record::{MemoryStatus, Namespace, Tag};
use super::scope::{OrgRole, ScopeKind};
use crate::owner::{Owner, ProjectKey};
use crate::time::Time;

/// What a caller can reach: its own memories of one project (or of all), its own everywhere, and
/// those of scope `org` if it has a role there. Nothing outside of it is ever read, counted or
/// revealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Whose memories are seen, besides those that are shared.
    pub owner: Owner,
    /// The caller's role in the scope `org`; without one, nothing of it is there.
    pub org: Option<OrgRole>,
    /// The project whose memories are seen; all of the owner's projects if `None`.
    pub project: Option<ProjectKey>,
    /// When. What has expired by then is not there, unless it was deleted.
    pub now: Time,
}

/// What is wanted. The default is everything that is active.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Any of these; all if empty.
    pub namespaces: Vec<Namespace>,
    /// Of each group at least one.
    pub tags: Vec<Vec<Tag>>,
    /// Memories with any of these are left out.
    pub without_tags: Vec<Tag>,
    /// Created then or later.
    pub since: Option<Time>,
    /// Created before this moment.
    pub until: Option<Time>,
    /// A glob of the source (`*` and `?`). A source with a NUL in it fits only itself.
    pub source: Option<String>,
    /// Any of these; all if empty.
    pub scopes: Vec<ScopeKind>,
    /// Any of these; only active ones if empty.
    pub statuses: Vec<MemoryStatus>,
}

/// Which part of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// What the page before ended with; the store's own words.
    pub after: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// What the next page comes after, if there is one.
    pub next: Option<String>,
}
