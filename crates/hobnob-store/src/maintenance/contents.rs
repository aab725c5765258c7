//! What a store or a backup of it holds, in numbers.
//!
//! Backups and restores report it to the person who asked for them.

/// What a store or a backup holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreContents {
    /// How long it is.
    pub bytes: u64,
    /// Memories, whatever their status.
    pub memories: u64,
    /// Tasks, whatever their status.
    pub tasks: u64,
    /// Trees, whatever their state.
    pub trees: u64,
    /// Sessions with models and with agents' programs.
    pub sessions: u64,
}
