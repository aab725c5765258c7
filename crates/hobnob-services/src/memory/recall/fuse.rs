//! Scores the hits of a recall, drops the irrelevant ones and sorts the rest. A hybrid search fuses
//! the word score and the meaning score.
//!
//! It adds scores instead of ranks, so the sum tells whether the best hit is good or bad.

use super::turn_weights::TurnWeights;
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryId};
use std::collections::{HashMap, HashSet};

/// The weight of words if one text has all words of the query; meaning has the rest. Matching words
/// answer a question better than a small model does. If the best text has only a part of the words,
/// their weight shrinks in proportion: the answer probably uses other words.
const WORD_WEIGHT: f64 = 0.65;
/// The word score that a text reaches by chance, which counts as zero beside a meaning score. One
/// of three or four query words occurs in many unrelated texts.
const CHANCE_SCORE: f64 = 0.32;
/// The largest recency boost, and the days after which half of it is left.
const RECENCY_BOOST: f64 = 0.02;
const HALF_LIFE_DAYS: f64 = 30.0;
/// The boost if the question names the memory's namespace.
const NAMESPACE_BOOST: f64 = 0.03;

/// Each memory gains this share of the gap between its own score and its source's. The score of a
/// source is the mean of its best memories.
const SOURCE_SHARE: f64 = 0.1;
const SOURCE_BEST: usize = 3;

/// The minimum score of the best hit for any hit to be shown: in a search by words only, by
/// meaning, and the word score in a hybrid search, where one of both suffices.
const MIN_BEST_ALONE: f64 = 0.28;
const MIN_BEST_MEANING: f64 = 0.22;
const MIN_BEST_WORDS: f64 = 0.40;
/// A weaker minimum for words if most of the query occurs in no memory: for the score, and for the
/// share of the known words.
const MIN_PARTIAL_SCORE: f64 = 0.08;
const MIN_KNOWN_SHARE: f64 = 0.5;
/// The minimum score of the best hit by words alone not to be called weak.
const WEAK_SCORE: f64 = 0.35;
/// The minimum scores of the other hits: by words, and in all other modes.
const MIN_WORDS: f64 = 0.12;
const MIN_SCORE: f64 = 0.15;

/// A memory with its scores.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) memory: Memory,
    /// The word score; 1 or more means about all of the query's words.
    pub(super) words: Option<f64>,
    /// The meaning score, from 0 to 1.
    pub(super) meaning: Option<f64>,
    pub(super) score: f64,
}

/// The hits of one search, best first, each with its score.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) hits: Vec<(Memory, f64)>,
    /// The share of the query, by weight, that occurs in any memory.
    pub(super) known: f64,
    /// The turns of conversations that ask, where the conversation goes on.
    pub(super) questions: HashSet<MemoryId>,
    /// How far the nearest memory stands out of the others, in a search by meaning.
    pub(super) contrast: Option<f64>,
}

/// Facts about a request that influence every search.
#[derive(Debug)]
pub(super) struct Priors<'a> {
    pub(super) now: Time,
    /// The terms of the query.
    pub(super) asked: &'a [String],
    pub(super) turns: TurnWeights,
}

/// Hits found by words alone, best first; empty if none is relevant. If most words of the query are
/// unknown, a memory with most of the known ones is a hit, although a weak one.
pub(super) fn by_words(listed: Listed, priors: &Priors<'_>) -> Vec<Found> {
    let known = listed.known;
    let has_known = |words: f64| MIN_PARTIAL_SCORE <= words && MIN_KNOWN_SHARE <= words / known;
    let enough = MIN_BEST_ALONE <= listed.best() || has_known(listed.best());
    let fits = |words: f64| MIN_WORDS <= words || has_known(words);
    let found = listed.hits.into_iter().filter(|(_, words)| enough && fits(*words));
    let found = found.map(|(memory, words)| Found {
        score: words,
        words: Some(words),
        meaning: None,
        memory,
    });
    in_order(found.collect(), priors)
}

/// Hits found by meaning alone, best first.
pub(super) fn by_meaning(listed: Listed, priors: &Priors<'_>) -> Vec<Found> {
    let enough = MIN_BEST_MEANING <= listed.best();
    let found = listed.hits.into_iter().filter(|(_, meaning)| enough && MIN_SCORE <= *meaning);
    let found = found.map(|(memory, meaning)| Found {
        score: meaning * priors.of_turn(&memory, &listed.questions),
        words: None,
        meaning: Some(meaning),
        memory,
    });
    in_order(found.collect(), priors)
}

/// Hits of a hybrid search, best first.
pub(super) fn by_both(words: Listed, mut meaning: Listed, priors: &Priors<'_>) -> Vec<Found> {
    if words.best() < MIN_BEST_WORDS && meaning.best() < MIN_BEST_MEANING {
        return Vec::new();
    }
    let by_words = WORD_WEIGHT * words.best().min(1.0);
    let questions = std::mem::take(&mut meaning.questions);
    let mut found = join(words, meaning);
    for it in &mut found {
        let words = it.words.unwrap_or_default();
        // Without a vector, the word score stands in for the meaning score.
        let meaning = it.meaning.unwrap_or(words);
        let words = (words - CHANCE_SCORE).max(0.0) / (1.0 - CHANCE_SCORE);
        it.score = (1.0 - by_words) * meaning + by_words * words;
    }
    add_sources(&mut found);
    for it in &mut found {
        it.score *= priors.of_turn(&it.memory, &questions);
    }
    found.retain(|it| MIN_SCORE <= it.score);
    in_order(found, priors)
}

/// Whether even the best hit of a search by words matches poorly.
pub(super) fn are_weak(found: &[Found]) -> bool {
    found.first().is_some_and(|best| best.score < WEAK_SCORE)
}

/// Moves each score towards that of its source: if a conversation is about the question, its turns
/// are more likely to answer it.
fn add_sources(found: &mut [Found]) {
    let mut sources: HashMap<String, Vec<f64>> = HashMap::new();
    for it in &*found {
        if let Some(source) = &it.memory.source {
            sources.entry(source.clone()).or_default().push(it.score);
        }
    }
    for scores in sources.values_mut() {
        scores.sort_by(|one, other| other.total_cmp(one));
        scores.truncate(SOURCE_BEST);
    }
    for it in found {
        let Some(scores) = it.memory.source.as_ref().and_then(|it| sources.get(it)) else {
            continue;
        };
        let mean = scores.iter().sum::<f64>() / SOURCE_BEST as f64;
        it.score += SOURCE_SHARE * (mean - it.score).max(0.0);
    }
}

impl Listed {
    /// The hits of a search in which the whole query is known.
    pub(super) fn of(hits: Vec<(Memory, f64)>) -> Self {
        Self { hits, known: 1.0, questions: HashSet::new(), contrast: None }
    }

    fn best(&self) -> f64 {
        self.hits.iter().map(|(_, measure)| *measure).fold(0.0, f64::max)
    }
}

/// Merges both lists by memory id.
fn join(words: Listed, meaning: Listed) -> Vec<Found> {
    let mut places: HashMap<MemoryId, usize> = HashMap::new();
    let mut found: Vec<Found> = Vec::with_capacity(words.hits.len() + meaning.hits.len());
    for (memory, words) in words.hits {
        places.insert(memory.id.clone(), found.len());
        found.push(Found { memory, words: Some(words), meaning: None, score: 0.0 });
    }
    for (memory, meaning) in meaning.hits {
        let known = places.get(&memory.id).and_then(|place| found.get_mut(*place));
        match known {
            Some(known) => known.meaning = Some(meaning),
            None => found.push(Found { memory, words: None, meaning: Some(meaning), score: 0.0 }),
        }
    }
    found
}

/// Applies the boosts, sorts by score and then newest first, and caps scores at 1.
fn in_order(mut found: Vec<Found>, priors: &Priors<'_>) -> Vec<Found> {
    for it in &mut found {
        it.score *= 1.0 + priors.of(&it.memory);
    }
    found.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score
            .then(other.memory.created.cmp(&one.memory.created))
            .then(one.memory.id.cmp(&other.memory.id))
    });
    for it in &mut found {
        it.score = it.score.clamp(0.0, 1.0);
    }
    found
}

impl Priors<'_> {
    fn of(&self, memory: &Memory) -> f64 {
        let age = self.now.millis().saturating_sub(memory.created.millis()).max(0);
        let days = age as f64 / 86_400_000.0;
        let new = RECENCY_BOOST * (-days / HALF_LIFE_DAYS).exp2();
        let mut named = 0.0;
        hobnob_store::words::each_word(memory.namespace.as_str(), |word| {
            if self.asked.iter().any(|asked| asked == word.term) {
                named = NAMESPACE_BOOST;
            }
        });
        new + named
    }

    /// The share of its score that a memory keeps.
    fn of_turn(&self, memory: &Memory, questions: &HashSet<MemoryId>) -> f64 {
        if questions.contains(&memory.id) { 1.0 - self.turns.question } else { 1.0 }
    }
}
