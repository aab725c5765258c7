//! What changed, for those who tell others: every write says so in the same transaction.

use crate::memory::ScopeKind;
use crate::owner::Owner;

/// One change, as every process that shares the store hears of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChange {
    /// Whose record.
    pub owner: Owner,
    /// Which.
    pub what: ChangedRecord,
}

/// Which record changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedRecord {
    /// A memory was captured, changed, deleted, restored or purged.
    Memory {
        /// Its scope.
        scope: ScopeKind,
        /// The project's key, empty for other scopes.
        project: String,
        /// Its namespace.
        namespace: String,
        /// Its id.
        id: String,
    },
    /// A stored prompt came, changed or went.
    Prompt {
        /// Its name.
        name: String,
    },
    /// A task came, changed or went.
    Task {
        /// Its list.
        list: String,
        /// Its id.
        id: String,
    },
}
