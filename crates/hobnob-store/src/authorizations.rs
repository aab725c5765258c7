//! The port of the authorization server's records: who may log in, what they agreed to, and the digests
//! of what was given out for it.
//!
//! The server decides what a record says; here it is a text under a key. What must stay true: changes are
//! made together or not at all, against the versions that were read, whichever process makes them.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// A record as it is stored. No secret is in it, only digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationEntry {
    /// What it is about, such as `client` or `grant`.
    pub kind: &'static str,
    /// Each kind has a key once.
    pub key: String,
    /// The user it belongs to; the empty owner for nobody's.
    pub owner: Owner,
    /// The grant it belongs to; empty for none.
    pub grant: String,
    /// When it may be removed.
    pub expires: Option<Time>,
    /// The rest, as JSON.
    pub body: String,
}

/// A record as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedEntry {
    /// What the store has under its key.
    pub entry: AuthorizationEntry,
    /// Another one after each change.
    pub version: u64,
}

/// One change of several that are made together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// A record that must not be there yet.
    Insert(AuthorizationEntry),
    /// Other contents for a record that must be of this version.
    Replace(VersionedEntry),
    /// Removes a record that must be of this version.
    Remove {
        /// What it is about.
        kind: &'static str,
        /// The key of the record.
        key: String,
        /// The version that was read.
        version: u64,
    },
    /// Removes everything of a grant.
    RemoveGrant(String),
    /// Removes everything of a user but records of this kind; nobody's records stay.
    RemoveOwnerExcept {
        /// The user whose records are removed.
        owner: Owner,
        /// The kind that stays.
        kind: &'static str,
    },
    /// Removes everything of a user; nobody's records stay.
    RemoveOwner(Owner),
}

/// Why changes were not made.
#[derive(Debug, thiserror::Error)]
pub enum EntryChangeError {
    /// A record was not as it was read: read it again.
    #[error("the record was changed by somebody else")]
    Conflict,
    /// The store itself fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Records of the authorization server.
pub trait AuthorizationRepository: Send + Sync + 'static {
    /// Looks one up, expired ones too.
    fn find_entry(
        &self,
        kind: &'static str,
        key: String,
    ) -> StoreFuture<'_, Result<Option<VersionedEntry>, StoreError>>;

    /// Lists records of a kind by key, from behind `after` on.
    fn list_entries(
        &self,
        kind: &'static str,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VersionedEntry>, StoreError>>;

    /// How many records of a kind there are.
    fn count_entries(&self, kind: &'static str) -> StoreFuture<'_, Result<usize, StoreError>>;

    /// Makes all changes, in their order, or none of them.
    fn change_entries(
        &self,
        changes: Vec<EntryChange>,
    ) -> StoreFuture<'_, Result<(), EntryChangeError>>;

    /// Removes what has expired; how many records that were.
    fn purge_entries(&self, now: Time) -> StoreFuture<'_, Result<usize, StoreError>>;
}
