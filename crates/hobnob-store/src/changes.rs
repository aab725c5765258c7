//! The port of changes: what was written, by whichever process shares the store.
//!
//! Every write of a memory, a prompt, a task, a tree or a session records its change in the same transaction. The
//! binary's notifier follows a feed and tells clients; services turn a change into addresses.

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

/// The kind of record that changed, and what addresses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedRecord {
    /// A memory was captured, changed, deleted, restored or purged.
    Memory {
        /// Who can see the memory.
        scope: ScopeKind,
        /// The project's key, empty for other scopes.
        project: String,
        /// The namespace the memory is in, or was in last.
        namespace: String,
        /// The text of its `MemoryId`.
        id: String,
    },
    /// A stored prompt came, changed or went.
    Prompt {
        /// The name its owner gave it.
        name: String,
    },
    /// A task came, changed or went.
    Task {
        /// The name of its list.
        list: String,
        /// The text of its `TaskId`.
        id: String,
    },
    /// A tree came, changed or went, or nodes were added to it.
    Tree {
        /// The text of its `TreeId`.
        id: String,
        /// The name its owner gave it.
        name: Option<String>,
        /// Whether lists of trees are others now.
        listing: TreeListing,
    },
    /// A session with a model came or went. A head that moves is no change of lists.
    ModelSession {
        /// The name its owner gave it.
        name: String,
    },
}

/// What a change of a tree does to lists of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeListing {
    /// The same trees are active as before.
    Same,
    /// The tree came, went, or was put aside or brought back.
    Changed,
}

/// What a feed reports at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedEvent {
    /// Changes in the order they were committed, never none.
    Changes(Vec<RecordChange>),
    /// More changed than is reported one by one. Of all changes there is one of each kind, owner and
    /// scope, so that nobody is notified whom none of them concerns.
    Many(Vec<RecordChange>),
    /// So much changed that the store cannot say what: everything may have.
    Everything,
}

/// Changes one after the other, from when the feed was opened.
pub trait ChangeFeed: Send {
    /// Waits for the next changes. You may drop the future and call again: nothing is lost.
    fn next(&mut self) -> StoreFuture<'_, Result<FeedEvent, StoreError>>;
}

/// Where feeds come from.
pub trait ChangeSource: Send + Sync + 'static {
    /// How often this process has committed. It grows before a writer gets its answer.
    fn commits(&self) -> u64;

    /// Opens a feed that reports what is committed from now on.
    fn feed(&self) -> StoreFuture<'_, Result<Box<dyn ChangeFeed>, StoreError>>;
}
