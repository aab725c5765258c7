//! The port of the authorization server's records: logins, consents, and the digests of what it
//! issued.
//!
//! The server decides what a record says; here it is text under a key. What must stay true: changes
//! are made together or not at all, and only if the records still have the versions that were read.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// A stored record. It holds no secret, only digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationEntry {
    /// What the record is about, such as `client` or `grant`.
    pub kind: &'static str,
    /// The key, unique within its kind.
    pub key: String,
    /// The user it belongs to; the empty owner if it belongs to no user.
    pub owner: Owner,
    /// The grant it belongs to; empty if there is none.
    pub grant: String,
    /// When it may be removed.
    pub expires: Option<Time>,
    /// All other fields, as JSON.
    pub body: String,
}

/// A record and the version in which it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedEntry {
    /// The record that was read.
    pub entry: AuthorizationEntry,
    /// A version number that differs after each change.
    pub version: u64,
}

/// One of several changes that are made together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// Inserts a record; fails if its key exists.
    Insert(AuthorizationEntry),
    /// Replaces a record; fails unless it has this version.
    Replace(VersionedEntry),
    /// Removes a record; fails unless it has this version.
    Remove {
        /// The kind of the record.
        kind: &'static str,
        /// The key of the record.
        key: String,
        /// The version that was read.
        version: u64,
    },
    /// Removes all records of a grant.
    RemoveGrant(String),
    /// Removes a user's records of all kinds but one; records without a user stay.
    RemoveOwnerExcept {
        /// The user whose records are removed.
        owner: Owner,
        /// The kind that stays.
        kind: &'static str,
    },
    /// Removes all records of a user; records without a user stay.
    RemoveOwner(Owner),
}

/// Why no change was made.
#[derive(Debug, thiserror::Error)]
pub enum EntryChangeError {
    /// A record no longer has the version that was read: read it again.
    #[error("the record has changed since it was read")]
    Conflict,
    /// The store itself failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores the records of the authorization server.
pub trait AuthorizationRepository: Send + Sync + 'static {
    /// Looks up a record by kind and key; expired ones too.
    fn find_entry(
        &self,
        kind: &'static str,
        key: String,
    ) -> StoreFuture<'_, Result<Option<VersionedEntry>, StoreError>>;

    /// Lists records of a kind ordered by key, starting after `after`.
    fn list_entries(
        &self,
        kind: &'static str,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VersionedEntry>, StoreError>>;

    /// How many records of a kind there are.
    fn count_entries(&self, kind: &'static str) -> StoreFuture<'_, Result<usize, StoreError>>;

    /// Makes all changes in order, or none of them.
    fn change_entries(
        &self,
        changes: Vec<EntryChange>,
    ) -> StoreFuture<'_, Result<(), EntryChangeError>>;

    /// Removes expired records and returns how many.
    fn purge_entries(&self, now: Time) -> StoreFuture<'_, Result<usize, StoreError>>;
}
