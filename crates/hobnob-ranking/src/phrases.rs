//! Expressions of `synonyms.txt` by what they mean, so that a query which says the same in other
//! words is widened by their synonyms too.
//!
//! `meaning` asks, where a query has a vector. The signs of the expressions' vectors are part of the
//! program, in `phrases.bin`: nothing is computed for them while it runs. What must stay true: the
//! file belongs to the expressions that are in `synonyms.txt` now, and a query's vector is compared
//! with it only if it has as many numbers as the vectors of all-MiniLM-L6-v2, which made the file.

use crate::synonyms::{TEXT, groups};
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// How many numbers a vector has, and how many words their signs take.
const DIMENSIONS: usize = 384;
const SIGN_WORDS: usize = DIMENSIONS / 64;

/// The expressions that are nearest to a query and count.
const NEAREST: usize = 20;

/// Cosines of this and less are chance.
const LEAST_COSINE: f32 = 0.2;

/// An expression of several words. Single words say too little by themselves.
#[derive(Debug)]
pub(crate) struct Phrase {
    text: &'static str,
    /// What may be meant by it.
    pub(crate) meant: Vec<&'static str>,
}

/// Positions of the tools that fit what is meant by expressions, with how well in relation to the
/// best. Each is computed when somebody first needs it.
pub(crate) type MeantScores = HashMap<&'static str, OnceLock<Vec<(u32, f32)>>>;

/// All expressions, and the signs of their vectors in the same order.
#[derive(Debug)]
pub(crate) struct Phrases {
    phrases: Vec<Phrase>,
    /// Empty if `phrases.bin` was made for other expressions.
    signs: Vec<[u64; SIGN_WORDS]>,
}

static TRADE: LazyLock<Phrases> = LazyLock::new(|| {
    let phrases = read(TEXT);
    let signs = unpack(&phrases, include_bytes!("phrases.bin")).unwrap_or_default();
    Phrases { phrases, signs }
});

/// The expressions of several words that are found by meaning, for whoever makes `phrases.bin`.
pub fn phrase_texts() -> Vec<&'static str> {
    TRADE.phrases.iter().map(|phrase| phrase.text).collect()
}

/// The content of `phrases.bin`, from the vectors of all-MiniLM-L6-v2 of [`phrase_texts`].
pub fn pack_phrase_vectors(vectors: &[Vec<f32>]) -> Vec<u8> {
    let signs = vectors.iter().flat_map(|vector| signs(vector)).flat_map(u64::to_le_bytes);
    digest(&TRADE.phrases).to_le_bytes().into_iter().chain(signs).collect()
}

impl Phrases {
    /// The expressions of the trade.
    pub(crate) fn of_the_trade() -> &'static Self {
        &TRADE
    }

    /// What may be meant by any of them, again and again.
    pub(crate) fn meant(&self) -> impl Iterator<Item = &'static str> {
        self.phrases.iter().flat_map(|phrase| phrase.meant.iter().copied())
    }

    /// A vector that has the signs of an expression's.
    #[cfg(test)]
    pub(crate) fn vector_of(&self, text: &str) -> Option<Vec<f32>> {
        let signs = self.signs.get(self.phrases.iter().position(|phrase| phrase.text == text)?)?;
        let bit = |at: usize| signs[at / 64] >> (at % 64) & 1;
        Some((0..DIMENSIONS).map(|at| if bit(at) == 1 { 0.05 } else { -0.05 }).collect())
    }

    /// The expressions nearest to a query's vector, each with what it counts; none for a vector of
    /// another length.
    pub(crate) fn nearest(&self, vector: &[f32]) -> Vec<(&Phrase, f32)> {
        if vector.len() != DIMENSIONS {
            return Vec::new();
        }
        let asked = signs(vector);
        let differing = |signs: &[u64; SIGN_WORDS]| -> u32 {
            signs.iter().zip(asked).map(|(one, other)| (one ^ other).count_ones()).sum()
        };
        let mut found: Vec<(u32, usize)> =
            self.signs.iter().enumerate().map(|(at, signs)| (differing(signs), at)).collect();
        if NEAREST < found.len() {
            found.select_nth_unstable(NEAREST);
            found.truncate(NEAREST);
        }
        found.sort_unstable();
        let weigh = |(differing, at): (u32, usize)| {
            // The share of signs that differ is the angle's share of half a turn.
            let angle = std::f32::consts::PI * differing as f32 / DIMENSIONS as f32;
            let above = angle.cos() - LEAST_COSINE;
            (0.0 < above).then(|| (&self.phrases[at], above * above))
        };
        found.into_iter().filter_map(weigh).collect()
    }
}

/// The expressions of several words, in the order of the file, each once.
fn read(text: &'static str) -> Vec<Phrase> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut phrases: Vec<Phrase> = Vec::new();
    for group in groups(text) {
        for asked in group.asked.into_iter().filter(|it| it.contains(' ')) {
            let place = *places.entry(asked).or_insert_with(|| {
                phrases.push(Phrase { text: asked, meant: Vec::new() });
                phrases.len() - 1
            });
            let known = &mut phrases[place].meant;
            for meant in group.meant.iter().filter(|meant| **meant != asked) {
                if !known.contains(meant) {
                    known.push(meant);
                }
            }
        }
    }
    phrases
}

/// The signs that the file has for these expressions; nothing if it was made for others.
fn unpack(phrases: &[Phrase], bytes: &[u8]) -> Option<Vec<[u64; SIGN_WORDS]>> {
    let (made_for, rest) = bytes.split_first_chunk()?;
    let (words, []) = rest.as_chunks() else { return None };
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (signs, []) = words.as_chunks() else { return None };
    let fits = u64::from_le_bytes(*made_for) == digest(phrases) && signs.len() == phrases.len();
    fits.then(|| signs.to_vec())
}

/// The signs of a vector's numbers; what is 0 counts as less.
fn signs(vector: &[f32]) -> [u64; SIGN_WORDS] {
    let mut signs = [0; SIGN_WORDS];
    for (at, number) in vector.iter().enumerate().take(DIMENSIONS) {
        signs[at / 64] |= u64::from(0.0 < *number) << (at % 64);
    }
    signs
}

/// Tells other expressions, or the same in another order, apart: 64-bit FNV-1a.
fn digest(phrases: &[Phrase]) -> u64 {
    let bytes = phrases.iter().flat_map(|phrase| phrase.text.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
