//! Lists that depend on what the built-ins store: a caller finds its own writes in the next list.
//!
//! The program that owns the gateway knows the store; the router asks it before it answers a list or
//! refuses a name.

use hobnob_mcp_engine::BoxFuture;

/// Knows whether the views list what is stored.
pub trait StoredLists: Send + Sync + 'static {
    /// Ends when the views list everything that this process had written when it was called, as far as
    /// the store can be read.
    fn catch_up(&self) -> BoxFuture<'_, ()>;
}
