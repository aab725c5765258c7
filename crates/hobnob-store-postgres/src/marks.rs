//! Sync marks, the state last exchanged with a project's remote, in the table `synced`.
//!
//! Called through the port [`SyncMarkRepository`].

use crate::columns::{get, text};
use crate::error::TransactionFailure;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use crate::value::values;
use hobnob_store::memory::{MemoryId, SyncMark, SyncMarkRepository};
use hobnob_store::{Owner, ProjectKey, StoreError, StoreFuture};

impl SyncMarkRepository for PostgresStore {
    fn marks(
        &self,
        owner: Owner,
        project: ProjectKey,
    ) -> StoreFuture<'_, Result<Vec<SyncMark>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&owner), |transaction| {
                let sql = "SELECT id, digest FROM synced WHERE owner = $1 AND project = $2 \
                           ORDER BY id";
                let rows = transaction.all(sql, values![&owner, project.as_str()], |row| {
                    Ok((text(row, 0)?, get::<Vec<u8>>(row, 1)?))
                });
                let known = |(id, digest): (String, Vec<u8>)| Some((MemoryId::parse(&id)?, digest));
                Ok::<_, TransactionFailure>(rows.await?.into_iter().filter_map(known).collect())
            })
        })
    }

    fn mark(
        &self,
        owner: Owner,
        project: ProjectKey,
        mut marks: Vec<SyncMark>,
    ) -> StoreFuture<'_, Result<(), StoreError>> {
        // In one order, so that two replicas never wait for each other.
        marks.sort();
        Box::pin(async move {
            in_transaction!(self, Scope::write(&owner), |transaction| {
                for (id, digest) in &marks {
                    let sql = "INSERT INTO synced (owner, project, id, digest) \
                               VALUES ($1, $2, $3, $4) ON CONFLICT (owner, project, id) \
                               DO UPDATE SET digest = excluded.digest";
                    let row = values![&owner, project.as_str(), id.as_str(), digest.as_slice()];
                    transaction.execute(sql, row).await?;
                }
                Ok::<_, TransactionFailure>(())
            })
        })
    }
}
