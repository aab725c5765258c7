//! Makes missing vectors in small batches, those of the main model and of the newest memories first.
//! A text that a model refuses is put aside for a while, so that it does not block others.

use super::recall::{Recall, telling_term};
use hobnob_embed::{EmbedError, EmbeddedText, Embedder, ModelId, WordVector};
use hobnob_store::memory::{MemoryId, MemorySearch, NewVector, Unembedded, WantedWords};
use hobnob_store::{StoreError, Time};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// Memories per batch. Small, so that the newest memory can soon be found.
const BATCH_SIZE: usize = 16;
/// How long a refused text is put aside.
const RETRY_REFUSED_AFTER: Duration = Duration::from_secs(3_600);
/// Most refused texts; if there are more, the fault is not in the texts.
const MAX_REFUSED: usize = 256;
/// How long the vectors of an unused model are kept. Another process may still use that model, and
/// would have to make all of them again.
const RETENTION: Duration = Duration::from_secs(24 * 3_600);

/// Why making vectors stopped early.
#[derive(Debug, thiserror::Error)]
pub enum VectorFailure {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model failed, and not because of a text.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The caller cancelled it.
    #[error("stopped")]
    Stopped,
}

/// The texts that each model refused, with the versions that were refused.
#[derive(Debug, Default)]
pub(super) struct RefusedTexts {
    texts: HashMap<ModelId, HashSet<(MemoryId, u32)>>,
    until: Option<Instant>,
}

impl RefusedTexts {
    fn put(&mut self, model: &ModelId, memory: &Unembedded) {
        self.until.get_or_insert_with(|| Instant::now() + RETRY_REFUSED_AFTER);
        let texts = self.texts.entry(model.clone()).or_default();
        texts.insert((memory.id.clone(), memory.version));
    }

    fn count(&self, model: &ModelId) -> usize {
        self.texts.get(model).map_or(0, HashSet::len)
    }

    fn has(&self, model: &ModelId, memory: &Unembedded) -> bool {
        let texts = self.texts.get(model);
        texts.is_some_and(|texts| texts.contains(&(memory.id.clone(), memory.version)))
    }

    /// Forgets all refused texts after a while: the cause may have been fixed.
    fn renew(&mut self) {
        if self.until.is_some_and(|until| until <= Instant::now()) {
            *self = Self::default();
        }
    }
}

/// Makes all missing vectors, and removes those of models that are no longer used.
pub(super) async fn make_all(
    recall: &Recall,
    refused: &mut RefusedTexts,
    stop: &CancellationToken,
) -> Result<(), VectorFailure> {
    let search = recall.search.as_ref();
    let mut models: Vec<&dyn Embedder> = recall.models.in_use().map(AsRef::as_ref).collect();
    if models.is_empty() {
        return Ok(());
    }
    refused.renew();
    let mut failed = None;
    while let Some((embedder, missing)) = next_batch(search, &models, refused).await? {
        match make(search, embedder, missing, refused, stop).await {
            Ok(()) => {}
            // The other models go on.
            Err(VectorFailure::Embed(error)) => {
                models.retain(|model| model.model() != embedder.model());
                failed = failed.or(Some(error));
            }
            Err(failure) => return Err(failure),
        }
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    Ok(search.forget_models(Time::now().minus(RETENTION)).await?)
}

/// The next memories without a vector, and the first model that lacks them. Asked anew for each
/// batch, so that what was just captured does not wait for the second model.
async fn next_batch<'m>(
    search: &dyn MemorySearch,
    models: &[&'m dyn Embedder],
    refused: &RefusedTexts,
) -> Result<Option<(&'m dyn Embedder, Vec<Unembedded>)>, StoreError> {
    for embedder in models {
        let model = embedder.model();
        let words = if embedder.has_words() { WantedWords::Yes } else { WantedWords::No };
        let limit = BATCH_SIZE + refused.count(model);
        let mut missing = search.unembedded(model.to_string(), words, Time::now(), limit).await?;
        missing.retain(|memory| !refused.has(model, memory));
        missing.truncate(BATCH_SIZE);
        if !missing.is_empty() {
            return Ok(Some((*embedder, missing)));
        }
    }
    Ok(None)
}

/// Makes the missing vectors once, for programs without a background task.
pub async fn make_vectors(recall: &Recall) -> Result<(), VectorFailure> {
    make_all(recall, &mut RefusedTexts::default(), &CancellationToken::new()).await
}

async fn make(
    search: &dyn MemorySearch,
    embedder: &dyn Embedder,
    missing: Vec<Unembedded>,
    refused: &mut RefusedTexts,
    stop: &CancellationToken,
) -> Result<(), VectorFailure> {
    let texts = missing.iter().map(|it| it.text.clone()).collect();
    match embed(embedder, texts, stop).await {
        Ok(vectors) => return put(search, embedder, missing.into_iter().zip(vectors)).await,
        Err(VectorFailure::Embed(error)) if is_about_texts(&error) => {}
        Err(failure) => return Err(failure),
    }
    // Find out which text of the batch is refused.
    for memory in missing {
        match embed(embedder, vec![memory.text.clone()], stop).await {
            Ok(vectors) => put(search, embedder, [memory].into_iter().zip(vectors)).await?,
            Err(VectorFailure::Embed(error)) if is_about_texts(&error) => {
                if MAX_REFUSED <= refused.count(embedder.model()) {
                    return Err(error.into());
                }
                tracing::warn!(memory = %memory.id, %error, "a memory stays without a vector");
                refused.put(embedder.model(), &memory);
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

async fn embed(
    embedder: &dyn Embedder,
    texts: Vec<String>,
    stop: &CancellationToken,
) -> Result<Vec<EmbeddedText>, VectorFailure> {
    tokio::select! {
        () = stop.cancelled() => Err(VectorFailure::Stopped),
        embedded = embedder.embed_with_words(texts) => Ok(embedded?),
    }
}

async fn put(
    search: &dyn MemorySearch,
    embedder: &dyn Embedder,
    made: impl Iterator<Item = (Unembedded, EmbeddedText)>,
) -> Result<(), VectorFailure> {
    let has_words = embedder.has_words();
    let vectors = made.map(|(it, text)| NewVector {
        id: it.id,
        version: it.version,
        vector: text.vector.as_slice().into(),
        words: has_words.then(|| telling_words(text.words)),
    });
    Ok(search.put_vectors(embedder.model().to_string(), vectors.collect()).await?)
}

/// The vectors of all words but stop words, one for each occurrence.
pub(super) fn telling_words(words: Vec<WordVector>) -> Vec<Vec<f32>> {
    let telling = words.into_iter().filter(|it| telling_term(&it.word).is_some());
    telling.map(|it| it.vector.into_vec()).collect()
}

/// Whether other texts might succeed: the fault is not in the key, the URL or the network.
fn is_about_texts(error: &EmbedError) -> bool {
    match error {
        EmbedError::Refused { status, .. } => matches!(status, 400 | 413 | 422),
        EmbedError::Unusable(_) => true,
        _ => false,
    }
}
