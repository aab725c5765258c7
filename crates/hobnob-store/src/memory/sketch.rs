//! Near-duplicate detection: MinHash over pairs of words in 8 bands of 2 rows, and the exact Jaccard
//! similarity for those that share a band.
//!
//! A backend stores the bands of each memory and finds candidates by them, in as many steps in a large
//! store as in a small one.

use super::record::{Memory, Namespace};
use super::scope::{MemoryScope, ScopeKind};
use super::word_pairs::WordPairs;
use crate::owner::Owner;
use std::collections::HashMap;

/// From this similarity on, two texts say nearly the same.
const MIN_SIMILARITY: f64 = 0.6;
/// Memories that are compared exactly: those with most bands in common.
const MAX_COMPARED: usize = 5;
/// Memories that a backend looks at for each band, the newest.
pub const MEMORIES_PER_BAND: u32 = 16;

/// What a text says, in its place.
#[derive(Debug, Clone)]
pub struct Sketch {
    pairs: WordPairs,
    bands: Vec<i64>,
}

impl Sketch {
    /// Of a text in a place; the owner does not count for what is for everybody.
    pub fn of(owner: &Owner, scope: &MemoryScope, namespace: &Namespace, content: &str) -> Self {
        let owner = match scope.kind() {
            ScopeKind::Project | ScopeKind::User => owner.as_str(),
            ScopeKind::Org => "",
        };
        let pairs = WordPairs::of(content);
        let place = [scope.kind().as_str(), owner, scope.project(), namespace.as_str()];
        let bands = pairs.bands(&place);
        Self { pairs, bands }
    }

    /// Of a memory as it is stored.
    pub fn of_memory(memory: &Memory) -> Self {
        Self::of(&memory.owner, &memory.scope, &memory.namespace, &memory.content)
    }

    /// What is stored with a memory, and what candidates are found by.
    pub fn bands(&self) -> &[i64] {
        &self.bands
    }

    /// How much the other one has in common with this one, if they say nearly the same in the same
    /// place. Bands of another place may be equal by chance, and nobody learns of that place.
    pub fn near_duplicate(&self, other: &Self) -> Option<f64> {
        let similarity = self.pairs.similarity(&other.pairs);
        let same_place = other.bands.iter().any(|band| self.bands.contains(band));
        (MIN_SIMILARITY <= similarity && same_place).then_some(similarity)
    }
}

/// Of the memories found in each band, by their numbers, those that are worth an exact comparison: with
/// most bands in common first, the newer ones first where that is alike.
pub fn most_shared(found: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let mut shared: HashMap<i64, u32> = HashMap::new();
    for number in found {
        *shared.entry(number).or_default() += 1;
    }
    let mut numbers: Vec<(u32, i64)> =
        shared.into_iter().map(|(number, count)| (count, number)).collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers.into_iter().take(MAX_COMPARED).map(|(_, number)| number).collect()
}
