//! The port that says how near owners are to their quotas.
//!
//! The hub shows it to its owner. What must stay true: it names owners and numbers, never records.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::quotas::StoredKind;

/// How much of a quota one owner uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaCount {
    /// Which records the quota is for.
    pub kind: StoredKind,
    /// The principal that the quota applies to.
    pub owner: Owner,
    /// How many records the store has of this principal.
    pub stored: u64,
    /// How many records the quota allows.
    pub limit: u64,
}

/// Counts the records of owners.
pub trait QuotaCounts: Send + Sync + 'static {
    /// For each kind of record, the owner who uses most of their quota. A kind is left out if no owner
    /// with a quota has such a record.
    fn nearest_quotas(&self) -> StoreFuture<'_, Result<Vec<QuotaCount>, StoreError>>;
}
