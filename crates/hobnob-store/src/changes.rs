//! The port of changes: what any process that shares the store has written.
//!
//! Every write of a memory, a prompt, a task, a tree or a session records its change in the same
//! transaction. The notifier follows a feed and tells clients; services map changes to addresses.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::ScopeKind;
use crate::owner::Owner;

/// One change, as every process that shares the store sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChange {
    /// Who owns the record that changed.
    pub owner: Owner,
    /// Where to find the record; it may be gone already.
    pub what: ChangedRecord,
}

/// The kind of record that changed, and its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedRecord {
    /// A memory was captured, changed, deleted, restored or purged.
    Memory {
        /// Who can see the memory.
        scope: ScopeKind,
        /// The project key; empty for other scopes.
        project: String,
        /// The namespace the memory is in, or was last in.
        namespace: String,
        /// The memory's `MemoryId` as text.
        id: String,
    },
    /// A stored prompt was created, changed or removed.
    Prompt {
        /// The name its owner gave it.
        name: String,
    },
    /// A task was created, changed or removed.
    Task {
        /// The name of its list.
        list: String,
        /// The task's `TaskId` as text.
        id: String,
    },
    /// A tree was created, changed or removed, or nodes were added to it.
    Tree {
        /// The tree's `TreeId` as text.
        id: String,
        /// The name its owner gave it.
        name: Option<String>,
        /// Whether the change affects lists of trees.
        listing: TreeListing,
    },
    /// A session with a model was created or removed. Moving its head does not change any list.
    ModelSession {
        /// The name its owner gave it.
        name: String,
    },
}

/// How a change of a tree affects lists of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeListing {
    /// The same trees are active as before.
    Same,
    /// The tree was created, removed, archived or made active again.
    Changed,
}

/// What a feed reports at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedEvent {
    /// Changes in commit order; never empty.
    Changes(Vec<RecordChange>),
    /// Too many changes to report one by one. The list has one change of each kind, owner and scope
    /// that changed, so only affected clients are notified.
    Many(Vec<RecordChange>),
    /// So much changed that the store cannot say what; every record may have.
    Everything,
}

/// A stream of changes, from the moment the feed was opened.
pub trait ChangeFeed: Send {
    /// Waits for the next changes. Cancellation-safe: dropping the future loses no change.
    fn next(&mut self) -> StoreFuture<'_, Result<FeedEvent, StoreError>>;
}

/// Opens feeds of changes.
pub trait ChangeSource: Send + Sync + 'static {
    /// How many commits this process has made. It grows before a writer gets its answer.
    fn commits(&self) -> u64;

    /// Opens a feed that reports what is committed from now on.
    fn feed(&self) -> StoreFuture<'_, Result<Box<dyn ChangeFeed>, StoreError>>;
}
