//! How much two texts have in common, and a sketch of a text by which those are found that have
//! much in common. `capture` warns with it and `consolidate` groups by it.
//!
//! Bands are stored with each memory, so they must never be computed differently.

#[cfg(test)]
mod tests;

/// Words of a text that are compared.
const COMPARED: usize = 2_000;
/// Parts of a sketch. Each is made of two minimums, so that texts which share six pairs of ten have
/// a band in common in 97 of 100 cases, and texts which share one of ten in 8.
const BANDS: usize = 8;

/// The pairs of neighbouring words of a text, by their hashes.
#[derive(Debug, Clone)]
pub struct WordPairs(Vec<u64>);

impl WordPairs {
    /// Of the beginning of a text, if it is a long one.
    pub fn of(text: &str) -> Self {
        let mut before = 0;
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).take(COMPARED);
        let pair = |word: &str| {
            let word = hash_of(word.chars().flat_map(char::to_lowercase));
            let pair = mixed(before ^ word.rotate_left(32));
            before = word;
            pair
        };
        let mut pairs: Vec<u64> = words.map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    /// How much two texts share: pairs that are in both, of those that are in either.
    pub fn similarity(&self, other: &Self) -> f64 {
        let both = self.0.iter().filter(|pair| other.0.binary_search(pair).is_ok()).count();
        let either = self.0.len() + other.0.len() - both;
        // Counts of words, far below what a float holds exactly.
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// The sketch of a text in a place; none of a text without words. Texts that share much have a
    /// band in common, and texts of different places have none, but for chance.
    pub(crate) fn bands(&self, place: &[&str]) -> Vec<i64> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let place = place.iter().fold(0, |place, part| mixed(place ^ hash_of(part.chars())));
        let least = |seed: u64| self.0.iter().map(|pair| mixed(pair ^ mixed(seed))).min();
        let band = |number: u64| {
            let both = [2 * number, 2 * number + 1].map(|seed| least(seed).unwrap_or_default());
            let [one, other] = both;
            mixed(place ^ mixed(one ^ other.rotate_left(32) ^ number)).cast_signed()
        };
        (0..BANDS as u64).map(band).collect()
    }
}

/// The hash of Fowler, Noll and Vo (1a, 64 bits), by characters.
fn hash_of(characters: impl Iterator<Item = char>) -> u64 {
    characters.fold(0xCBF2_9CE4_8422_2325, |hash, character| {
        (hash ^ u64::from(character)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// Spreads what differs a little over all bits, as SplitMix64 does.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
