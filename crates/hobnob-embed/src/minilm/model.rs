//! The loaded model: texts in, vectors out, computed on the calling thread.
//!
//! `MiniLm` calls it. Files that differ from the installed ones by a byte are not loaded.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use super::bert::{Bert, DIMENSIONS, MAX_SEQUENCE, SequenceTokens, VOCABULARY_SIZE};
use super::tensors::Tensors;
use super::tokenizer::{EncodedText, PieceId, Tokenizer};
use crate::checksum::HashingReader;
use crate::embedder::EmbedError;
use crate::package::{LocalModel, PinnedFile};
use crate::vector::{BadVector, EmbeddedText, Vector, WordVector};

/// Maximum pieces per sequence; the start and end tokens take two more places.
const MAX_SEQUENCE_PIECES: usize = MAX_SEQUENCE - 2;

/// Maximum sequences per text; the pieces after them are ignored.
const MAX_SEQUENCES: usize = 4;

/// After this many tokens a batch takes no further text. The weights are read from memory once per
/// batch, so short texts share one.
const BATCH_TOKENS: usize = 512;

/// The tokenizer and the weights of the network.
pub(super) struct MiniLmModel {
    tokenizer: Tokenizer,
    bert: Bert,
}

impl MiniLmModel {
    /// Loads the files of a folder, which must be identical to the installed ones.
    pub(super) fn load(
        model: &LocalModel,
        layers: usize,
        folder: &Path,
    ) -> Result<Self, EmbedError> {
        let incomplete = |file| EmbedError::Incomplete { folder: folder.into(), file };
        let [weights, vocabulary] = model
            .loadable(folder)
            .ok_or_else(|| incomplete(model.missing_file(folder).unwrap_or(model.files[0].name)))?;
        let tokenizer = read_pinned(folder, vocabulary, |file| {
            let mut text = String::new();
            file.read_to_string(&mut text).map_err(|error| error.to_string())?;
            let tokenizer = Tokenizer::read(&text).filter(|it| it.len() == VOCABULARY_SIZE);
            tokenizer.ok_or_else(|| "pieces are missing".into())
        })?;
        let bert = read_pinned(folder, weights, |file| {
            let tensors = Tensors::read(file, weights.bytes as usize);
            tensors
                .and_then(|tensors| Bert::take(tensors, layers))
                .map_err(|error| error.to_string())
        })?;
        Ok(Self { tokenizer, bert })
    }

    /// Embeds each text and its words; stops early once `abandoned` returns true.
    pub(super) fn embed(
        &self,
        texts: &[String],
        abandoned: impl Fn() -> bool,
    ) -> Result<Vec<EmbeddedText>, EmbedError> {
        let mut embedded = Vec::with_capacity(texts.len());
        let mut texts = texts.iter().peekable();
        while texts.peek().is_some() {
            let mut sequences = Vec::new();
            let mut encoded = Vec::new();
            let mut tokens = 0;
            while let Some(text) = texts.next_if(|_| tokens < BATCH_TOKENS) {
                if abandoned() {
                    return Err(EmbedError::Stopped);
                }
                let of_text = self.tokenizer.encode(text, MAX_SEQUENCES * MAX_SEQUENCE_PIECES);
                let split = SequenceSplit::of(of_text.pieces.len());
                let of_text_sequences = self.sequences(&of_text, &split);
                tokens += of_text_sequences.iter().map(Vec::len).sum::<usize>();
                encoded.push((of_text.words, split));
                sequences.extend(of_text_sequences);
            }
            let mut made = self.bert.encode(&sequences).into_iter();
            for (words, split) in encoded {
                let made: Vec<SequenceTokens> = made.by_ref().take(split.count).collect();
                let vector = join(made.iter().map(SequenceTokens::mean));
                let vector = vector.map_err(|bad| EmbedError::Unusable(bad.to_string().into()))?;
                let word = |(word, pieces)| WordVector { word, vector: split.sum(&made, pieces) };
                embedded
                    .push(EmbeddedText { vector, words: words.into_iter().map(word).collect() });
            }
        }
        Ok(embedded)
    }

    /// Splits the pieces of a text into sequences with start and end tokens.
    fn sequences(&self, text: &EncodedText, split: &SequenceSplit) -> Vec<Vec<PieceId>> {
        let end = |at: usize| text.pieces.len().min((at + 1) * split.length);
        let part = |at: usize| &text.pieces[at * split.length..end(at)];
        let sequence = |at| [&[self.tokenizer.start], part(at), &[self.tokenizer.end]].concat();
        (0..split.count).map(sequence).collect()
    }
}

/// How a text is split into sequences of about equal length.
struct SequenceSplit {
    count: usize,
    length: usize,
}

impl SequenceSplit {
    /// The split of a text with this many pieces.
    fn of(pieces: usize) -> Self {
        let count = pieces.div_ceil(MAX_SEQUENCE_PIECES).max(1);
        Self { count, length: pieces.div_ceil(count) }
    }

    /// The sum of the tokens of some pieces, which is the vector of their word.
    fn sum(&self, made: &[SequenceTokens], pieces: Range<usize>) -> Box<[f32]> {
        let mut sums = vec![0.0; DIMENSIONS];
        for piece in pieces {
            let Some(sequence) = made.get(piece / self.length) else { continue };
            // The start token precedes the pieces.
            let token = sequence.token(piece % self.length + 1);
            sums.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
        }
        sums.into()
    }
}

/// The normalised sum of the directions of a text's sequences.
fn join(means: impl Iterator<Item = Vec<f32>>) -> Result<Vector, BadVector> {
    let mut sums = vec![0.0; DIMENSIONS];
    for mean in means {
        let direction = Vector::from_raw(mean)?;
        sums.iter_mut().zip(direction.as_slice()).for_each(|(sum, value)| *sum += value);
    }
    Vector::from_raw(sums)
}

/// Reads a file to its end and verifies that it is the pinned one.
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
