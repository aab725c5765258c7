//! Search by words: candidates by the words they have, then exactly, with length and neighbours.

use super::neighbours::neighbours;
use super::postings;
use super::score::{Question, roughly};
use super::sieve::Sieve;
use crate::memory::{Filter, Memory, Reach, TextHit};
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
        if let Some(memory) = sieve.pass(number)? {
            found.0.push((number, memory, neighbours(connection, reach, number)?));
        }
    }
    for number in found.beside_the_best() {
        if let Some(memory) = sieve.pass(number)? {
            found.0.push((number, memory, neighbours(connection, reach, number)?));
        }
    }
    Ok(found.best(&question, most))
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

/// Candidates that passed the filter with their neighbours, in their rough order.
#[derive(Default)]
struct Found(Vec<(i64, Memory, [Option<i64>; 2])>);

impl Found {
    /// Neighbours of the best that are no candidates yet.
    fn beside_the_best(&self) -> Vec<i64> {
        let best = self.0.iter().take(WITH_NEIGHBOURS);
        let mut numbers: Vec<i64> = best.flat_map(|(_, _, beside)| *beside).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| self.0.iter().all(|(known, ..)| known != number));
        numbers
    }

    fn best(self, question: &Question, most: usize) -> Vec<TextHit> {
        let fit = |(number, memory, beside): (i64, Memory, _)| {
            let fit = question.fit(number, memory.content.len(), beside);
            (number, TextHit { memory, fit })
        };
        let mut hits: Vec<(i64, TextHit)> = self.0.into_iter().map(fit).collect();
        hits.sort_by(|(one, left), (other, right)| {
            right.fit.total_cmp(&left.fit).then(other.cmp(one))
        });
        hits.truncate(most);
        hits.into_iter().map(|(_, hit)| hit).collect()
    }
}
