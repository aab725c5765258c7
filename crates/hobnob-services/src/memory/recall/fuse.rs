//! Words and meaning as one score. Both are 0 to 1 before they are joined, so that a sum of them
//! says more than ranks would: a list's best can be good or bad.

use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryId};
use std::collections::HashMap;

/// What words count where one text has them all; the rest is meaning. A question whose words are
/// there is better answered by them than by a small model, and where the best text has only a part
/// of them, words count only that part of it: the answer is probably said in others.
const WORDS: f64 = 0.65;
/// How well words of a query fit by chance; beside a model's word, that counts for nothing. A single
/// word of three or four is found in many texts that are about something else.
const CHANCE: f64 = 0.32;
/// The most that being new adds to a score, and after how many days half of it is left.
const NEW: f64 = 0.02;
const HALF_LIFE: f64 = 30.0;
/// What it adds that the question names the namespace.
const NAMED: f64 = 0.03;

/// What a memory gets of its source: this share of what its source has more than itself. A source
/// has the mean of its best memories.
const OF_SOURCE: f64 = 0.1;
const BEST_OF_SOURCE: usize = 3;

/// What the best hit must reach for there to be anything to show: where only words are known, where
/// only meaning is, and where both are, by one of them.
const ENOUGH_ALONE: f64 = 0.28;
const ENOUGH_MEANING: f64 = 0.22;
const ENOUGH_WORDS: f64 = 0.40;
/// What is enough of words alone where most of the query is in no memory at all: this much of the
/// whole, and this much of what is in any.
const ENOUGH_DESPITE_UNKNOWN: f64 = 0.08;
const ENOUGH_OF_KNOWN: f64 = 0.5;
/// What the best hit must reach not to be called weak. Most questions that nothing answers stay
/// below, and few of those that are answered.
const WEAK: f64 = 0.35;
/// What a hit must have beside better ones.
const LEAST_WORDS: f64 = 0.12;
const LEAST: f64 = 0.15;

/// A memory, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) memory: Memory,
    /// How well its words fit; 1 and more is about all of them.
    pub(super) words: Option<f64>,
    /// How near its meaning is.
    pub(super) meaning: Option<f64>,
    pub(super) score: f64,
}

/// Hits of one search, best first, each with its measure.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) hits: Vec<(Memory, f64)>,
    /// The share of what was asked that any memory has: words that nobody wrote down are not in it.
    pub(super) known: f64,
}

/// What does not depend on one search alone.
#[derive(Debug)]
pub(super) struct Priors<'a> {
    pub(super) now: Time,
    /// The words of the query.
    pub(super) asked: &'a [String],
}

/// What was found by words alone, best first; nothing if nothing is relevant. What has most of the
/// words that are known is an answer, although a weak one, where most words are not.
pub(super) fn by_words(listed: Listed, priors: &Priors<'_>) -> Vec<Found> {
    let known = listed.known;
    let has_known =
        |words: f64| ENOUGH_DESPITE_UNKNOWN <= words && ENOUGH_OF_KNOWN <= words / known;
    let enough = ENOUGH_ALONE <= listed.best() || has_known(listed.best());
    let fits = |words: f64| LEAST_WORDS <= words || has_known(words);
    let found = listed.hits.into_iter().filter(|(_, words)| enough && fits(*words));
    let found = found.map(|(memory, words)| Found {
        score: words,
        words: Some(words),
        meaning: None,
        memory,
    });
    in_order(found.collect(), priors)
}

/// What was found by meaning alone.
pub(super) fn by_meaning(listed: Listed, priors: &Priors<'_>) -> Vec<Found> {
    let enough = ENOUGH_MEANING <= listed.best();
    let found = listed.hits.into_iter().filter(|(_, meaning)| enough && LEAST <= *meaning);
    let found = found.map(|(memory, meaning)| Found {
        score: meaning,
        words: None,
        meaning: Some(meaning),
        memory,
    });
    in_order(found.collect(), priors)
}

/// What was found by both.
pub(super) fn by_both(words: Listed, meaning: Listed, priors: &Priors<'_>) -> Vec<Found> {
    if words.best() < ENOUGH_WORDS && meaning.best() < ENOUGH_MEANING {
        return Vec::new();
    }
    let by_words = WORDS * words.best().min(1.0);
    let mut found = join(words, meaning);
    for it in &mut found {
        let words = it.words.unwrap_or_default();
        // Without a vector there is only the text to go by.
        let meaning = it.meaning.unwrap_or(words);
        let words = (words - CHANCE).max(0.0) / (1.0 - CHANCE);
        it.score = (1.0 - by_words) * meaning + by_words * words;
    }
    add_sources(&mut found);
    found.retain(|it| LEAST <= it.score);
    in_order(found, priors)
}

/// Whether even the best of these fits poorly.
pub(super) fn are_weak(found: &[Found]) -> bool {
    found.first().is_some_and(|best| best.score < WEAK)
}

/// Gives each memory its share of what its source has: a conversation that is about the question
/// makes its turns more likely.
fn add_sources(found: &mut [Found]) {
    let mut sources: HashMap<String, Vec<f64>> = HashMap::new();
    for it in &*found {
        if let Some(source) = &it.memory.source {
            sources.entry(source.clone()).or_default().push(it.score);
        }
    }
    for scores in sources.values_mut() {
        scores.sort_by(|one, other| other.total_cmp(one));
        scores.truncate(BEST_OF_SOURCE);
    }
    for it in found {
        let Some(scores) = it.memory.source.as_ref().and_then(|it| sources.get(it)) else {
            continue;
        };
        let mean = scores.iter().sum::<f64>() / BEST_OF_SOURCE as f64;
        it.score += OF_SOURCE * (mean - it.score).max(0.0);
    }
}

impl Listed {
    /// Hits of a search for something that is known.
    pub(super) fn of(hits: Vec<(Memory, f64)>) -> Self {
        Self { hits, known: 1.0 }
    }

    fn best(&self) -> f64 {
        self.hits.iter().map(|(_, measure)| *measure).fold(0.0, f64::max)
    }
}

/// Each memory once, with what both lists say of it.
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

/// The best first, the newer one where two are alike; scores end at 1.
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
        let new = NEW * (-days / HALF_LIFE).exp2();
        let mut named = 0.0;
        hobnob_store::words::each_word(memory.namespace.as_str(), |word| {
            if self.asked.iter().any(|asked| asked == word.term) {
                named = NAMED;
            }
        });
        new + named
    }
}
