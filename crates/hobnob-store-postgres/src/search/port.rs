//! The port `MemorySearch`: each method is one transaction.
//!
//! The caches live as long as the store, and all searches share them.

use super::closeness::closeness;
use super::nearest::{VectorQuery, by_vector};
use super::pending;
use super::text::by_text;
use crate::error::TransactionFailure;
use crate::memories::by_ids;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use hobnob_store::memory::{
    Closeness, Memory, MemoryAccess, MemoryFilter, MemoryId, MemorySearch, NewVector,
    QuestionVectors, TextHit, Unembedded, VectorHit, WantedWords,
};
use hobnob_store::search::QuantizedVector;
use hobnob_store::search::packed;
use hobnob_store::{StoreError, StoreFuture, Time};
use std::time::Duration;

impl MemorySearch for PostgresStore {
    fn by_text(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        query: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TextHit>, StoreError>> {
        Box::pin(async move {
            let wanted = (&access, &filter);
            in_transaction!(self, Scope::read(&access.owner), |transaction| Ok::<
                _,
                TransactionFailure,
            >(
                by_text(&transaction, self.caches(), wanted, &query, limit).await?
            ))
        })
    }

    fn by_vector(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        model: String,
        vector: Vec<f32>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VectorHit>, StoreError>> {
        let query = VectorQuery { model, vector, limit };
        Box::pin(async move {
            let wanted = (&access, &filter);
            in_transaction!(self, Scope::read(&access.owner), |transaction| Ok::<
                _,
                TransactionFailure,
            >(
                by_vector(&transaction, self.caches(), wanted, &query).await?
            ))
        })
    }

    fn by_ids(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Memory>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&access.owner), |transaction| Ok::<
                _,
                TransactionFailure,
            >(
                by_ids(&transaction, (&access, &filter), &ids).await?
            ))
        })
    }

    fn closeness(
        &self,
        access: MemoryAccess,
        model: String,
        question: QuestionVectors,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Closeness>, StoreError>> {
        Box::pin(async move {
            let question = (model.as_str(), &question);
            in_transaction!(self, Scope::read(&access.owner), |transaction| Ok::<
                _,
                TransactionFailure,
            >(
                closeness(&transaction, self.caches(), &access, question, &ids).await?
            ))
        })
    }

    fn unembedded(
        &self,
        model: String,
        words: WantedWords,
        now: Time,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Unembedded>, StoreError>> {
        Box::pin(async move {
            let noted: Result<Option<Vec<Unembedded>>, StoreError> =
                in_transaction!(self, Scope::read_all(), |transaction| {
                    match pending::is_noted(&transaction, &model, words, now).await? {
                        true => Ok(Some(pending::pending(&transaction, &model, limit).await?)),
                        false => Ok::<_, TransactionFailure>(None),
                    }
                });
            if let Some(found) = noted? {
                return Ok(found);
            }
            let scope = Scope::write_all().locked("models", "");
            in_transaction!(self, scope, |transaction| {
                pending::note(&transaction, &model, words, now).await?;
                Ok::<_, TransactionFailure>(pending::pending(&transaction, &model, limit).await?)
            })
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
        Box::pin(async move {
            // One at a time, so that vectors become visible in the order of their numbers.
            let scope = Scope::write_all().locked("vectors", "");
            in_transaction!(self, scope, |transaction| {
                for (id, version, vector, words) in &small {
                    let (memory, words) = ((id, *version), words.as_deref());
                    pending::put(&transaction, &model, memory, vector, words).await?;
                }
                Ok::<_, TransactionFailure>(())
            })
        })
    }

    fn embedded(&self, model: String) -> StoreFuture<'_, Result<(u64, u64), StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read_all(), |transaction| Ok::<_, TransactionFailure>(
                pending::count(&transaction, &model).await?
            ))
        })
    }

    fn embedded_within(
        &self,
        access: MemoryAccess,
        model: String,
    ) -> StoreFuture<'_, Result<(u64, u64), StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&access.owner), |transaction| Ok::<
                _,
                TransactionFailure,
            >(
                pending::count_within(&transaction, &access, &model).await?
            ))
        })
    }

    fn forget_models(&self, unused_since: Time) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            loop {
                let any: Result<bool, StoreError> =
                    in_transaction!(self, Scope::read_all(), |transaction| Ok::<
                        _,
                        TransactionFailure,
                    >(
                        pending::any_unused(&transaction, unused_since).await?
                    ));
                if !any? {
                    return Ok(());
                }
                let scope = Scope::write_all().locked("models", "");
                let forgotten: Result<(), StoreError> =
                    in_transaction!(self, scope, |transaction| Ok::<_, TransactionFailure>(
                        pending::forget_some(&transaction, unused_since).await?
                    ));
                forgotten?;
            }
        })
    }

    fn release_idle(&self, idle: Duration) {
        self.release_idle_memory(idle);
    }
}
