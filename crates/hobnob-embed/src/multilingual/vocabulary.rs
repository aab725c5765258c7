//! The pieces of a SentencePiece model, sorted for prefix searches, with their log probabilities.
//!
//! `tokenizer` walks the prefixes of a text. What must stay true: an id is the position of a piece
//! in the model file, and the row of its embedding.

use crate::protobuf::{BadMessage, FieldValue, MessageFields};
use std::ops::Range;

/// The position of a piece in the model file.
pub(super) type PieceId = u32;

/// What is subtracted from the lowest score for a character that no piece has.
const UNKNOWN_PENALTY: f64 = 10.0;

/// Why a file is no SentencePiece model.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadVocabulary {
    #[error(transparent)]
    Message(#[from] BadMessage),
    #[error("piece {0} is not valid")]
    Piece(usize),
    #[error("it has {0} pieces")]
    Size(usize),
    #[error("its character map is not valid")]
    CharacterMap,
}

/// The pieces that texts are cut into, with their scores.
pub(super) struct Vocabulary {
    /// The bytes of all pieces, one after the other, in the order of their bytes.
    text: Box<[u8]>,
    /// Where each piece ends; it begins where the one before ends.
    ends: Box<[u32]>,
    /// The id of each piece, in the same order.
    ids: Box<[PieceId]>,
    /// The log probability of each id.
    scores: Box<[f32]>,
    /// The score of a character that no piece has.
    pub(super) unknown_score: f64,
}

/// A piece as the file has it.
struct Piece<'a> {
    text: &'a [u8],
    score: f32,
}

impl Vocabulary {
    /// Reads the pieces of a model, and returns them with its character map.
    pub(super) fn read(file: &[u8]) -> Result<(Self, &[u8]), BadVocabulary> {
        const PIECE: u64 = 1;
        const NORMALIZER: u64 = 3;
        const CHARACTER_MAP: u64 = 2;
        let mut pieces = Vec::new();
        let mut map = None;
        for field in MessageFields::new(file) {
            match field? {
                (PIECE, FieldValue::Bytes(piece)) => {
                    pieces.push(Piece::read(piece)?.ok_or(BadVocabulary::Piece(pieces.len()))?);
                }
                (NORMALIZER, FieldValue::Bytes(normalizer)) => {
                    for field in MessageFields::new(normalizer) {
                        if let (CHARACTER_MAP, FieldValue::Bytes(found)) = field? {
                            map = Some(found);
                        }
                    }
                }
                _ => {}
            }
        }
        let map = map.ok_or(BadVocabulary::CharacterMap)?;
        Ok((Self::of(&pieces)?, map))
    }

    fn of(pieces: &[Piece<'_>]) -> Result<Self, BadVocabulary> {
        let size = || BadVocabulary::Size(pieces.len());
        let count = PieceId::try_from(pieces.len()).map_err(|_too_many| size())?;
        let mut order: Vec<(PieceId, &Piece<'_>)> = (0..count).zip(pieces).collect();
        order.sort_by_key(|(_, piece)| piece.text);
        let mut text = Vec::new();
        let mut ends = Vec::with_capacity(order.len());
        for (_, piece) in &order {
            text.extend_from_slice(piece.text);
            ends.push(u32::try_from(text.len()).map_err(|_too_long| size())?);
        }
        let lowest = pieces.iter().map(|piece| piece.score).reduce(f32::min).ok_or_else(size)?;
        Ok(Self {
            text: text.into(),
            ends: ends.into(),
            ids: order.iter().map(|(id, _)| *id).collect(),
            scores: pieces.iter().map(|piece| piece.score).collect(),
            unknown_score: f64::from(lowest) - UNKNOWN_PENALTY,
        })
    }

    /// How many different pieces texts are cut into.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The log probability of a piece.
    pub(super) fn score(&self, id: PieceId) -> f64 {
        self.scores.get(id as usize).copied().map_or(self.unknown_score, f64::from)
    }

    /// The pieces that the text begins with, shortest first: length in bytes, and id.
    pub(super) fn prefixes<'a>(
        &'a self,
        text: &'a [u8],
    ) -> impl Iterator<Item = (usize, PieceId)> + 'a {
        let mut range = 0..self.ids.len();
        let narrowed = text.iter().enumerate().map_while(move |(depth, byte)| {
            range = self.narrowed(&range, depth, *byte);
            (!range.is_empty()).then_some((depth + 1, range.start))
        });
        // The piece that is no longer than the prefix comes before all that it begins.
        let whole = narrowed.filter(|(length, first)| self.piece(*first).len() == *length);
        whole.map(|(length, first)| (length, self.ids[first]))
    }

    /// Those of the pieces in a range with this byte at this depth; all of them have the bytes
    /// before it in common.
    fn narrowed(&self, range: &Range<usize>, depth: usize, byte: u8) -> Range<usize> {
        let pieces = &self.ends[range.clone()];
        let at = |place: usize| self.piece(range.start + place).get(depth).copied();
        // `None`, a piece that ends before this depth, is less than any byte.
        let first = partition(pieces.len(), |place| at(place) < Some(byte));
        let end = partition(pieces.len(), |place| at(place) <= Some(byte));
        range.start + first..range.start + end
    }

    fn piece(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[place] as usize]
    }
}

/// The first place of `count` that `before` denies, by binary search.
fn partition(count: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

impl<'a> Piece<'a> {
    /// `None` if the message has no text, or no finite score.
    fn read(message: &'a [u8]) -> Result<Option<Self>, BadMessage> {
        const TEXT: u64 = 1;
        const SCORE: u64 = 2;
        let (mut text, mut score) = (None, 0.0);
        for field in MessageFields::new(message) {
            match field? {
                (TEXT, FieldValue::Bytes(found)) => text = Some(found),
                (SCORE, FieldValue::Fixed32(found)) => score = f32::from_le_bytes(found),
                _ => {}
            }
        }
        let text = text.filter(|text| !text.is_empty() && score.is_finite());
        Ok(text.map(|text| Self { text, score }))
    }
}
