//! Reads which memories have the words of a query, and how often.
//!
//! The cache of frequent words is asked first; reading is bounded for each word and for all.

use super::frequent::{FrequentTerms, IndexVersion};
use super::passing::NumberSet;
use crate::search::{Posting, PostingList};
use crate::words::{QueryTerm, TokenKind};
use rusqlite::{Connection, Result};
use std::sync::Arc;

/// Places that are read for one term, and for all terms of a query: reading on would take longer
/// than anyone waits. Every term gets its share, whichever comes first.
const MAX_PLACES_PER_TERM: usize = 60_000;
const MAX_PLACES: usize = 200_000;
/// The same where only the number counts: what is in more places is not rare at all.
const MAX_PLACES_FOR_RARITY: usize = 5_000;

/// How many memories it takes to know how rare a word is.
const FEW: f64 = 1_000.0;

/// What a word counts that no memory has. It says that something else is meant, but people also ask
/// with words that nobody wrote down.
const UNKNOWN: f64 = 0.7;

/// A term of a query and where it is.
#[derive(Debug)]
pub(super) struct Term {
    /// How much it says: the fewer have it, the more.
    pub(super) weight: f64,
    /// By number, each memory once.
    pub(super) postings: Arc<Vec<Posting>>,
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
pub(super) fn read(
    connection: &Connection,
    frequent_words: &FrequentTerms,
    reach: Option<&NumberSet>,
    terms_asked: &[QueryTerm],
) -> Result<Vec<Term>> {
    let version = IndexVersion::read(connection)?;
    let all = all_memories(connection, reach)?;
    let (mut terms, mut frequent) = (Vec::with_capacity(terms_asked.len()), Vec::new());
    let share = (MAX_PLACES / terms_asked.len().max(1)).min(MAX_PLACES_PER_TERM);
    for word in terms_asked {
        let places = match frequent_words.get(version, &word.term) {
            Some(known) => known,
            None => {
                let read = places(connection, &word.term, share)?;
                if read.count < share {
                    frequent_words.insert(version, &word.term, &read);
                }
                read
            }
        };
        let places = within(places, reach);
        if places.postings.is_empty() && word.kind == TokenKind::Whole {
            continue;
        }
        let PostingList { postings, count } = places;
        let known = if postings.is_empty() { UNKNOWN } else { 1.0 };
        let term = Term { weight: known * weight(all, postings.len()), postings };
        // Of what is everywhere only the oldest places were read, and it says little anyway.
        if share <= count { frequent.push(term) } else { terms.push(term) }
    }
    Ok(if terms.iter().any(|term| !term.postings.is_empty()) { terms } else { frequent })
}

/// How much each term says: the fewer memories have it, the more.
pub(super) fn rarities<'t>(
    connection: &Connection,
    frequent_words: &FrequentTerms,
    reach: Option<&NumberSet>,
    terms: impl Iterator<Item = &'t str>,
) -> Result<Vec<f64>> {
    let version = IndexVersion::read(connection)?;
    let all = all_memories(connection, reach)?;
    let sample = |term: &str| -> Result<PostingList> {
        match frequent_words.sample(version, term) {
            Some(known) => Ok(known),
            None => {
                let read = places(connection, term, MAX_PLACES_FOR_RARITY)?;
                frequent_words.insert_sample(version, term, &read);
                Ok(read)
            }
        }
    };
    let having = |term: &str| -> Result<usize> {
        match (reach, frequent_words.count(version, all, term)) {
            (None, Some(known)) => Ok(known),
            (None, None) => {
                let count = places(connection, term, MAX_PLACES_FOR_RARITY)?.postings.len();
                frequent_words.insert_count(version, all, term, count);
                Ok(count)
            }
            (Some(_), _) => Ok(within(sample(term)?, reach).postings.len()),
        }
    };
    terms.map(|term| Ok(weight(all, having(term)?))).collect()
}

/// About how many memories there are: in the whole store, or within reach.
fn all_memories(connection: &Connection, reach: Option<&NumberSet>) -> Result<i64> {
    match reach {
        Some(reach) => Ok(i64::try_from(reach.len()).unwrap_or(i64::MAX)),
        None => {
            let sql = "SELECT coalesce(max(number), 0) FROM memories";
            connection.prepare_cached(sql)?.query_row((), |row| row.get(0))
        }
    }
}

/// Those places of a term that are within reach. How often it is read is left as it is.
fn within(places: PostingList, reach: Option<&NumberSet>) -> PostingList {
    let Some(reach) = reach else { return places };
    let reached = places.postings.iter().filter(|posting| reach.contains(posting.memory));
    PostingList { postings: Arc::new(reached.copied().collect()), count: places.count }
}

/// Where a term is, as far as so many places.
fn places(connection: &Connection, term: &str, limit: usize) -> Result<PostingList> {
    let sql = "SELECT doc, col FROM memory_places WHERE term = ?1 LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((term, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let (mut postings, mut count): (Vec<Posting>, usize) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        count += 1;
        let memory = row.get(0)?;
        let in_body = row.get_ref(1)?.as_bytes()? == b"body";
        if postings.last().is_none_or(|last| last.memory != memory) {
            postings.push(Posting { memory, body: 0, labels: 0 });
        }
        if let Some(last) = postings.last_mut() {
            let times = if in_body { &mut last.body } else { &mut last.labels };
            *times = times.saturating_add(1);
        }
    }
    Ok(PostingList { postings: Arc::new(postings), count })
}

/// Of so many memories, so many have it. Where there are only a few memories, that says little of
/// how rare a word is, and a word that none has must not outweigh the others: it is taken for one
/// of many more that nobody captured.
fn weight(all: i64, having: usize) -> f64 {
    let having = having as f64;
    let all = (all as f64).max(having).max(FEW);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}
