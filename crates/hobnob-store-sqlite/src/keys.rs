//! Keys in the table `keys`, behind the port [`KeyRepository`]; the first process to ask for a key
//! decides its value.

use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::keys::KeyRepository;
use hobnob_store::{StoreError, StoreFuture};
use rusqlite::{Connection, OptionalExtension as _};

impl KeyRepository for SqliteStore {
    fn get_or_create(
        &self,
        name: &'static str,
        fresh: Vec<u8>,
    ) -> StoreFuture<'_, Result<Vec<u8>, StoreError>> {
        Box::pin(async move {
            // The key nearly always exists, and then starting up need not wait for the writer.
            if let Some(bytes) =
                self.read(move |connection| Ok::<_, WorkError>(find(connection, name)?)).await?
            {
                return Ok(bytes);
            }
            self.write(move |connection| {
                if let Some(bytes) = find(connection, name)? {
                    return Ok(bytes);
                }
                let sql = "INSERT INTO keys (name, bytes) VALUES (?1, ?2)";
                connection.execute(sql, (name, &fresh))?;
                Ok(fresh)
            })
            .await
        })
    }
}

fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    let sql = "SELECT bytes FROM keys WHERE name = ?1";
    connection.query_row(sql, [name], |row| row.get(0)).optional()
}
