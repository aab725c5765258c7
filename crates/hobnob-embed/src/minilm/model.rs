//! The loaded model: texts in, vectors out, computed on the calling thread.
//!
//! `MiniLm` calls it. Files that differ from the installed ones by a byte are not loaded.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::bert::{Bert, DIMENSIONS, LONGEST_SEQUENCE, PIECES};
use super::tensors::Tensors;
use super::tokenizer::{PieceId, Tokenizer};
use crate::checksum::HashingReader;
use crate::embedder::EmbedError;
use crate::package::{PinnedFile, VOCABULARY, WEIGHTS};
use crate::vector::{BadVector, Vector};

/// Pieces of one sequence; the start and the end are tokens too.
const WINDOW: usize = LONGEST_SEQUENCE - 2;

/// Sequences that are made of a long text. What comes after them has no part in its vector.
const WINDOWS: usize = 4;

/// Tokens after which a pass takes no further text. The matrices are read from memory once for a
/// pass, so short texts share one.
const PASS: usize = 512;

/// The tokenizer's vocabulary and the weights of the network.
pub(super) struct MiniLmModel {
    tokenizer: Tokenizer,
    bert: Bert,
}

impl MiniLmModel {
    /// Reads the files of a folder, which have to be exactly those that were installed.
    pub(super) fn load(folder: &Path) -> Result<Self, EmbedError> {
        let tokenizer = read_pinned(folder, &VOCABULARY, |file| {
            let mut text = String::new();
            file.read_to_string(&mut text).map_err(|error| error.to_string())?;
            let tokenizer = Tokenizer::read(&text).filter(|it| it.len() == PIECES);
            tokenizer.ok_or_else(|| "pieces are missing".into())
        })?;
        let bert = read_pinned(folder, &WEIGHTS, |file| {
            let tensors = Tensors::read(file, WEIGHTS.bytes as usize);
            tensors.and_then(Bert::take).map_err(|error| error.to_string())
        })?;
        Ok(Self { tokenizer, bert })
    }

    /// One vector per text, unless nobody waits for them any more.
    pub(super) fn embed(
        &self,
        texts: &[String],
        abandoned: impl Fn() -> bool,
    ) -> Result<Vec<Vector>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut texts = texts.iter().peekable();
        while texts.peek().is_some() {
            let mut sequences = Vec::new();
            let mut shares = Vec::new();
            let mut tokens = 0;
            while let Some(text) = texts.next_if(|_| tokens < PASS) {
                if abandoned() {
                    return Err(EmbedError::Stopped);
                }
                let of_text = self.sequences(text);
                tokens += of_text.iter().map(Vec::len).sum::<usize>();
                shares.push(of_text.len());
                sequences.extend(of_text);
            }
            let mut means = self.bert.encode(&sequences).into_iter();
            for share in shares {
                let vector = join(means.by_ref().take(share));
                vectors.push(vector.map_err(|bad| EmbedError::Unusable(bad.to_string().into()))?);
            }
        }
        Ok(vectors)
    }

    /// The pieces of a text with start and end, in as many sequences of about the same length as
    /// it takes.
    fn sequences(&self, text: &str) -> Vec<Vec<PieceId>> {
        let pieces = self.tokenizer.encode(text, WINDOWS * WINDOW);
        let count = pieces.len().div_ceil(WINDOW).max(1);
        let length = pieces.len().div_ceil(count);
        let part = |at: usize| &pieces[at * length..pieces.len().min((at + 1) * length)];
        let sequence = |at| [&[self.tokenizer.start], part(at), &[self.tokenizer.end]].concat();
        (0..count).map(sequence).collect()
    }
}

/// The direction between those of a text's sequences.
fn join(means: impl Iterator<Item = Vec<f32>>) -> Result<Vector, BadVector> {
    let mut sums = vec![0.0; DIMENSIONS];
    for mean in means {
        let direction = Vector::from_raw(mean)?;
        sums.iter_mut().zip(direction.as_slice()).for_each(|(sum, value)| *sum += value);
    }
    Vector::from_raw(sums)
}

/// Reads a file to its end and makes sure that it is the one that was installed.
fn read_pinned<T>(
    folder: &Path,
    pinned: &PinnedFile,
    read: impl FnOnce(&mut HashingReader<File>) -> Result<T, String>,
) -> Result<T, EmbedError> {
    let path = folder.join(pinned.name);
    let file = File::open(&path);
    let file = file.map_err(|source| EmbedError::Unreadable { path: path.clone(), source })?;
    let mut file = HashingReader::new(file);
    let damaged = |reason: String| EmbedError::Damaged { path, reason: reason.into() };
    let content = match read(&mut file) {
        Ok(content) => content,
        Err(reason) => return Err(damaged(reason)),
    };
    match io::copy(&mut file, &mut io::sink()) {
        Err(error) => Err(damaged(error.to_string())),
        Ok(_) if file.finish() != pinned.checksum => Err(damaged("its checksum is wrong".into())),
        Ok(_) => Ok(content),
    }
}
