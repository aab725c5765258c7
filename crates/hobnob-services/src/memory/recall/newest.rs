//! Puts a newer memory above the older one that it replaces, whether capture marked the older one or
//! both texts show it.
//!
//! Nothing is removed: the older one follows directly. `arrange` calls it, unless the question asks
//! for the past.

use super::fuse::Found;
use super::replaced::{Replacement, compare};
use super::statement::Statement;
use hobnob_store::memory::Memory;

/// Best hits that are compared with each other.
const MAX_COMPARED: usize = 16;
/// A newer hit with a much lower score answers another question.
const MAX_SCORE_GAP: f64 = 0.35;

/// The hits with each newer one above the older ones that it replaces. Scores still fall: a newer
/// one that moves up gets the score of the older one.
pub(super) fn newest_first(found: Vec<Found>, question: &str) -> Vec<Found> {
    let newer = newer_of_each(&found, question);
    let mut order = Order { rest: found.into_iter().map(Some).collect(), sorted: Vec::new() };
    for place in 0..newer.len() {
        order.add(place, &newer, 0.0);
    }
    order.sorted
}

/// For each hit, the places of those that replace it, newest first.
fn newer_of_each(found: &[Found], question: &str) -> Vec<Vec<usize>> {
    let asked = Statement::of(question);
    let compared = found.iter().take(MAX_COMPARED);
    let statements: Vec<Statement> = compared.map(|it| Statement::of(&it.memory.content)).collect();
    let replaces = |older: usize, newer: usize| {
        let (Some(old), Some(new)) = (found.get(older), found.get(newer)) else { return false };
        if old.memory.superseded_by.as_ref() == Some(&new.memory.id) {
            return true;
        }
        let (Some(one), Some(other)) = (statements.get(older), statements.get(newer)) else {
            return false;
        };
        is_newer_in_place(&old.memory, &new.memory)
            && old.score - new.score <= MAX_SCORE_GAP
            && match compare(one, other) {
                Some(Replacement::Certain) => true,
                // The question may name the value that only the older one has.
                Some(Replacement::Possible) => {
                    !one.words.iter().any(|word| asked.has(word) && !other.has(word))
                }
                None => false,
            }
    };
    (0..found.len())
        .map(|older| {
            let mut newer: Vec<usize> = (0..found.len())
                .filter(|newer| older != *newer && replaces(older, *newer))
                .collect();
            newer.sort_by_key(|place| {
                std::cmp::Reverse(found.get(*place).map(|it| it.memory.created))
            });
            newer
        })
        .collect()
}

/// Whether the second memory was captured later, by the same owner and for the same readers.
fn is_newer_in_place(older: &Memory, newer: &Memory) -> bool {
    older.created < newer.created && older.scope == newer.scope && older.owner == newer.owner
}

/// The hits that are sorted already, and the others in their places.
struct Order {
    rest: Vec<Option<Found>>,
    sorted: Vec<Found>,
}

impl Order {
    /// Adds a hit after all that replace it. A circle ends at the hit where it began.
    fn add(&mut self, place: usize, newer: &[Vec<usize>], min_score: f64) {
        let Some(mut found) = self.rest.get_mut(place).and_then(Option::take) else { return };
        found.score = found.score.max(min_score);
        for other in newer.get(place).into_iter().flatten() {
            self.add(*other, newer, found.score);
        }
        self.sorted.push(found);
    }
}
