//! The loaded model: texts in, vectors out, computed on the calling thread.
//!
//! `MultilingualEncoder` calls it. Files that differ from the installed ones by a byte are not
//! loaded.

use std::fs::File;
use std::io::{Cursor, Read as _};
use std::path::Path;

use super::embeddings::VOCABULARY_SIZE;
use super::network::Network;
use super::numpy_arrays::NumpyArchive;
use super::tokenizer::SentencePiece;
use crate::checksum::HashingReader;
use crate::embedder::EmbedError;
use crate::package::PinnedFile;
use crate::vector::Vector;

/// Pieces of a text that are used; a few pages. The sum of more would hardly change.
const MAX_PIECES: usize = 1_022;

/// After this many tokens a batch takes no further text. The weights are read from memory once per
/// batch, so short texts share one.
const BATCH_TOKENS: usize = 384;

/// The tokenizer and the weights of the network.
pub(super) struct MultilingualModel {
    tokenizer: SentencePiece,
    network: Network,
}

impl MultilingualModel {
    /// Loads the weights and the vocabulary of a folder, which must be identical to the installed
    /// ones.
    pub(super) fn load(
        folder: &Path,
        [weights, vocabulary]: [&PinnedFile; 2],
    ) -> Result<Self, EmbedError> {
        let tokenizer = read_pinned(folder, vocabulary, |bytes| {
            let tokenizer = SentencePiece::read(bytes).map_err(|error| error.to_string())?;
            // The table of embeddings has some spare rows at its end.
            match tokenizer.len() {
                count if VOCABULARY_SIZE < count => Err(format!("it has {count} pieces")),
                _ => Ok(tokenizer),
            }
        })?;
        let network = read_pinned(folder, weights, |bytes| {
            let archive = NumpyArchive::open(Cursor::new(bytes));
            let network = archive.and_then(|mut archive| Network::read(&mut archive));
            network.map_err(|error| error.to_string())
        })?;
        Ok(Self { tokenizer, network })
    }

    /// Embeds each text; stops early once `abandoned` returns true.
    pub(super) fn embed(
        &self,
        texts: &[String],
        abandoned: impl Fn() -> bool,
    ) -> Result<Vec<Vector>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut texts = texts.iter().peekable();
        while texts.peek().is_some() {
            if abandoned() {
                return Err(EmbedError::Stopped);
            }
            let mut batch = Vec::new();
            let mut tokens = 0;
            while let Some(text) = texts.next_if(|_| tokens < BATCH_TOKENS) {
                let pieces = self.tokenizer.encode(text, MAX_PIECES);
                tokens += pieces.len();
                batch.push(pieces);
            }
            for vector in self.network.encode(&batch) {
                let vector = Vector::from_raw(vector);
                vectors.push(vector.map_err(|bad| EmbedError::Unusable(bad.to_string().into()))?);
            }
        }
        Ok(vectors)
    }
}

/// Reads a file, verifies that it is the pinned one, and parses it.
fn read_pinned<T>(
    folder: &Path,
    pinned: &PinnedFile,
    parse: impl FnOnce(&[u8]) -> Result<T, String>,
) -> Result<T, EmbedError> {
    let path = folder.join(pinned.name);
    let unreadable = |source| EmbedError::Unreadable { path: path.clone(), source };
    let file = File::open(&path).map_err(unreadable)?;
    let mut reader = HashingReader::new(file);
    let mut bytes = Vec::new();
    reader.by_ref().take(pinned.bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let damaged =
        |reason: String| EmbedError::Damaged { path: path.clone(), reason: reason.into() };
    if reader.finish() != pinned.checksum {
        return Err(damaged("its checksum is wrong".into()));
    }
    parse(&bytes).map_err(damaged)
}
