//! Random bytes that all processes on this file share.

use super::store::SqliteStore;
use crate::error::StoreError;
use rusqlite::OptionalExtension as _;

impl SqliteStore {
    /// The key of this name; `fresh` becomes it if there is none yet.
    pub async fn key(&self, name: &'static str, fresh: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        self.write(move |connection| {
            let found = connection
                .query_row("SELECT bytes FROM keys WHERE name = ?1", [name], |row| row.get(0))
                .optional()?;
            if let Some(bytes) = found {
                return Ok(bytes);
            }
            let sql = "INSERT INTO keys (name, bytes) VALUES (?1, ?2)";
            connection.execute(sql, (name, &fresh))?;
            Ok(fresh)
        })
        .await
    }
}
