//! WordPiece: splits words into the longest known pieces, and maps pieces to ids.
//!
//! The model calls it; an id is the line number in the vocabulary it was trained with.

use std::collections::HashMap;
use std::ops::Range;

use hobnob_text::first_chars;

use super::words::words;

#[cfg(test)]
mod tests;

/// A word with more characters than this is unknown without a lookup.
const MAX_WORD_CHARS: usize = 100;

/// Characters of a text that are tokenised. Pieces are a few characters each, so text beyond them
/// would hardly be used, and reading a whole book would take long.
const MAX_TEXT_CHARS: usize = 64 * 1024;

/// The prefix of a piece that continues a word.
const CONTINUED: &str = "##";

/// The line of a piece in the vocabulary, counted from zero.
pub(super) type PieceId = u32;

/// The vocabulary, indexed for lookups.
pub(super) struct Tokenizer {
    first: Pieces,
    later: Pieces,
    unknown: PieceId,
    /// The token before every sequence.
    pub(super) start: PieceId,
    /// The token after every sequence.
    pub(super) end: PieceId,
}

impl Tokenizer {
    /// Reads a vocabulary: one piece per line, numbered from 0. `None` if a special token is
    /// missing.
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

    /// The size of the vocabulary.
    pub(super) fn len(&self) -> usize {
        self.first.ids.len() + self.later.ids.len()
    }

    /// The first `limit` pieces of a text, without start and end tokens.
    pub(super) fn encode(&self, text: &str, limit: usize) -> EncodedText {
        let mut encoded = EncodedText::default();
        for word in words(first_chars(text, MAX_TEXT_CHARS)) {
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
        let mut rest = if word.chars().nth(MAX_WORD_CHARS).is_some() { None } else { Some(word) };
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

/// A text as piece ids.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EncodedText {
    pub(super) pieces: Vec<PieceId>,
    /// Its words, without punctuation, with the range of their pieces.
    pub(super) words: Vec<(Box<str>, Range<usize>)>,
}

/// Pieces that may start a word, or pieces that may continue one.
#[derive(Default)]
struct Pieces {
    ids: HashMap<Box<str>, PieceId>,
    /// The length of the longest piece in bytes, which bounds lookups.
    longest: usize,
}

impl Pieces {
    fn insert(&mut self, piece: &str, id: PieceId) {
        self.longest = self.longest.max(piece.len());
        self.ids.insert(piece.into(), id);
    }

    /// The longest piece that is a prefix of the text, with its length in bytes.
    fn longest_prefix(&self, text: &str) -> Option<(PieceId, usize)> {
        let lengths = (1..=self.longest.min(text.len())).rev();
        lengths.filter_map(|length| Some((*self.ids.get(text.get(..length)?)?, length))).next()
    }
}
