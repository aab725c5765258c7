//! Word bigrams of a text with their exact Jaccard similarity, and the MinHash bands by which
//! similar texts are found. `capture` warns with it and `consolidate` groups by it.
//!
//! Bands are stored with each memory, so their computation must never change.

#[cfg(test)]
mod tests;

/// Words of a text that are compared.
const MAX_WORDS: usize = 2_000;
/// Bands of a MinHash sketch, two rows each: texts with a Jaccard similarity of 0.6 share a band in
/// 97 of 100 cases, texts with 0.1 in 8.
const BANDS: usize = 8;

/// The word bigrams of a text: sorted, deduplicated hashes.
#[derive(Debug, Clone)]
pub struct WordPairs(Vec<u64>);

impl WordPairs {
    /// Hashes the bigrams of the first `MAX_WORDS` words.
    pub fn of(text: &str) -> Self {
        let mut before = 0;
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).take(MAX_WORDS);
        let pair = |word: &str| {
            let word = fnv1a(word.chars().flat_map(char::to_lowercase));
            let pair = splitmix(before ^ word.rotate_left(32));
            before = word;
            pair
        };
        let mut pairs: Vec<u64> = words.map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    /// The Jaccard similarity: bigrams in both texts divided by bigrams in either.
    pub fn similarity(&self, other: &Self) -> f64 {
        let both = self.0.iter().filter(|pair| other.0.binary_search(pair).is_ok()).count();
        let either = self.0.len() + other.0.len() - both;
        // Counts of words, far below what a float holds exactly.
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// The MinHash bands of a text in a scope; empty for a text without words. Similar texts share
    /// a band, and texts of different scopes share none except by a hash collision.
    pub(crate) fn bands(&self, place: &[&str]) -> Vec<i64> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let place = place.iter().fold(0, |place, part| splitmix(place ^ fnv1a(part.chars())));
        let min_hash = |seed: u64| self.0.iter().map(|pair| splitmix(pair ^ splitmix(seed))).min();
        let band = |number: u64| {
            let rows = [2 * number, 2 * number + 1].map(|seed| min_hash(seed).unwrap_or_default());
            let [one, other] = rows;
            splitmix(place ^ splitmix(one ^ other.rotate_left(32) ^ number)).cast_signed()
        };
        (0..BANDS as u64).map(band).collect()
    }
}

/// The 64-bit FNV-1a hash over characters (not bytes).
fn fnv1a(characters: impl Iterator<Item = char>) -> u64 {
    characters.fold(0xCBF2_9CE4_8422_2325, |hash, character| {
        (hash ^ u64::from(character)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The SplitMix64 finaliser: spreads small differences over all bits.
fn splitmix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
