//! Whether something nearly the same is known: the best by text, compared by shared phrases.
//!
//! `capture` warns with it and `consolidate` groups by it.

use crate::memory::service::PresentedMemory;
use crate::memory::views::urn;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, Namespace, ScopeKind};
use serde::Serialize;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// From here on two texts say nearly the same.
const ALIKE: f64 = 0.6;
/// Words of a text that are looked for; what says nearly the same has most of them.
const WORDS: usize = 5;
/// Words of a text that are compared.
const COMPARED: usize = 2_000;
/// Memories that are compared.
const CANDIDATES: usize = 5;

/// A memory that says nearly the same.
#[derive(Debug, Serialize)]
pub(super) struct SimilarMemory {
    pub(super) id: String,
    urn: String,
    similarity: f64,
}

/// Memories of the same scope and namespace that say nearly the same, most alike first. A search
/// that fails only means that nothing is reported.
pub(super) async fn alike(
    presented: &PresentedMemory,
    access: &MemoryAccess,
    scope: ScopeKind,
    namespace: &Namespace,
    content: &str,
) -> Vec<SimilarMemory> {
    let filter = MemoryFilter {
        namespaces: vec![namespace.clone()],
        scopes: vec![scope],
        ..MemoryFilter::default()
    };
    let search = &presented.shared().recall.search;
    let query = longest_words(content);
    let hits = match search.by_text(access.clone(), filter, query, CANDIDATES).await {
        Ok(hits) => hits,
        Err(error) => {
            tracing::warn!(%error, "nearly equal memories could not be looked for");
            return Vec::new();
        }
    };
    let phrases = WordPairs::of(content);
    let mut found: Vec<SimilarMemory> = hits
        .iter()
        .map(|hit| (hit, phrases.similarity(&WordPairs::of(&hit.memory.content))))
        .filter(|(_, similarity)| ALIKE <= *similarity)
        .map(|(hit, similarity)| SimilarMemory {
            id: hit.memory.id.to_string(),
            urn: urn(&presented.presentation, &hit.memory),
            similarity: (similarity * 100.0).round() / 100.0,
        })
        .collect();
    found.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    found
}

/// The longest words say most about a text.
fn longest_words(content: &str) -> String {
    let words: HashSet<&str> = content.split_whitespace().take(400).collect();
    let mut words: Vec<&str> = words.into_iter().collect();
    words.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    words.truncate(WORDS);
    words.join(" ")
}

/// The pairs of neighbouring words of a text, by their hashes.
pub(super) struct WordPairs(HashSet<u64>);

impl WordPairs {
    /// Of the beginning of a text, if it is a long one.
    pub(super) fn of(text: &str) -> Self {
        let words = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(COMPARED)
            .map(str::to_lowercase);
        let mut before = String::new();
        let pair = |word: String| {
            let mut hasher = DefaultHasher::new();
            (&before, &word).hash(&mut hasher);
            before = word;
            hasher.finish()
        };
        Self(words.map(pair).collect())
    }

    /// How much two texts share: pairs that are in both, of those that are in either.
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let both = self.0.intersection(&other.0).count();
        let either = self.0.len() + other.0.len() - both;
        // Counts of words, far below what a float holds exactly.
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }
}

#[cfg(test)]
mod tests;
