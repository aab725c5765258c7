//! Near-duplicate detection: MinHash over word bigrams, 8 bands of 2 rows; exact Jaccard similarity
//! for memories that share a band.
//!
//! A backend stores the bands of each memory and finds candidates by them, in a number of steps
//! that does not grow with the store.

use super::record::{Memory, Namespace};
use super::scope::{MemoryScope, ScopeKind};
use super::word_pairs::WordPairs;
use crate::owner::Owner;
use std::collections::HashMap;

/// The Jaccard similarity from which two texts are near-duplicates.
const MIN_SIMILARITY: f64 = 0.6;
/// Candidates that are compared exactly: those that share most bands.
const MAX_COMPARED: usize = 5;
/// Memories that a backend looks at per band, newest first.
pub const MEMORIES_PER_BAND: u32 = 16;

/// The MinHash sketch of a text in its scope and namespace.
#[derive(Debug, Clone)]
pub struct Sketch {
    pairs: WordPairs,
    bands: Vec<i64>,
}

impl Sketch {
    /// Sketches a text; the owner is ignored for the shared scope `org`.
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

    /// Sketches a memory as it is stored.
    pub fn of_memory(memory: &Memory) -> Self {
        Self::of(&memory.owner, &memory.scope, &memory.namespace, &memory.content)
    }

    /// The bands to store with a memory and to find candidates by.
    pub fn bands(&self) -> &[i64] {
        &self.bands
    }

    /// The Jaccard similarity if the two are near-duplicates and share a band. A band depends on
    /// scope and namespace, so memories of different ones are reported only after a hash collision.
    pub fn near_duplicate(&self, other: &Self) -> Option<f64> {
        let similarity = self.pairs.similarity(&other.pairs);
        let same_place = other.bands.iter().any(|band| self.bands.contains(band));
        (MIN_SIMILARITY <= similarity && same_place).then_some(similarity)
    }
}

/// The candidates worth an exact comparison: of the row numbers found per band, those that share
/// most bands, and on a tie the newest.
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
