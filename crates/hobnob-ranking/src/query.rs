//! Query expansion: converts a query in plain words to index terms, each with the variants that it
//! may mean.
//!
//! What must stay true: the work is bounded for any input.

use crate::common_words::{is_filler, is_light};
use crate::index::{TermId, ToolIndex};
use crate::shapes::WordShape;
use crate::synonyms::{Expression, MAX_EXPRESSION_WORDS, Synonyms};
use crate::words::{parts, stem};
use std::collections::HashMap;

/// Maximum words and bytes of a query; the rest is ignored.
const WORD_LIMIT: usize = 64;
const BYTE_LIMIT: usize = 2048;

/// The weights of words that say little, and of stop words that have synonyms ("who").
const LIGHT_WEIGHT: f32 = 0.35;
const FILLER_WEIGHT: f32 = 0.35;

/// The weight factor of the words of a fact to keep.
const FACT_WEIGHT: f32 = 0.15;

/// The weights of variants: synonyms of an expression of one word, of two and so on (a longer one
/// is less likely there by chance), compounds written as one word or two, similar spellings.
const SYNONYM_WEIGHTS: [f32; MAX_EXPRESSION_WORDS] = [0.6, 0.75, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0];
const COMPOUND_WEIGHT: f32 = 1.0;
const SIMILAR_WEIGHT: f32 = 0.9;

/// Maximum number of similar spellings to look up.
const SIMILAR_LIMIT: usize = 8;

/// A word of the query with its variants.
#[derive(Debug, Default)]
pub(crate) struct AskedTerm {
    /// The weight of the word.
    pub(crate) weight: f32,
    /// What the word may mean, each with a weight.
    pub(crate) variants: Vec<Variant>,
}

/// Terms that must all be in a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    pub(crate) terms: Vec<TermId>,
    pub(crate) weight: f32,
}

/// A word of the query as typed, and its stem.
struct Word {
    part: String,
    stem: String,
}

/// The words of a query, up to the limits.
pub(crate) fn query_parts(query: &str) -> Vec<String> {
    let query = query.get(..query.floor_char_boundary(BYTE_LIMIT)).unwrap_or_default();
    let mut found = Vec::new();
    for typed in query.split_whitespace() {
        let shape = WordShape::of(typed);
        if !matches!(shape, WordShape::Instead(_)) {
            found.extend(parts(typed));
        }
        if let WordShape::Instead(what) | WordShape::Beside(what) = shape {
            found.push(what.to_owned());
        }
    }
    found.truncate(WORD_LIMIT);
    found
}

/// Expands the words of a query for this index; from `fact_start` on they are a fact to keep.
pub(crate) fn read(index: &ToolIndex, parts: &[String], fact_start: usize) -> Vec<AskedTerm> {
    let word = |part: &String| Word { stem: stem(part), part: part.clone() };
    let words: Vec<Word> = parts.iter().map(word).collect();
    let all_fillers = words.iter().all(|word| is_filler(&word.part));
    let expressions = expressions(&words);
    let scattered = scattered(&words);
    let mut query: Vec<AskedTerm> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let filler = is_filler(&word.part) && !all_fillers;
        let mut term = AskedTerm { weight: 1.0, variants: Vec::new() };
        if filler {
            term.weight = FILLER_WEIGHT;
        } else if is_light(&word.part) {
            term.weight = LIGHT_WEIGHT;
            term.add(exact(index, &word.stem, 1.0));
        } else {
            term.add(exact(index, &word.stem, 1.0));
        }
        // An expression's synonyms stand for each of its words; a filler counts only as part of an
        // expression.
        let expression = expressions.iter().find(|it| it.contains(&at)).cloned();
        let range = expression.unwrap_or(at..at + 1);
        let lone = range.len() == 1 || words[range.clone()].iter().all(|it| is_filler(&it.part));
        if !filler || (lone && range.start == at) {
            let stems: Vec<String> = words[range].iter().map(|it| it.stem.clone()).collect();
            let weight = synonym_weight(stems.len());
            widen(index, Synonyms::built_in().of(&stems), weight, &mut term);
        }
        for found in scattered.iter().filter(|it| it.places.contains(&at)) {
            widen(index, found.meant, synonym_weight(found.places.len()), &mut term);
        }
        if !filler {
            compounds(index, &words, at, &mut term);
            if term.variants.is_empty() {
                similar(index, &word.stem, &mut term);
            }
        }
        if fact_start <= at {
            term.weight *= FACT_WEIGHT;
        }
        if !filler || !term.variants.is_empty() {
            query.push(term);
        }
    }
    query
}

/// The words of one of our own synonyms, without expansion.
pub(crate) fn read_literally(index: &ToolIndex, parts: &[String]) -> Vec<AskedTerm> {
    let term = |part: &String| AskedTerm {
        weight: if is_light(part) { LIGHT_WEIGHT } else { 1.0 },
        variants: exact(index, &stem(part), 1.0).into_iter().collect(),
    };
    parts.iter().map(term).collect()
}

impl AskedTerm {
    fn add(&mut self, variant: Option<Variant>) {
        let Some(variant) = variant else { return };
        match self.variants.iter_mut().find(|known| known.terms == variant.terms) {
            Some(known) => known.weight = known.weight.max(variant.weight),
            None => self.variants.push(variant),
        }
    }
}

fn exact(index: &ToolIndex, stem: &str, weight: f32) -> Option<Variant> {
    Some(Variant { terms: vec![index.term(stem)?], weight })
}

/// Multi-word expressions of the query that have synonyms: longest first, without overlap.
fn expressions(words: &[Word]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for length in (2..=MAX_EXPRESSION_WORDS).rev() {
        for (at, part) in words.windows(length).enumerate() {
            let stems: Vec<String> = part.iter().map(|word| word.stem.clone()).collect();
            let free = found.iter().all(|it| at + length <= it.start || it.end <= at);
            if free && !Synonyms::built_in().of(&stems).is_empty() {
                found.push(at..at + length);
            }
        }
    }
    found
}

/// An expression whose content words are all in the query, anywhere.
struct Scattered {
    places: Vec<usize>,
    meant: &'static [Expression],
}

/// Expressions of several content words that are all in the query, in any order.
fn scattered(words: &[Word]) -> Vec<Scattered> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !is_filler(&word.part)) {
        places.entry(&word.stem).or_insert(at);
    }
    let mut firsts: Vec<(&str, usize)> = places.iter().map(|(stem, at)| (*stem, *at)).collect();
    firsts.sort_unstable_by_key(|(_, at)| *at);
    let mut found = Vec::new();
    for (first, _) in firsts {
        for (expression, meant) in Synonyms::built_in().scattered(first) {
            let place = |stem: &String| places.get(stem.as_str()).copied();
            if let Some(places) = expression.content.iter().map(place).collect() {
                found.push(Scattered { places, meant });
            }
        }
    }
    found
}

/// The weight of a synonym of an expression of this many words.
fn synonym_weight(words: usize) -> f32 {
    SYNONYM_WEIGHTS[words.clamp(1, MAX_EXPRESSION_WORDS) - 1]
}

fn widen(index: &ToolIndex, synonyms: &[Expression], weight: f32, term: &mut AskedTerm) {
    for synonym in synonyms {
        let terms: Option<Vec<TermId>> = synonym.iter().map(|word| index.term(word)).collect();
        term.add(terms.map(|terms| Variant { terms, weight }));
    }
}

/// "time zone" is also `timezone`, and "timezone" is also `time` and `zone`.
fn compounds(index: &ToolIndex, words: &[Word], at: usize, term: &mut AskedTerm) {
    for (first, second) in [(at.checked_sub(1), Some(at)), (Some(at), Some(at + 1))] {
        let pair = first.and_then(|it| words.get(it)).zip(second.and_then(|it| words.get(it)));
        if let Some((first, second)) = pair {
            term.add(exact(
                index,
                &stem(&format!("{}{}", first.part, second.part)),
                COMPOUND_WEIGHT,
            ));
        }
    }
    let part = words[at].part.as_str();
    if index.term(&words[at].stem).is_none() {
        for cut in 3..part.len().saturating_sub(2) {
            if let Some((first, second)) = part.split_at_checked(cut) {
                let terms = index.term(&stem(first)).zip(index.term(&stem(second)));
                term.add(terms.map(|(first, second)| Variant {
                    terms: vec![first, second],
                    weight: COMPOUND_WEIGHT,
                }));
            }
        }
    }
}

/// For a word that no tool has: words with a common prefix, and words at edit distance 1.
fn similar(index: &ToolIndex, stem: &str, term: &mut AskedTerm) {
    if stem.len() < 4 {
        return;
    }
    let mut found: Vec<(&str, TermId)> = index
        .vocabulary()
        .filter(|(word, _)| 4 <= word.len())
        .filter(|(word, _)| {
            word.starts_with(stem) || stem.starts_with(word) || differs_once(word, stem)
        })
        .collect();
    found.sort_unstable();
    for (_, number) in found.into_iter().take(SIMILAR_LIMIT) {
        term.add(Some(Variant { terms: vec![number], weight: SIMILAR_WEIGHT }));
    }
}

/// Whether the edit distance is 1: a letter omitted, added, replaced, or swapped with the next.
fn differs_once(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len().abs_diff(other.len()) > 1 || one.len().min(other.len()) < 4 {
        return false;
    }
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[same..], &other[same..]);
    match one.len().cmp(&other.len()) {
        std::cmp::Ordering::Less => other.get(1..) == Some(one),
        std::cmp::Ordering::Greater => one.get(1..) == Some(other),
        std::cmp::Ordering::Equal => {
            let swapped = 2 <= one.len() && one[0] == other[1] && one[1] == other[0];
            one.get(1..) == other.get(1..) || (swapped && one[2..] == other[2..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{differs_once, query_parts, read};
    use crate::{ToolDocument, ToolIndex};
    use serde_json::json;

    #[test]
    fn a_slip_of_one_letter_is_seen() {
        let cases = [
            ("directory", "directroy", true),
            ("directory", "direcory", true),
            ("directory", "directoryy", true),
            ("directory", "dirextory", true),
            ("directory", "dictionary", false),
            ("directory", "directory", true),
            ("cat", "car", false),
            ("", "abcde", false),
        ];
        for (one, other, expected) in cases {
            assert_eq!(differs_once(one, other), expected, "{one} {other}");
            assert_eq!(differs_once(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn words_are_widened_and_fillers_are_not_looked_for() {
        let definition = json!({"name": "create_directory", "description": "The timezone of it."});
        let index = ToolIndex::build([ToolDocument::from_definition("s", &definition)]);
        let variants = |query: &str| -> Vec<usize> {
            let parts = query_parts(query);
            let terms = read(&index, &parts, parts.len());
            terms.iter().map(|term| term.variants.len()).collect()
        };
        let cases: &[(&str, &[usize])] = &[
            // An indexed word, without synonyms in this index.
            ("directory", &[1]),
            ("the directory of it", &[1]),
            ("folder", &[1]),
            // Both words expand to the compound.
            ("time zone", &[1, 1]),
            // An unknown word still has its weight.
            ("xylophone", &[0]),
            ("the", &[1]),
        ];
        for (query, expected) in cases {
            assert_eq!(variants(query), *expected, "{query}");
        }
    }

    #[test]
    fn a_long_query_is_cut_between_letters() {
        assert!(query_parts(&"ä".repeat(10_000)).len() <= 1);
        assert_eq!(query_parts(&"a b ".repeat(10_000)).len(), super::WORD_LIMIT);
    }
}
