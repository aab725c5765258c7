//! The port of long tool calls that outlive the process which runs them.
//!
//! What a record says and who may see it is the caller's business: to a backend it is text with an
//! id, an owner and an end. The binary's task store is the only caller.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// Names one persisted call; a store has each id once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(Box<str>);

impl CallId {
    /// Takes any text but the empty one, which [`CallRepository::calls_of`] starts before.
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
    /// Who finds it in a list.
    pub owner: Owner,
    /// When its state last changed.
    pub updated: Time,
    /// From when on it may be removed; never if absent.
    pub expires: Option<Time>,
    /// All about it, in JSON.
    pub record: String,
}

/// Long tool calls, by id and by owner.
pub trait CallRepository: Send + Sync + 'static {
    /// Stores a call in place of what was stored under its id.
    fn save(&self, call: PersistedCall) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Looks a call up, whoever owns it: the caller checks who may see it.
    fn load(&self, id: CallId) -> StoreFuture<'_, Result<Option<PersistedCall>, StoreError>>;

    /// Lists an owner's calls in the order of their ids, from behind `after` on.
    fn calls_of(
        &self,
        owner: Owner,
        after: Option<CallId>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<PersistedCall>, StoreError>>;

    /// Removes a call and says whether it was there.
    fn forget(&self, id: CallId) -> StoreFuture<'_, Result<bool, StoreError>>;

    /// Removes every call that has expired by `now` and says how many there were.
    fn forget_expired(&self, now: Time) -> StoreFuture<'_, Result<u64, StoreError>>;
}
