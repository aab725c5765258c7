//! Folds hits that say the same into one, so that ten hits are ten different facts.
//!
//! Two texts are copies if they share nearly all word bigrams and have the same numbers; one word or
//! figure that differs may be the fact. `arrange` calls it on hits in their final order.

use super::fuse::Found;
use super::statement::{Statement, WordClass};
use hobnob_store::memory::{MemoryId, WordPairs};
use std::cell::OnceCell;

/// The Jaccard similarity of word bigrams from which two texts are copies.
const MIN_SIMILARITY: f64 = 0.8;
/// Copies have nearly equal scores; hits farther apart are not compared.
const MAX_SCORE_GAP: f64 = 0.2;

/// A hit, and the hits that say the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folded {
    pub(super) found: Found,
    /// The memories that were folded into it, best first.
    pub(super) copies: Vec<MemoryId>,
}

/// The first hit of each group of copies, in the given order.
pub(super) fn fold(found: Vec<Found>) -> Vec<Folded> {
    let mut kept: Vec<(Folded, Fingerprint)> = Vec::with_capacity(found.len());
    for found in found {
        let fingerprint = Fingerprint::of(&found.memory.content);
        let near = kept.iter_mut().rev().find(|(other, print)| {
            other.found.score - found.score <= MAX_SCORE_GAP
                && print.is_near(&fingerprint)
                && print.values(&other.found.memory.content)
                    == fingerprint.values(&found.memory.content)
        });
        match near {
            Some((other, _)) => other.copies.push(found.memory.id),
            None => kept.push((Folded { found, copies: Vec::new() }, fingerprint)),
        }
    }
    kept.into_iter().map(|(folded, _)| folded).collect()
}

/// What two texts are compared by.
struct Fingerprint {
    pairs: WordPairs,
    /// Bytes of the text, to skip texts of other lengths.
    length: usize,
    /// The numbers and dates, sorted; read from the text when first needed.
    values: OnceCell<Vec<String>>,
}

impl Fingerprint {
    fn of(text: &str) -> Self {
        Self { pairs: WordPairs::of(text), length: text.len(), values: OnceCell::new() }
    }

    /// The numbers and dates of its text.
    fn values(&self, text: &str) -> &[String] {
        self.values.get_or_init(|| {
            let words = Statement::of(text).words.into_iter();
            let values = words.filter(|word| word.class == WordClass::Value).map(|word| word.term);
            let mut values: Vec<String> = values.collect();
            values.sort_unstable();
            values
        })
    }

    /// Whether both texts are copies if they have the same numbers and dates.
    fn is_near(&self, other: &Self) -> bool {
        let (short, long) = (self.length.min(other.length), self.length.max(other.length));
        // Texts whose lengths differ by more cannot share enough bigrams.
        7 * long <= 10 * short && MIN_SIMILARITY <= self.pairs.similarity(&other.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn only_texts_that_say_the_same_are_copies() {
        let first = "The nightly import of the price list starts at 02:00 and takes ten minutes.";
        for (other, expected) in [
            (first, true),
            ("The nightly import of the price list starts at 02:00, and takes ten minutes!", true),
            (
                "Note: the nightly import of the price list starts at 02:00 and takes ten minutes.",
                true,
            ),
            ("The nightly import of the price list starts at 03:00 and takes ten minutes.", false),
            ("The nightly import of the price list starts at 02:00 and takes two minutes.", false),
            ("The weekly import of the stock list starts at 02:00 and takes ten minutes.", false),
            ("The nightly import starts at 02:00.", false),
        ] {
            let (one, two) = (Fingerprint::of(first), Fingerprint::of(other));
            let found = one.is_near(&two) && one.values(first) == two.values(other);
            assert_eq!(found, expected, "{other}");
        }
    }
}
