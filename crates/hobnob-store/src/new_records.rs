//! Checks an owner's quota before a write adds records.
//!
//! A backend counts the stored records and calls this in the transaction that adds the new ones.

use crate::error::StoreError;
use crate::owner::Owner;
use crate::quotas::StoredKind;

/// The records that a write is about to add.
#[derive(Debug)]
pub struct NewRecords {
    /// The owner they count for.
    pub owner: Owner,
    /// The kind of the new records.
    pub kind: StoredKind,
    /// The number of new records.
    pub count: usize,
}

impl NewRecords {
    /// Refuses the write if `stored` plus the new records exceed the limit.
    pub fn check(&self, stored: u64, limit: u64) -> Result<(), StoreError> {
        if stored.saturating_add(self.count as u64) <= limit {
            return Ok(());
        }
        Err(StoreError::Full { kind: self.kind, stored, limit })
    }
}
