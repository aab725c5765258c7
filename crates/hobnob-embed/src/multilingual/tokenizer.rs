//! SentencePiece with a unigram model: splits a text into the most probable sequence of pieces, by
//! the Viterbi algorithm.
//!
//! `model` calls it. Its ids equal those of the program that the weights were trained with.

use super::normalizer::Normalizer;
use super::vocabulary::{BadVocabulary, PieceId, Vocabulary};
use hobnob_text::first_chars;

#[cfg(test)]
mod tests;

/// The pieces of the vocabulary with a meaning of their own: a character that no piece has, and the
/// marks before and after a text.
const UNKNOWN: PieceId = 0;
const START: PieceId = 1;
const END: PieceId = 2;

/// Characters of a text that are tokenised.
const MAX_TEXT_CHARS: usize = 16 * 1024;

/// A vocabulary with its normaliser.
pub(super) struct SentencePiece {
    normalizer: Normalizer,
    vocabulary: Vocabulary,
}

/// The best way to reach a position of the text.
#[derive(Clone, Copy)]
struct Reached {
    score: f64,
    /// The length in bytes of the last piece, and the piece.
    length: usize,
    piece: PieceId,
}

impl SentencePiece {
    /// Reads the file of a SentencePiece model.
    pub(super) fn read(file: &[u8]) -> Result<Self, BadVocabulary> {
        let (vocabulary, map) = Vocabulary::read(file)?;
        let normalizer = Normalizer::read(map).ok_or(BadVocabulary::CharacterMap)?;
        Ok(Self { normalizer, vocabulary })
    }

    /// How many different pieces there are, which the embeddings must match.
    pub(super) fn len(&self) -> usize {
        self.vocabulary.len()
    }

    /// The pieces of a text, at most `limit`, between the marks of start and end.
    pub(super) fn encode(&self, text: &str, limit: usize) -> Vec<PieceId> {
        let normal = self.normalizer.normalize(first_chars(text, MAX_TEXT_CHARS));
        let mut pieces = vec![START];
        if normal.is_empty() {
            pieces.push(UNKNOWN);
        }
        pieces.extend(self.best_pieces(&normal).into_iter().take(limit));
        pieces.push(END);
        pieces
    }

    /// The pieces with the highest sum of scores; among equals, those whose last piece is longer.
    fn best_pieces(&self, normal: &str) -> Vec<PieceId> {
        let start = Reached { score: 0.0, length: 0, piece: UNKNOWN };
        let mut reached: Vec<Option<Reached>> = vec![None; normal.len() + 1];
        reached[0] = Some(start);
        for (at, first) in normal.char_indices() {
            // Every character can be reached, since each is at least an unknown piece.
            let Some(here) = reached[at] else { continue };
            let mut reach = |length: usize, piece, score: f64| {
                let slot = &mut reached[at + length];
                if slot.is_none_or(|best| best.score < here.score + score) {
                    *slot = Some(Reached { score: here.score + score, length, piece });
                }
            };
            let mut is_known = false;
            for (length, piece) in self.vocabulary.prefixes(&normal.as_bytes()[at..]) {
                is_known |= length == first.len_utf8();
                reach(length, piece, self.vocabulary.score(piece));
            }
            if !is_known {
                reach(first.len_utf8(), UNKNOWN, self.vocabulary.unknown_score);
            }
        }
        let mut pieces = Vec::new();
        let mut at = normal.len();
        while let Some(best) = reached[at].filter(|best| 0 < best.length) {
            pieces.push(best.piece);
            at -= best.length;
        }
        pieces.reverse();
        pieces
    }
}
