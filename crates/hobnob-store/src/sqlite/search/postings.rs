//! Which memories have the words of a query, and how often.

use crate::words::{Asked, Kind};
use rusqlite::{Connection, Result};

/// Places that are read for one term, and for all terms of a query. What is more frequent says
/// little, and reading on would take longer than anyone waits.
const MOST_OF_ONE: usize = 60_000;
const MOST: usize = 200_000;

/// How often a memory has a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Posting {
    /// The memory's number.
    pub(super) memory: i64,
    /// How often its content has it.
    pub(super) body: u16,
    /// How often what is said about it does.
    pub(super) labels: u16,
}

/// A term of a query and where it is.
#[derive(Debug)]
pub(super) struct Term {
    /// How much it says: the fewer have it, the more.
    pub(super) weight: f64,
    /// By number, each memory once.
    pub(super) postings: Vec<Posting>,
}

impl Term {
    /// How often a memory has it.
    pub(super) fn of(&self, memory: i64) -> Option<Posting> {
        let place = self.postings.binary_search_by_key(&memory, |posting| posting.memory).ok()?;
        self.postings.get(place).copied()
    }
}

/// Reads where the words of a query are. Names that nobody spelled so are left out: their parts
/// are words of the query too.
pub(super) fn read(connection: &Connection, asked: &[Asked]) -> Result<Vec<Term>> {
    let sql = "SELECT coalesce(max(number), 0) FROM memories";
    let all: i64 = connection.prepare_cached(sql)?.query_row((), |row| row.get(0))?;
    let mut terms = Vec::with_capacity(asked.len());
    let mut left = MOST;
    for word in asked {
        let postings = postings(connection, &word.term, left.min(MOST_OF_ONE))?;
        left -= postings.len().min(left);
        if postings.is_empty() && word.kind == Kind::Whole {
            continue;
        }
        terms.push(Term { weight: weight(all, postings.len()), postings });
    }
    Ok(terms)
}

fn postings(connection: &Connection, term: &str, most: usize) -> Result<Vec<Posting>> {
    let sql = "SELECT doc, col FROM memory_places WHERE term = ?1 LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((term, i64::try_from(most).unwrap_or(i64::MAX)))?;
    let mut postings: Vec<Posting> = Vec::new();
    while let Some(row) = rows.next()? {
        let memory = row.get(0)?;
        let in_body = row.get_ref(1)?.as_bytes()? == b"body";
        if postings.last().is_none_or(|last| last.memory != memory) {
            postings.push(Posting { memory, body: 0, labels: 0 });
        }
        if let Some(last) = postings.last_mut() {
            let count = if in_body { &mut last.body } else { &mut last.labels };
            *count = count.saturating_add(1);
        }
    }
    Ok(postings)
}

/// Of so many memories, so many have it.
fn weight(all: i64, having: usize) -> f64 {
    let having = having as f64;
    let all = (all as f64).max(having);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}
