//! Multi-word expressions of `synonyms.txt`, indexed by meaning: a query that says the same in
//! other words is expanded with their synonyms too.
//!
//! `meaning` uses it if a query has a vector. The sign bits of the expressions' vectors are
//! compiled in from `phrases.bin`, so nothing is embedded at run time. What must stay true: the
//! file matches the expressions now in `synonyms.txt`, and only a query vector with the length of
//! all-MiniLM-L6-v2's, which made the file, is compared with it.

use crate::synonyms::{TEXT, groups};
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// The number of components of a vector, and of 64-bit words for their signs.
const DIMENSIONS: usize = 384;
const SIGN_WORDS: usize = DIMENSIONS / 64;

/// How many of the nearest expressions count.
const MAX_PHRASES: usize = 20;

/// A cosine up to this one is chance.
const MIN_COSINE: f32 = 0.2;

/// An expression of several words; single words say too little by themselves.
#[derive(Debug)]
pub(crate) struct Phrase {
    text: &'static str,
    /// The synonyms: what the expression may mean.
    pub(crate) meant: Vec<&'static str>,
}

/// Per synonym, the positions of the fitting tools with normalised scores, computed on first use.
pub(crate) type MeantScores = HashMap<&'static str, OnceLock<Vec<(u32, f32)>>>;

/// All expressions with the sign bits of their vectors, in the same order.
#[derive(Debug)]
pub(crate) struct Phrases {
    phrases: Vec<Phrase>,
    /// Empty if `phrases.bin` was made for other expressions.
    signs: Vec<[u64; SIGN_WORDS]>,
}

static BUILT_IN: LazyLock<Phrases> = LazyLock::new(|| {
    let phrases = read(TEXT);
    let signs = unpack(&phrases, include_bytes!("phrases.bin")).unwrap_or_default();
    Phrases { phrases, signs }
});

/// The expressions to embed, for the program that makes `phrases.bin`.
pub fn phrase_texts() -> Vec<&'static str> {
    BUILT_IN.phrases.iter().map(|phrase| phrase.text).collect()
}

/// The content of `phrases.bin`, from the vectors of all-MiniLM-L6-v2 of [`phrase_texts`].
pub fn pack_phrase_vectors(vectors: &[Vec<f32>]) -> Vec<u8> {
    let signs = vectors.iter().flat_map(|vector| signs(vector)).flat_map(u64::to_le_bytes);
    digest(&BUILT_IN.phrases).to_le_bytes().into_iter().chain(signs).collect()
}

impl Phrases {
    /// The expressions compiled into the program.
    pub(crate) fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The synonyms of all expressions, with duplicates.
    pub(crate) fn meant(&self) -> impl Iterator<Item = &'static str> {
        self.phrases.iter().flat_map(|phrase| phrase.meant.iter().copied())
    }

    /// A vector with the signs of an expression's vector.
    #[cfg(test)]
    pub(crate) fn vector_of(&self, text: &str) -> Option<Vec<f32>> {
        let signs = self.signs.get(self.phrases.iter().position(|phrase| phrase.text == text)?)?;
        let bit = |at: usize| signs[at / 64] >> (at % 64) & 1;
        Some((0..DIMENSIONS).map(|at| if bit(at) == 1 { 0.05 } else { -0.05 }).collect())
    }

    /// The expressions nearest to a query's vector by Hamming distance, each with its weight; none
    /// for a vector of another length.
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
        if MAX_PHRASES < found.len() {
            found.select_nth_unstable(MAX_PHRASES);
            found.truncate(MAX_PHRASES);
        }
        found.sort_unstable();
        let weigh = |(differing, at): (u32, usize)| {
            // The share of differing signs estimates the angle as a share of half a turn.
            let angle = std::f32::consts::PI * differing as f32 / DIMENSIONS as f32;
            let above = angle.cos() - MIN_COSINE;
            (0.0 < above).then(|| (&self.phrases[at], above * above))
        };
        found.into_iter().filter_map(weigh).collect()
    }
}

/// The expressions of several words in the order of the file, deduplicated.
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

/// The signs that the file has for these expressions; `None` if it was made for others.
fn unpack(phrases: &[Phrase], bytes: &[u8]) -> Option<Vec<[u64; SIGN_WORDS]>> {
    let (made_for, rest) = bytes.split_first_chunk()?;
    let (words, []) = rest.as_chunks() else { return None };
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (signs, []) = words.as_chunks() else { return None };
    let fits = u64::from_le_bytes(*made_for) == digest(phrases) && signs.len() == phrases.len();
    fits.then(|| signs.to_vec())
}

/// The sign bits of a vector; zero counts as negative.
fn signs(vector: &[f32]) -> [u64; SIGN_WORDS] {
    let mut signs = [0; SIGN_WORDS];
    for (at, number) in vector.iter().enumerate().take(DIMENSIONS) {
        signs[at / 64] |= u64::from(0.0 < *number) << (at % 64);
    }
    signs
}

/// 64-bit FNV-1a over the expressions in order, to detect changes of `synonyms.txt`.
fn digest(phrases: &[Phrase]) -> u64 {
    let bytes = phrases.iter().flat_map(|phrase| phrase.text.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
