//! The embedding model with an on-disk cache of embedded texts, so that a second run takes seconds.

use hobnob_embed::{Embedder, MiniLm};
use ring::digest::{SHA256, digest};
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tokio::runtime::Runtime;

/// The key of a text in the cache.
type Key = [u8; 32];

/// Texts embedded per call.
const BATCH_SIZE: usize = 16;

pub(crate) struct Model {
    model: MiniLm,
    file: PathBuf,
    known: HashMap<Key, Vec<f32>>,
    runtime: Runtime,
}

impl Model {
    pub(crate) fn open(folder: &Path, work: &Path) -> Result<Self, Box<dyn Error>> {
        let model = MiniLm::open(folder)?;
        fs::create_dir_all(work)?;
        let file = work.join("tools.bin");
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
        Ok(Self { model, file, known: entries.collect(), runtime: Runtime::new()? })
    }

    /// Unit vectors, in the order of the texts.
    pub(crate) fn embed(
        &mut self,
        texts: impl Iterator<Item = String>,
    ) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
        let texts: Vec<String> = texts.collect();
        let unknown: Vec<String> = texts
            .iter()
            .filter(|text| !self.known.contains_key(&self.key(text)))
            .cloned()
            .collect();
        for batch in unknown.chunks(BATCH_SIZE) {
            let vectors = self.runtime.block_on(self.model.embed(batch.to_vec()))?;
            for (text, vector) in batch.iter().zip(vectors) {
                self.known.insert(self.key(text), vector.as_slice().to_vec());
            }
        }
        let found = texts.iter().map(|text| self.known.get(&self.key(text)).cloned());
        found.collect::<Option<_>>().ok_or_else(|| "the model left a text out".into())
    }

    pub(crate) fn save(&self) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (key, vector) in &self.known {
            bytes.extend_from_slice(key);
            vector.iter().for_each(|part| bytes.extend_from_slice(&part.to_le_bytes()));
        }
        fs::write(&self.file, bytes)
    }

    fn key(&self, text: &str) -> Key {
        let named = format!("{}\0{text}", self.model.model());
        digest(&SHA256, named.as_bytes()).as_ref().try_into().unwrap_or_default()
    }
}
