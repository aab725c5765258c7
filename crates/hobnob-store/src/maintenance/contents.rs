//! What a store or a backup of it holds, in numbers.
//!
//! Backups and restores report it to the person who asked for them.

/// How much a store or a backup holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreContents {
    /// The size of its file.
    pub bytes: u64,
    /// Memories in any status.
    pub memories: u64,
    /// Tasks in any status.
    pub tasks: u64,
    /// Trees in any state.
    pub trees: u64,
    /// Sessions with models and with agent programs.
    pub sessions: u64,
}
