//! The port `MemorySearch`, implemented on the threads of the store.
//!
//! The caches live as long as the store, and all searches share them.

use super::closeness::closeness;
use super::nearest::{VectorQuery, by_vector};
use super::pending;
use super::text::by_text;
use crate::convert::WorkError;
use crate::memories::by_ids;
use crate::store::SqliteStore;
use hobnob_store::memory::{
    Closeness, Memory, MemoryAccess, MemoryFilter, MemoryId, MemorySearch, NewVector,
    QuestionVectors, TextHit, Unembedded, VectorHit, WantedWords,
};
use hobnob_store::search::QuantizedVector;
use hobnob_store::search::packed;
use hobnob_store::{StoreError, StoreFuture, Time};
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
        let caches = Arc::clone(self.caches());
        Box::pin(self.read(move |connection| {
            Ok(by_text(connection, &caches, (&access, &filter), &query, limit)?)
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
        let caches = Arc::clone(self.caches());
        let query = VectorQuery { model, vector, limit };
        Box::pin(self.read(move |connection| {
            Ok(by_vector(connection, &caches, (&access, &filter), &query)?)
        }))
    }

    fn by_ids(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Memory>, StoreError>> {
        Box::pin(self.read(move |connection| Ok(by_ids(connection, (&access, &filter), &ids)?)))
    }

    fn closeness(
        &self,
        access: MemoryAccess,
        model: String,
        question: QuestionVectors,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Closeness>, StoreError>> {
        let caches = Arc::clone(self.caches());
        Box::pin(self.read(move |connection| {
            Ok(closeness(connection, &caches, &access, (&model, &question), &ids)?)
        }))
    }

    fn unembedded(
        &self,
        model: String,
        words: WantedWords,
        now: Time,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Unembedded>, StoreError>> {
        Box::pin(async move {
            let asked = model.clone();
            let noted = self.read(move |connection| {
                let noted = pending::is_noted(connection, &asked, words, now)?;
                let found = noted.then(|| pending::pending(connection, &asked, limit));
                Ok::<_, WorkError>(found.transpose()?)
            });
            if let Some(found) = noted.await? {
                return Ok(found);
            }
            self.write(move |connection| {
                pending::note(connection, &model, words, now)?;
                Ok(pending::pending(connection, &model, limit)?)
            })
            .await
        })
    }

    fn put_vectors(
        &self,
        model: String,
        vectors: Vec<NewVector>,
    ) -> StoreFuture<'_, Result<(), StoreError>> {
        let small = vectors.into_iter().filter_map(|new| {
            let vector = QuantizedVector::new(&new.vector)?;
            Some((new.id, new.version, vector, new.words.as_deref().map(packed)))
        });
        let small: Vec<(MemoryId, u32, QuantizedVector, Option<Vec<u8>>)> = small.collect();
        Box::pin(self.write(move |connection| {
            for (id, version, vector, words) in &small {
                pending::put(connection, &model, (id, *version), vector, words.as_deref())?;
            }
            Ok(())
        }))
    }

    fn embedded(&self, model: String) -> StoreFuture<'_, Result<(u64, u64), StoreError>> {
        Box::pin(self.read(move |connection| Ok(pending::count(connection, &model)?)))
    }

    fn embedded_within(
        &self,
        access: MemoryAccess,
        model: String,
    ) -> StoreFuture<'_, Result<(u64, u64), StoreError>> {
        Box::pin(
            self.read(move |connection| Ok(pending::count_within(connection, &access, &model)?)),
        )
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
        self.release_idle_memory(idle);
    }
}
