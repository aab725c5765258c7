//! Lists that depend on what built-ins store: a caller sees its own writes in the next list.
//!
//! The program that owns the gateway implements the trait; the router calls it before it answers a
//! list or rejects a name.

use hobnob_mcp_engine::BoxFuture;

/// Keeps the lists of the views in step with the store.
pub trait StoredLists: Send + Sync + 'static {
    /// Returns once the views list everything that this process had written before the call, as far
    /// as the store can be read.
    fn catch_up(&self) -> BoxFuture<'_, ()>;
}
