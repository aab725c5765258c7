//! The port of long tool calls that outlive the process that runs them.
//!
//! The caller decides what a record says and who may see it: to a backend a call is text with an
//! id, an owner and an expiry time. The binary's task store is the only caller.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// The id of a persisted call, unique in a store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(Box<str>);

impl CallId {
    /// Takes any text except the empty one: [`CallRepository::calls_of`] starts before every id.
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The text it was made from.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A call as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersistedCall {
    /// Saving another call under the same id replaces this one.
    pub id: CallId,
    /// The owner whose list it appears in.
    pub owner: Owner,
    /// When its state last changed.
    pub updated: Time,
    /// When it may be removed; never if `None`.
    pub expires: Option<Time>,
    /// The whole record, as JSON.
    pub record: String,
}

/// Long tool calls, by id and by owner.
pub trait CallRepository: Send + Sync + 'static {
    /// Stores a call, replacing any call with the same id.
    fn save(&self, call: PersistedCall) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Looks a call up by id, for any owner: the caller must check who may see it.
    fn load(&self, id: CallId) -> StoreFuture<'_, Result<Option<PersistedCall>, StoreError>>;

    /// Lists an owner's calls ordered by id, starting after `after`.
    fn calls_of(
        &self,
        owner: Owner,
        after: Option<CallId>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<PersistedCall>, StoreError>>;

    /// Removes a call and returns whether it existed.
    fn forget(&self, id: CallId) -> StoreFuture<'_, Result<bool, StoreError>>;

    /// Removes every call that has expired by `now` and returns how many it removed.
    fn forget_expired(&self, now: Time) -> StoreFuture<'_, Result<u64, StoreError>>;
}
