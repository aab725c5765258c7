//! The port of search, on the threads of the store.

use super::nearest::{Aim, by_vector};
use super::pending;
use super::scan::Small;
use super::text::by_text;
use crate::Work;
use crate::error::StoreError;
use crate::memory::{Filter, MemoryId, Reach, Search, TextHit, Unembedded, VectorHit};
use crate::sqlite::store::SqliteStore;
use crate::time::Time;
use std::sync::Arc;
use std::time::Duration;

impl Search for SqliteStore {
    fn by_text(
        &self,
        reach: Reach,
        filter: Filter,
        query: String,
        most: usize,
    ) -> Work<'_, Result<Vec<TextHit>, StoreError>> {
        let frequent = Arc::clone(self.frequent());
        Box::pin(self.read(move |connection| {
            Ok(by_text(connection, &frequent, &reach, &filter, &query, most)?)
        }))
    }

    fn by_vector(
        &self,
        reach: Reach,
        filter: Filter,
        model: String,
        vector: Vec<f32>,
        most: usize,
    ) -> Work<'_, Result<Vec<VectorHit>, StoreError>> {
        let vectors = Arc::clone(self.vectors());
        let aim = Aim { model, vector, most };
        Box::pin(
            self.read(move |connection| {
                Ok(by_vector(connection, &vectors, &reach, &filter, &aim)?)
            }),
        )
    }

    fn unembedded(
        &self,
        model: String,
        now: Time,
        most: usize,
    ) -> Work<'_, Result<Vec<Unembedded>, StoreError>> {
        Box::pin(async move {
            let asked = model.clone();
            let noted = self.read(move |connection| {
                let noted = pending::is_noted(connection, &asked, now)?;
                Ok::<_, StoreError>(noted.then(|| pending::pending(connection, &asked, most)))
            });
            if let Some(found) = noted.await? {
                return Ok(found?);
            }
            self.write(move |connection| {
                pending::note(connection, &model, now)?;
                Ok(pending::pending(connection, &model, most)?)
            })
            .await
        })
    }

    fn put_vectors(
        &self,
        model: String,
        vectors: Vec<(MemoryId, u32, Vec<f32>)>,
    ) -> Work<'_, Result<(), StoreError>> {
        let small: Vec<(MemoryId, u32, Small)> = vectors
            .into_iter()
            .filter_map(|(id, version, vector)| Some((id, version, Small::new(&vector)?)))
            .collect();
        Box::pin(self.write(move |connection| {
            for (id, version, vector) in &small {
                pending::put(connection, &model, id, *version, vector)?;
            }
            Ok(())
        }))
    }

    fn embedded(&self, model: String) -> Work<'_, Result<(u64, u64), StoreError>> {
        Box::pin(self.read(move |connection| Ok(pending::count(connection, &model)?)))
    }

    fn forget_models(&self, unused_since: Time) -> Work<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let any = move |connection: &_| Ok(pending::any_unused(connection, unused_since)?);
            let forget = move |connection: &_| Ok(pending::forget_some(connection, unused_since)?);
            while self.read::<_, StoreError, _>(any).await? {
                self.write::<_, StoreError, _>(forget).await?;
            }
            Ok(())
        })
    }
}

impl SqliteStore {
    /// Gives the memory back of what was kept for searches and nobody has needed for so long. It
    /// is read again when it is needed.
    pub fn drop_idle(&self, idle: Duration) {
        self.vectors().drop_idle(idle);
        self.frequent().drop_idle(idle);
    }
}
