//! Makes the vectors that memories lack, a few at a time, newest first. What a model refuses is
//! left aside for a while, so that it holds up nothing else.

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

/// Memories that are embedded at once. Few, so that what was captured last is soon found.
const AT_ONCE: usize = 16;
/// How long a text that was refused is left aside.
const RETRY_REFUSED_AFTER: Duration = Duration::from_secs(3_600);
/// Texts that may be refused; with more it is not the texts.
const MAX_REFUSED: usize = 256;
/// How long vectors are kept of a model that no process uses any more. Another process may use
/// another model, and would make them all again.
const RETENTION: Duration = Duration::from_secs(24 * 3_600);

/// Why there are no more vectors for now.
#[derive(Debug, thiserror::Error)]
pub enum VectorFailure {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model failed, and not because of a text.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Someone wants it to end.
    #[error("stopped")]
    Stopped,
}

/// Texts that were refused, at the version they have.
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

    /// Forgets all of them after a while: what refused them may have been mended.
    fn renew(&mut self) {
        if self.until.is_some_and(|until| until <= Instant::now()) {
            *self = Self::default();
        }
    }
}

/// Makes all vectors that are missing, and removes those that nobody wants any more.
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
        let (now, limit) = (Time::now(), AT_ONCE + refused.texts.len());
        let mut missing = search.unembedded(model.clone(), words, now, limit).await?;
        missing.retain(|it| !refused.texts.contains(&(it.id.clone(), it.version)));
        missing.truncate(AT_ONCE);
        if missing.is_empty() {
            search.forget_models(now.minus(RETENTION)).await?;
            return Ok(());
        }
        make(search, embedder, missing, refused, stop).await?;
    }
}

/// Makes the vectors that memories lack, once, for programs without background work.
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
    // One of them may be to blame.
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

/// The vectors of words that say something, once for each place.
pub(super) fn telling_words(words: Vec<WordVector>) -> Vec<Vec<f32>> {
    let telling = words.into_iter().filter(|it| telling_term(&it.word).is_some());
    telling.map(|it| it.vector.into_vec()).collect()
}

/// Whether other texts may fare better: it was not the key, the address or the network.
fn is_about_texts(error: &EmbedError) -> bool {
    match error {
        EmbedError::Refused { status, .. } => matches!(status, 400 | 413 | 422),
        EmbedError::Unusable(_) => true,
        _ => false,
    }
}
