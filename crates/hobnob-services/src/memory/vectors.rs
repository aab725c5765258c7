//! Makes missing vectors in small batches, newest memories first. A text that the model refuses is
//! put aside for a while, so that it does not block others.

use super::recall::{Recall, telling_term};
use hobnob_embed::{EmbedError, EmbeddedText, Embedder, WordVector};
use hobnob_store::memory::{MemoryId, MemorySearch, NewVector, Unembedded, WantedWords};
use hobnob_store::{StoreError, Time};
use std::collections::HashSet;
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

/// The refused texts, with the versions that were refused.
#[derive(Debug, Default)]
pub(super) struct RefusedTexts {
    texts: HashSet<(MemoryId, u32)>,
    until: Option<Instant>,
}

impl RefusedTexts {
    fn put(&mut self, memory: &Unembedded) {
        self.until.get_or_insert_with(|| Instant::now() + RETRY_REFUSED_AFTER);
        self.texts.insert((memory.id.clone(), memory.version));
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
    let Some(embedder) = recall.embedder.as_deref() else { return Ok(()) };
    let search = recall.search.as_ref();
    let model = embedder.model().to_string();
    let words = if embedder.has_words() { WantedWords::Yes } else { WantedWords::No };
    refused.renew();
    loop {
        let (now, limit) = (Time::now(), BATCH_SIZE + refused.texts.len());
        let mut missing = search.unembedded(model.clone(), words, now, limit).await?;
        missing.retain(|it| !refused.texts.contains(&(it.id.clone(), it.version)));
        missing.truncate(BATCH_SIZE);
        if missing.is_empty() {
            search.forget_models(now.minus(RETENTION)).await?;
            return Ok(());
        }
        make(search, embedder, missing, refused, stop).await?;
    }
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
                if MAX_REFUSED <= refused.texts.len() {
                    return Err(error.into());
                }
                tracing::warn!(memory = %memory.id, %error, "a memory stays without a vector");
                refused.put(&memory);
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
