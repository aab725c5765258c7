//! Keys in the table `keys`, behind the port [`KeyRepository`]; the first replica to ask for a key
//! decides its value.

use crate::columns::get;
use crate::error::TransactionFailure;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use crate::value::values;
use hobnob_store::keys::KeyRepository;
use hobnob_store::{StoreError, StoreFuture};

impl KeyRepository for PostgresStore {
    fn get_or_create(
        &self,
        name: &'static str,
        fresh: Vec<u8>,
    ) -> StoreFuture<'_, Result<Vec<u8>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write_all(), |transaction| {
                let find = "SELECT bytes FROM keys WHERE name = $1";
                let found = transaction.first(find, values![name], |row| get::<Vec<u8>>(row, 0));
                if let Some(bytes) = found.await? {
                    return Ok::<_, TransactionFailure>(bytes);
                }
                // Waits for a replica that adds the same key right now, and then finds its value.
                let sql = "INSERT INTO keys (name, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING";
                transaction.execute(sql, values![name, fresh.as_slice()]).await?;
                Ok(transaction.one(find, values![name], |row| get(row, 0)).await?)
            })
        })
    }
}
