//! Whether something nearly the same is known: the best by text, compared by shared phrases.

use crate::memory::service::Desk;
use crate::memory::views::urn;
use hobnob_store::memory::{Filter, Namespace, Reach, ScopeKind};
use serde::Serialize;
use std::collections::HashSet;

/// From here on two texts say nearly the same.
const ALIKE: f64 = 0.6;
/// Words of a text that are looked for.
const WORDS: usize = 12;
/// Memories that are compared.
const CANDIDATES: usize = 5;

/// A memory that says nearly the same.
#[derive(Debug, Serialize)]
pub(super) struct Alike {
    pub(super) id: String,
    urn: String,
    similarity: f64,
}

/// Memories of the same scope and namespace that say nearly the same, most alike first. A search
/// that fails only means that nothing is reported.
pub(super) async fn alike(
    desk: &Desk,
    reach: &Reach,
    scope: ScopeKind,
    namespace: &Namespace,
    content: &str,
) -> Vec<Alike> {
    let filter = Filter {
        namespaces: vec![namespace.clone()],
        scopes: vec![scope],
        ..Filter::default()
    };
    let search = &desk.inside().recall.search;
    let query = longest_words(content);
    let hits = match search.by_text(reach.clone(), filter, query, CANDIDATES).await {
        Ok(hits) => hits,
        Err(error) => {
            tracing::warn!(%error, "nearly equal memories could not be looked for");
            return Vec::new();
        }
    };
    let mut found: Vec<Alike> = hits
        .iter()
        .map(|hit| (hit, similarity(content, &hit.memory.content)))
        .filter(|(_, similarity)| ALIKE <= *similarity)
        .map(|(hit, similarity)| Alike {
            id: hit.memory.id.to_string(),
            urn: urn(&desk.face, &hit.memory),
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

/// How much two texts share: pairs of neighbouring words in both, of those in either.
pub(super) fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (pairs(one), pairs(other));
    let both = one.intersection(&other).count();
    let either = one.len() + other.len() - both;
    // Counts of words, far below what a float holds exactly.
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}

fn pairs(text: &str) -> HashSet<(String, String)> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let begin = std::iter::once(String::new()).chain(words.iter().cloned());
    begin.zip(words.iter().cloned()).collect()
}

#[cfg(test)]
mod tests;
