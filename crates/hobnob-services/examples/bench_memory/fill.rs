//! Fills a store with many memories, each with its vector.

use crate::meaning::KnownVectors;
use crate::options::Options;
use crate::text::item;
use hobnob_embed::{EmbeddedText, Embedder as _};
use hobnob_store::memory::{
    MemoryRepository as _, MemorySearch as _, Namespace, NewMemory, NewVector, Tag, Unembedded,
    WantedWords, WritableScope,
};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::error::Error;

/// How many memories are written at once.
const BATCH_SIZE: usize = 1_000;
/// When the first memory was captured, and the interval to the next, in milliseconds.
const FIRST_CAPTURE_MILLIS: i64 = 1_700_000_000_000;
const CAPTURE_INTERVAL_MILLIS: i64 = 60_000;

/// Creates a store with this many memories, each with a vector.
pub(crate) async fn fill(options: &Options) -> Result<(), Box<dyn Error>> {
    let store = SqliteStore::open(&options.file)?;
    let numbers: Vec<usize> = (0..options.memories).collect();
    for numbers in numbers.chunks(BATCH_SIZE) {
        let new = numbers.iter().map(|number| new_memory(*number)).collect::<Result<_, _>>()?;
        store.capture_all(new).await?;
    }
    let model = KnownVectors::new(&options.model, &[])?;
    let name = model.model().to_string();
    loop {
        let missing =
            store.unembedded(name.clone(), WantedWords::Yes, Time::now(), BATCH_SIZE).await?;
        if missing.is_empty() {
            return Ok(());
        }
        let texts = missing.iter().map(|memory| memory.text.clone()).collect();
        let texts = model.embed_with_words(texts).await?;
        let named = missing.into_iter().zip(texts);
        let vectors = named.map(|(it, text)| new_vector(it, &text));
        store.put_vectors(name.clone(), vectors.collect()).await?;
    }
}

fn new_vector(memory: Unembedded, text: &EmbeddedText) -> NewVector {
    NewVector {
        words: Some(text.words.iter().map(|word| word.vector.to_vec()).collect()),
        ..NewVector::of_text(memory.id, memory.version, text.vector.as_slice().to_vec())
    }
}

/// A day after this many memories were captured.
pub(crate) fn now(memories: usize) -> Time {
    captured(memories + 1_440)
}

fn captured(number: usize) -> Time {
    Time::from_millis(
        FIRST_CAPTURE_MILLIS + CAPTURE_INTERVAL_MILLIS * i64::try_from(number).unwrap_or_default(),
    )
}

fn new_memory(number: usize) -> Result<NewMemory, Box<dyn Error>> {
    let item = item(number);
    Ok(NewMemory {
        owner: Owner::default(),
        scope: WritableScope::user(),
        namespace: Namespace::parse(item.namespace)?,
        content: item.content,
        tags: item.tags.map(Tag::parse).into_iter().collect::<Result<_, _>>()?,
        source: item.source,
        created: captured(number),
        expires: None,
        id: None,
        arrived_micros: None,
    })
}
