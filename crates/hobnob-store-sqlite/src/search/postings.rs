//! Reads the postings of a query's words from the FTS5 index, and how rare words are.
//!
//! Asks the cache of frequent words first; reading is bounded per word and per query.

use crate::change_log::newest;
use hobnob_store::search::{
    FrequentTerms, IndexVersion, MAX_PLACES_FOR_RARITY, NumberSet, PostingList, Term, TermLookup,
    TermPosting, term_weight,
};
use hobnob_store::words::QueryTerm;
use rusqlite::{Connection, Result};
use std::sync::Arc;

/// Reads the postings of a query's words.
pub(super) fn read(
    connection: &Connection,
    frequent_words: &FrequentTerms,
    reach: Option<&NumberSet>,
    terms_asked: &[QueryTerm],
) -> Result<Vec<Term>> {
    let version = index_version(connection)?;
    let mut lookup = TermLookup::new(terms_asked.len(), all_memories(connection, reach)?);
    let share = lookup.share();
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
        lookup.add(word, places, reach);
    }
    Ok(lookup.finish())
}

/// The inverse document frequency of each term.
pub(super) fn rarities<'t>(
    connection: &Connection,
    frequent_words: &FrequentTerms,
    reach: Option<&NumberSet>,
    terms: impl Iterator<Item = &'t str>,
) -> Result<Vec<f64>> {
    let version = index_version(connection)?;
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
            (Some(_), _) => Ok(sample(term)?.within(reach).postings.len()),
        }
    };
    terms.map(|term| Ok(term_weight(all, having(term)?))).collect()
}

/// The version of the index that this reader sees.
fn index_version(connection: &Connection) -> Result<IndexVersion> {
    newest(connection).map(IndexVersion::after_change)
}

/// The approximate number of memories in the whole store or within reach.
fn all_memories(connection: &Connection, reach: Option<&NumberSet>) -> Result<i64> {
    match reach {
        Some(reach) => Ok(i64::try_from(reach.len()).unwrap_or(i64::MAX)),
        None => {
            let sql = "SELECT coalesce(max(number), 0) FROM memories";
            connection.prepare_cached(sql)?.query_row((), |row| row.get(0))
        }
    }
}

/// The postings of a term, up to `limit` occurrences.
fn places(connection: &Connection, term: &str, limit: usize) -> Result<PostingList> {
    let sql = "SELECT doc, col FROM memory_places WHERE term = ?1 LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((term, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let (mut postings, mut count): (Vec<TermPosting>, usize) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        count += 1;
        let memory = row.get(0)?;
        let in_body = row.get_ref(1)?.as_bytes()? == b"body";
        if postings.last().is_none_or(|last| last.memory != memory) {
            postings.push(TermPosting { memory, body: 0, labels: 0 });
        }
        if let Some(last) = postings.last_mut() {
            let times = if in_body { &mut last.body } else { &mut last.labels };
            *times = times.saturating_add(1);
        }
    }
    Ok(PostingList { postings: Arc::new(postings), count })
}
