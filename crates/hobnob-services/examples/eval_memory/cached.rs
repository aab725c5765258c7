//! The model, with a file of what it has embedded before, so that a second run takes seconds.

use hobnob_embed::{EmbedError, EmbedFuture, Embedder, ModelId, Vector};
use ring::digest::{SHA256, digest};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

/// A text's name in the file.
type Key = [u8; 32];

pub(crate) struct Cached {
    model: Arc<dyn Embedder>,
    file: PathBuf,
    known: Mutex<HashMap<Key, Vec<f32>>>,
}

impl Cached {
    pub(crate) fn open(model: Arc<dyn Embedder>, file: PathBuf) -> io::Result<Self> {
        let bytes = match fs::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let length = 4 * model.dimensions().unwrap_or_default();
        let entries = bytes.chunks_exact(32 + length).map(|entry| {
            let (key, parts) = entry.split_at(32);
            let (parts, _) = parts.as_chunks();
            let vector = parts.iter().map(|part| f32::from_le_bytes(*part)).collect();
            (key.try_into().unwrap_or_default(), vector)
        });
        Ok(Self { model, file, known: Mutex::new(entries.collect()) })
    }

    pub(crate) fn save(&self) -> io::Result<()> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        for (key, vector) in known.iter() {
            bytes.extend_from_slice(key);
            vector.iter().for_each(|part| bytes.extend_from_slice(&part.to_le_bytes()));
        }
        fs::write(&self.file, bytes)
    }

    fn key(&self, text: &str) -> Key {
        let named = format!("{}\0{text}", self.model.model());
        digest(&SHA256, named.as_bytes()).as_ref().try_into().unwrap_or_default()
    }

    async fn one(&self, text: String) -> Result<Vector, EmbedError> {
        let key = self.key(&text);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(vector) = known.and_then(|parts| Vector::from_raw(parts).ok()) {
            return Ok(vector);
        }
        let made = self.model.embed(vec![text]).await?;
        let none = || EmbedError::Unusable("no vector".into());
        let vector = made.into_iter().next().ok_or_else(none)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, vector.as_slice().to_vec());
        Ok(vector)
    }
}

impl Embedder for Cached {
    fn model(&self) -> &ModelId {
        self.model.model()
    }

    fn dimensions(&self) -> Option<usize> {
        self.model.dimensions()
    }

    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for text in texts {
                vectors.push(self.one(text).await?);
            }
            Ok(vectors)
        })
    }
}
