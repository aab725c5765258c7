//! The port `MemorySearch`, on the threads of the store.
//!
//! Caches live as long as the store and are shared by all searches.

use super::nearest::{VectorQuery, by_vector};
use super::pending;
use super::scan::QuantizedVector;
use super::text::by_text;
use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::{
    MemoryAccess, MemoryFilter, MemoryId, MemorySearch, TextHit, Unembedded, VectorHit,
};
use crate::sqlite::store::SqliteStore;
use crate::time::Time;
use std::sync::Arc;
use std::time::Duration;

impl MemorySearch for SqliteStore {
    fn by_text(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        query: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TextHit>, StoreError>> {
        let frequent = Arc::clone(self.frequent());
        Box::pin(self.read(move |connection| {
            Ok(by_text(connection, &frequent, &access, &filter, &query, limit)?)
        }))
    }

    fn by_vector(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        model: String,
        vector: Vec<f32>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VectorHit>, StoreError>> {
        let vectors = Arc::clone(self.vectors());
        let query = VectorQuery { model, vector, limit };
        Box::pin(
            self.read(move |connection| {
                Ok(by_vector(connection, &vectors, &access, &filter, &query)?)
            }),
        )
    }

    fn unembedded(
        &self,
        model: String,
        now: Time,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Unembedded>, StoreError>> {
        Box::pin(async move {
            let asked = model.clone();
            let noted = self.read(move |connection| {
                let noted = pending::is_noted(connection, &asked, now)?;
                Ok::<_, StoreError>(noted.then(|| pending::pending(connection, &asked, limit)))
            });
            if let Some(found) = noted.await? {
                return Ok(found?);
            }
            self.write(move |connection| {
                pending::note(connection, &model, now)?;
                Ok(pending::pending(connection, &model, limit)?)
            })
            .await
        })
    }

    fn put_vectors(
        &self,
        model: String,
        vectors: Vec<(MemoryId, u32, Vec<f32>)>,
    ) -> StoreFuture<'_, Result<(), StoreError>> {
        let small: Vec<(MemoryId, u32, QuantizedVector)> = vectors
            .into_iter()
            .filter_map(|(id, version, vector)| Some((id, version, QuantizedVector::new(&vector)?)))
            .collect();
        Box::pin(self.write(move |connection| {
            for (id, version, vector) in &small {
                pending::put(connection, &model, id, *version, vector)?;
            }
            Ok(())
        }))
    }

    fn embedded(&self, model: String) -> StoreFuture<'_, Result<(u64, u64), StoreError>> {
        Box::pin(self.read(move |connection| Ok(pending::count(connection, &model)?)))
    }

    fn forget_models(&self, unused_since: Time) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let any = move |connection: &_| Ok(pending::any_unused(connection, unused_since)?);
            let forget = move |connection: &_| Ok(pending::forget_some(connection, unused_since)?);
            while self.read::<_, StoreError, _>(any).await? {
                self.write::<_, StoreError, _>(forget).await?;
            }
            Ok(())
        })
    }

    fn release_idle(&self, idle: Duration) {
        self.vectors().release_idle(idle);
        self.frequent().release_idle(idle);
    }
}
