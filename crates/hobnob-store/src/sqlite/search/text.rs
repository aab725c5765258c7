//! Search by words: candidates by the words they have, then exactly, with length and neighbours.

use super::load::load;
use super::neighbours::neighbours;
use super::postings;
use super::score::{Question, roughly};
use super::sieve::Sieve;
use crate::memory::{Filter, Reach, TextHit};
use crate::sqlite::filter::Clause;
use crate::words::asked;
use rusqlite::{Connection, Result};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Candidates beyond those that are wanted, since the exact order differs from the rough one.
const MORE: usize = 32;
/// The best candidates' neighbours are candidates themselves.
const WITH_NEIGHBOURS: usize = 24;

/// The best by text, best first.
pub(super) fn by_text(
    connection: &Connection,
    reach: &Reach,
    filter: &Filter,
    query: &str,
    most: usize,
) -> Result<Vec<TextHit>> {
    let question = Question::new(postings::read(connection, &asked(query))?, query.len());
    let enough = most.saturating_add(MORE);
    let mut rough = rough_order(&question);
    let mut sieve = Sieve::new(connection, Clause::wanted(reach, filter), enough, rough.len())?;
    let mut found = Found::default();
    while found.0.len() < enough {
        let Some(Rough { number, .. }) = rough.pop() else { break };
        if let Some(length) = sieve.pass(number)? {
            let beside = neighbours(connection, reach, number)?;
            found.0.push(Candidate { number, length, beside });
        }
    }
    for number in found.beside_the_best() {
        if let Some(length) = sieve.pass(number)? {
            let beside = neighbours(connection, reach, number)?;
            found.0.push(Candidate { number, length, beside });
        }
    }
    let best = found.best(&question, most).into_iter();
    best.map(|(number, fit)| Ok(TextHit { memory: load(connection, number)?, fit })).collect()
}

/// A candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rough {
    score: f64,
    number: i64,
}

impl Eq for Rough {}

impl Ord for Rough {
    /// The newer one goes first where both fit alike.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Rough {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn rough_order(question: &Question) -> BinaryHeap<Rough> {
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for term in question.terms() {
        for posting in &term.postings {
            *scores.entry(posting.memory).or_default() += term.weight * roughly(*posting);
        }
    }
    scores.into_iter().map(|(number, score)| Rough { score, number }).collect()
}

/// What passed the filter.
struct Candidate {
    number: i64,
    /// In bytes.
    length: usize,
    beside: [Option<i64>; 2],
}

/// Candidates in their rough order.
#[derive(Default)]
struct Found(Vec<Candidate>);

impl Found {
    /// Neighbours of the best that are no candidates yet.
    fn beside_the_best(&self) -> Vec<i64> {
        let best = self.0.iter().take(WITH_NEIGHBOURS);
        let mut numbers: Vec<i64> = best.flat_map(|candidate| candidate.beside).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| self.0.iter().all(|known| known.number != *number));
        numbers
    }

    /// The best numbers and how well they fit, the newer one first where two are alike.
    fn best(&self, question: &Question, most: usize) -> Vec<(i64, f64)> {
        let fit = |it: &Candidate| (it.number, question.fit(it.number, it.length, it.beside));
        let mut best: Vec<(i64, f64)> = self.0.iter().map(fit).collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        best.truncate(most);
        best
    }
}
