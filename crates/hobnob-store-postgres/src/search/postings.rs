//! Reads the postings of a query's words, and how rare words are.
//!
//! Asks the cache of frequent words first; reading is bounded per word and per query.

use super::work::SearchWork;
use crate::columns::{get, number};
use crate::error::Result;
use crate::value::SqlValue;
use hobnob_store::search::{
    FrequentTerms, IndexVersion, MAX_PLACES_FOR_RARITY, NumberSet, PostingList, Term, TermLookup,
    TermPosting, term_weight,
};
use hobnob_store::words::QueryTerm;
use std::collections::HashMap;
use std::sync::Arc;

/// Reads the postings of a query's words.
pub(super) async fn read(
    work: &SearchWork<'_>,
    frequent_words: &FrequentTerms,
    reach: Option<&NumberSet>,
    terms_asked: &[QueryTerm],
) -> Result<Vec<Term>> {
    let version = work.version.map(IndexVersion::after_change);
    let mut lookup = TermLookup::new(terms_asked.len(), all_memories(work, reach));
    let share = lookup.share();
    let mut known: HashMap<&str, PostingList> = HashMap::new();
    for word in terms_asked {
        let cached = version.and_then(|version| frequent_words.get(version, &word.term));
        known.extend(cached.map(|list| (word.term.as_str(), list)));
    }
    let unknown = terms_asked.iter().map(|word| word.term.as_str());
    let unknown: Vec<&str> = unknown.filter(|term| !known.contains_key(term)).collect();
    for (term, list) in unknown.iter().zip(places(work, &unknown, share).await?) {
        if let Some(version) = version.filter(|_| list.count < share) {
            frequent_words.insert(version, term, &list);
        }
        known.insert(*term, list);
    }
    for word in terms_asked {
        let list = known.get(word.term.as_str()).cloned().unwrap_or_default();
        lookup.add(word, list, reach);
    }
    Ok(lookup.finish())
}

/// The inverse document frequency of each term.
pub(super) async fn rarities(
    work: &SearchWork<'_>,
    frequent_words: &FrequentTerms,
    reach: Option<&NumberSet>,
    terms: &[&str],
) -> Result<Vec<f64>> {
    let version = work.version.map(IndexVersion::after_change);
    let all = all_memories(work, reach);
    let cached = |term: &str| match (version, reach) {
        (Some(version), None) => frequent_words.count(version, all, term),
        (Some(version), Some(_)) => {
            let list = frequent_words.sample(version, term)?;
            Some(list.within(reach).postings.len())
        }
        (None, _) => None,
    };
    let mut having: HashMap<&str, usize> =
        terms.iter().filter_map(|term| Some((*term, cached(term)?))).collect();
    let unknown: Vec<&str> =
        terms.iter().copied().filter(|term| !having.contains_key(term)).collect();
    for (term, list) in unknown.iter().zip(places(work, &unknown, MAX_PLACES_FOR_RARITY).await?) {
        match (version, reach) {
            (Some(version), None) => {
                frequent_words.insert_count(version, all, term, list.postings.len());
            }
            (Some(version), Some(_)) => frequent_words.insert_sample(version, term, &list),
            (None, _) => {}
        }
        having.insert(*term, list.within(reach).postings.len());
    }
    let count = |term: &&str| having.get(term).copied().unwrap_or_default();
    Ok(terms.iter().map(|term| term_weight(all, count(term))).collect())
}

/// The approximate number of memories in the whole store or within reach.
fn all_memories(work: &SearchWork<'_>, reach: Option<&NumberSet>) -> i64 {
    match reach {
        Some(reach) => i64::try_from(reach.len()).unwrap_or(i64::MAX),
        None => work.all,
    }
}

/// The postings of each term, up to `limit` occurrences, in one round trip.
async fn places(work: &SearchWork<'_>, terms: &[&str], limit: usize) -> Result<Vec<PostingList>> {
    let mut lists = vec![PostingList::default(); terms.len()];
    if terms.is_empty() {
        return Ok(lists);
    }
    let sql = "SELECT u.place, array_agg(p.memory ORDER BY p.memory), \
               array_agg(p.body ORDER BY p.memory), array_agg(p.labels ORDER BY p.memory) \
               FROM unnest($1) WITH ORDINALITY AS u (term, place), \
               LATERAL (SELECT q.memory, q.body, q.labels FROM memory_postings AS q \
                        WHERE q.term = u.term ORDER BY q.memory LIMIT $2) AS p GROUP BY u.place";
    let given = [SqlValue::texts(terms.iter().copied()), SqlValue::from(limit)];
    let found = work.transaction.all(sql, &given, |row| {
        let counts = (get::<Vec<i32>>(row, 2)?, get::<Vec<i32>>(row, 3)?);
        Ok((number(row, 0)?, within(get(row, 1)?, &counts, limit)))
    });
    for (place, list) in found.await? {
        let place = usize::try_from(place).unwrap_or_default().wrapping_sub(1);
        if let Some(slot) = lists.get_mut(place) {
            *slot = list;
        }
    }
    Ok(lists)
}

/// The first postings that together have at most `limit` occurrences; of the last memory only as
/// many count as fit, those of its content first.
fn within(memories: Vec<i64>, (body, labels): &(Vec<i32>, Vec<i32>), limit: usize) -> PostingList {
    let (mut postings, mut count) = (Vec::with_capacity(memories.len()), 0);
    for ((memory, body), labels) in memories.into_iter().zip(body).zip(labels) {
        let room = limit - count;
        if room == 0 {
            break;
        }
        let body = usize::try_from(*body).unwrap_or_default().min(room);
        let labels = usize::try_from(*labels).unwrap_or_default().min(room - body);
        count += body + labels;
        let saturated = |times: usize| u16::try_from(times).unwrap_or(u16::MAX);
        postings.push(TermPosting { memory, body: saturated(body), labels: saturated(labels) });
    }
    PostingList { postings: Arc::new(postings), count }
}
