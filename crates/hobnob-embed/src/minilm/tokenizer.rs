//! WordPiece: words to the numbers of their pieces, the longest known piece first.
//!
//! The model calls it; the numbers are line numbers of the vocabulary it was trained with.

use std::collections::HashMap;
use std::ops::Range;

use hobnob_text::first_chars;

use super::words::words;

#[cfg(test)]
mod tests;

/// A word with more characters than this is not looked up.
const LONGEST_WORD: usize = 100;

/// Characters of a text that are looked at. Pieces are a few characters each, so that what is
/// beyond them would hardly be used, and reading a whole book would take time.
const LONGEST_TEXT: usize = 64 * 1024;

/// What marks a piece that continues a word.
const CONTINUED: &str = "##";

/// The line of a piece in the vocabulary, counted from zero.
pub(super) type PieceId = u32;

/// The vocabulary, ready to be searched.
pub(super) struct Tokenizer {
    first: Pieces,
    later: Pieces,
    unknown: PieceId,
    /// Stands before every sequence.
    pub(super) start: PieceId,
    /// Stands after every sequence.
    pub(super) end: PieceId,
}

impl Tokenizer {
    /// Reads a vocabulary: one piece per line, numbered from 0. `None` if one of the pieces that
    /// stand for something else is not there.
    pub(super) fn read(vocabulary: &str) -> Option<Self> {
        let (mut first, mut later) = (Pieces::default(), Pieces::default());
        for (id, piece) in (0..).zip(vocabulary.lines()) {
            match piece.strip_prefix(CONTINUED) {
                Some(rest) if !rest.is_empty() => later.insert(rest, id),
                _ => first.insert(piece, id),
            }
        }
        let known = |piece: &str| first.ids.get(piece).copied();
        let (unknown, start, end) = (known("[UNK]")?, known("[CLS]")?, known("[SEP]")?);
        Some(Self { first, later, unknown, start, end })
    }

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.first.ids.len() + self.later.ids.len()
    }

    /// The first `limit` pieces of a text, without start and end.
    pub(super) fn encode(&self, text: &str, limit: usize) -> EncodedText {
        let mut encoded = EncodedText::default();
        for word in words(first_chars(text, LONGEST_TEXT)) {
            let first = encoded.pieces.len();
            self.encode_word(&word, &mut encoded.pieces);
            encoded.pieces.truncate(limit);
            if word.chars().all(char::is_alphanumeric) {
                encoded.words.push((word.into(), first..encoded.pieces.len()));
            }
            if limit <= encoded.pieces.len() {
                break;
            }
        }
        encoded
    }

    fn encode_word(&self, word: &str, ids: &mut Vec<PieceId>) {
        let before = ids.len();
        let mut rest = if word.chars().nth(LONGEST_WORD).is_some() { None } else { Some(word) };
        while let Some(text) = rest.filter(|text| !text.is_empty()) {
            let pieces = if text.len() == word.len() { &self.first } else { &self.later };
            rest = pieces.longest_prefix(text).map(|(id, length)| {
                ids.push(id);
                &text[length..]
            });
        }
        if rest.is_none() {
            ids.truncate(before);
            ids.push(self.unknown);
        }
    }
}

/// A text as numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EncodedText {
    pub(super) pieces: Vec<PieceId>,
    /// Its words, without marks and signs, and which pieces they are.
    pub(super) words: Vec<(Box<str>, Range<usize>)>,
}

/// Pieces that may stand at the same place of a word.
#[derive(Default)]
struct Pieces {
    ids: HashMap<Box<str>, PieceId>,
    /// Bytes of the longest, beyond which there is no need to look.
    longest: usize,
}

impl Pieces {
    fn insert(&mut self, piece: &str, id: PieceId) {
        self.longest = self.longest.max(piece.len());
        self.ids.insert(piece.into(), id);
    }

    /// The longest piece that the text begins with, and its length in bytes.
    fn longest_prefix(&self, text: &str) -> Option<(PieceId, usize)> {
        let lengths = (1..=self.longest.min(text.len())).rev();
        lengths.filter_map(|length| Some((*self.ids.get(text.get(..length)?)?, length))).next()
    }
}
