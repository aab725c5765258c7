//! Compares how many records an owner has with how many they may have, before more are written.
//!
//! A backend counts what is stored and asks here, in the transaction that would add the records.

use crate::error::StoreError;
use crate::owner::Owner;
use crate::quotas::StoredKind;

/// Records that a write is about to add.
#[derive(Debug)]
pub struct NewRecords {
    /// The owner they count for.
    pub owner: Owner,
    /// Of which kind they are.
    pub kind: StoredKind,
    /// How many they are.
    pub count: usize,
}

impl NewRecords {
    /// Refuses them if their owner, who has so many of the kind, may have no more than the limit.
    pub fn check(&self, stored: u64, limit: u64) -> Result<(), StoreError> {
        if stored.saturating_add(self.count as u64) <= limit {
            return Ok(());
        }
        Err(StoreError::Full { kind: self.kind, stored, limit })
    }
}
