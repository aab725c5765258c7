//! Checks an owner's quota before a write adds records; triggers in the database keep the counts.
//!
//! Ports that add records call it in the transaction that adds them, under the owner's lock.

use crate::columns::{number, owner};
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, Transaction, in_transaction};
use crate::value::values;
use hobnob_store::{
    NewRecords, Owner, QuotaCount, QuotaCounts, StoreError, StoreFuture, StoreQuotas, StoredKind,
};

/// Refuses new records beyond the owner's quota.
pub(crate) async fn check(
    transaction: &Transaction,
    quotas: &StoreQuotas,
    (owner, kind): (&Owner, StoredKind),
    count: usize,
) -> Result<()> {
    let Some(limit) = quotas.limit(owner, kind) else { return Ok(()) };
    let sql = "SELECT items FROM stored_counts WHERE owner = $1 AND kind = $2";
    let stored = transaction.first(sql, values![owner, kind.as_str()], |row| number(row, 0));
    let stored = stored.await?.map_or(0, |stored| u64::try_from(stored).unwrap_or_default());
    let records = NewRecords { owner: owner.clone(), kind, count };
    Ok(records.check(stored, limit)?)
}

impl QuotaCounts for PostgresStore {
    fn nearest_quotas(&self) -> StoreFuture<'_, std::result::Result<Vec<QuotaCount>, StoreError>> {
        Box::pin(async {
            let quotas = self.quotas();
            in_transaction!(self, Scope::read_all(), |transaction| {
                let mut nearest = Vec::new();
                for kind in StoredKind::ALL {
                    nearest.extend(nearest_of(&transaction, &quotas, kind).await?);
                }
                Ok::<_, TransactionFailure>(nearest)
            })
        })
    }
}

/// The owner who uses most of the quota for this kind. All named owners have the same quota, and the
/// unnamed one may have another.
async fn nearest_of(
    transaction: &Transaction,
    quotas: &StoreQuotas,
    kind: StoredKind,
) -> Result<Option<QuotaCount>> {
    let mut found = Vec::new();
    for is_named in [true, false] {
        let sql = "SELECT owner, items FROM stored_counts WHERE kind = $1 AND (owner <> '') = $2 \
                   AND 0 < items ORDER BY items DESC, owner LIMIT 1";
        let row = transaction.first(sql, values![kind.as_str(), is_named], |row| {
            Ok((owner(row, 0)?, number(row, 1)?))
        });
        let Some((owner, stored)) = row.await? else { continue };
        let stored = u64::try_from(stored).unwrap_or_default();
        if let Some(limit) = quotas.limit(&owner, kind) {
            found.push(QuotaCount { kind, owner, stored, limit });
        }
    }
    // Cross-multiplied shares, so that no quota of 0 is divided by.
    let share = |one: &QuotaCount, other: &QuotaCount| {
        let (left, right) = (u128::from(one.stored), u128::from(other.stored));
        (left * u128::from(other.limit)).cmp(&(right * u128::from(one.limit)))
    };
    Ok(found.into_iter().max_by(share))
}
