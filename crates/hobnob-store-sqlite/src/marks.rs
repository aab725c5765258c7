//! Sync marks, the state last exchanged with a project's remote, in the table `synced`.
//!
//! Called through the port [`SyncMarkRepository`].

use super::store::SqliteStore;
use hobnob_store::memory::{MemoryId, SyncMark, SyncMarkRepository};
use hobnob_store::{Owner, ProjectKey, StoreError, StoreFuture};

impl SyncMarkRepository for SqliteStore {
    fn marks(
        &self,
        owner: Owner,
        project: ProjectKey,
    ) -> StoreFuture<'_, Result<Vec<SyncMark>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = "SELECT id, digest FROM synced WHERE owner = ?1 AND project = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map((owner.as_str(), project.as_str()), |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
            })?;
            let rows: Vec<(String, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
            let known = |(id, digest): (String, Vec<u8>)| Some((MemoryId::parse(&id)?, digest));
            Ok(rows.into_iter().filter_map(known).collect())
        }))
    }

    fn mark(
        &self,
        owner: Owner,
        project: ProjectKey,
        marks: Vec<SyncMark>,
    ) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(self.write(move |connection| {
            let sql = "INSERT OR REPLACE INTO synced (owner, project, id, digest) \
                       VALUES (?1, ?2, ?3, ?4)";
            let mut statement = connection.prepare_cached(sql)?;
            for (id, digest) in marks {
                statement.execute((owner.as_str(), project.as_str(), id.as_str(), digest))?;
            }
            Ok(())
        }))
    }
}
