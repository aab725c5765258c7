//! Prefers memories of the time that a question names, by when they were captured or by the dates
//! in their texts. It is a preference, not a filter: a much better match of another time stays first.
//!
//! `find` searches that time once more, so that its memories are among the hits.

use super::date_words::{ARTICLES, SINCE_EVENT};
use super::dates::{NamedTime, calendar_days, named_time, words_of};
use super::fuse::Found;
use super::request::{RecallError, RecallRequest};
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryAccess, MemoryFilter, MemoryId, MemorySearch};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::HashSet;
use std::ops::Range;

/// The share of the gap to a full score that a memory of the named time gains.
const BOOST: f64 = 0.4;
/// The same for a time without a beginning or an end, into which many memories fall.
const OPEN_BOOST: f64 = 0.15;
/// A time of more days counts as open.
const MAX_CLOSED_DAYS: i32 = 400;
/// Memories about an event that are looked at to find its date.
const MAX_EVENT_HITS: usize = 16;

/// The time that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedTime {
    days: Range<Date>,
    times: Range<Time>,
    /// The question without the words for the time.
    query: String,
}

impl AskedTime {
    /// The time that a question names by itself or by an event that a memory is about.
    pub(super) async fn of(
        search: &dyn MemorySearch,
        access: &MemoryAccess,
        request: &RecallRequest,
        zone: &TimeZone,
    ) -> Result<Option<Self>, RecallError> {
        let words = words_of(&request.query);
        let Some(today) = day_of(access.now, zone) else { return Ok(None) };
        let named = match named_time(&words, today) {
            Some(named) => Some(named),
            None => match event(&words) {
                Some(event) => event.time(search, access, request, zone).await?,
                None => None,
            },
        };
        Ok(named.and_then(|named| Self::new(named, &words, zone)))
    }

    fn new(named: NamedTime, words: &[String], zone: &TimeZone) -> Option<Self> {
        let NamedTime { days, words: at } = named;
        let time = |day: Date| match day {
            Date::MIN => Some(Time::from_millis(i64::MIN)),
            day => Some(Time::from_millis(
                day.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond(),
            )),
        };
        let times = time(days.start)?..time(days.end)?;
        let rest = words.iter().enumerate().filter(|(place, _)| !at.contains(place));
        let rest: Vec<&str> = rest.map(|(_, word)| word.as_str()).collect();
        Some(Self { days, times, query: rest.join(" ") })
    }

    /// The same request for memories that were captured in that time.
    pub(super) fn within(&self, request: &RecallRequest) -> RecallRequest {
        let MemoryFilter { since, until, .. } = request.filter;
        let filter = MemoryFilter {
            since: since.max(Some(self.times.start)),
            until: Some(until.map_or(self.times.end, |until| until.min(self.times.end))),
            ..request.filter.clone()
        };
        let has_words = !hobnob_store::words::query_terms(&self.query).is_empty();
        let query = if has_words { self.query.clone() } else { request.query.clone() };
        RecallRequest { query, filter, ..request.clone() }
    }

    /// Both lists as one, with the memories of that time ahead of equally good ones.
    pub(super) fn prefer(
        &self,
        found: Vec<Found>,
        within: Vec<Found>,
        zone: &TimeZone,
    ) -> Vec<Found> {
        let known: HashSet<MemoryId> = found.iter().map(|it| it.memory.id.clone()).collect();
        let better = |it: &Found| within.iter().find(|other| other.memory.id == it.memory.id);
        let mut all: Vec<Found> = found
            .into_iter()
            .map(|it| Found {
                score: better(&it).map_or(it.score, |other| other.score.max(it.score)),
                ..it
            })
            .collect();
        all.extend(within.into_iter().filter(|it| !known.contains(&it.memory.id)));
        let boost = match self.days.end.since(self.days.start) {
            Ok(span) if span.get_days() <= MAX_CLOSED_DAYS && self.days.start != Date::MIN => BOOST,
            _ => OPEN_BOOST,
        };
        for it in &mut all {
            if self.has(&it.memory, zone) {
                it.score += boost * (1.0 - it.score).max(0.0);
            }
        }
        all.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score
                .then(other.memory.created.cmp(&one.memory.created))
                .then(one.memory.id.cmp(&other.memory.id))
        });
        all
    }

    fn has(&self, memory: &Memory, zone: &TimeZone) -> bool {
        if self.times.contains(&memory.created) {
            return true;
        }
        let Some(written) = day_of(memory.created, zone) else { return false };
        let days = calendar_days(&memory.content, written);
        days.iter().any(|day| self.days.start <= day.start && day.end <= self.days.end)
    }
}

/// An event from which a question counts: `since the release`, `seit dem Umzug`.
struct Event<'a> {
    words: &'a [String],
    at: Range<usize>,
}

/// Only `since` counts: questions with `after` and `before` are mostly about an order of steps.
fn event(words: &[String]) -> Option<Event<'_>> {
    let is = |place: usize, list: &[&str]| {
        words.get(place).is_some_and(|word| list.contains(&word.as_str()))
    };
    let start =
        (0..words.len()).find(|place| is(*place, SINCE_EVENT) && is(place + 1, ARTICLES))?;
    // The words up to the end of the question name the event, but not a whole sentence.
    let end = words.len().min(start + 5);
    let named = words.get(start + 2..end).filter(|named| !named.is_empty())?;
    Some(Event { words: named, at: start..end })
}

impl Event<'_> {
    /// The time from the newest memory that has all words of the event.
    async fn time(
        &self,
        search: &dyn MemorySearch,
        access: &MemoryAccess,
        request: &RecallRequest,
        zone: &TimeZone,
    ) -> Result<Option<NamedTime>, RecallError> {
        let terms = hobnob_store::words::query_terms(&self.words.join(" "));
        if terms.is_empty() {
            return Ok(None);
        }
        let (filter, query) = (request.filter.clone(), self.words.join(" "));
        let hits = search.by_text(access.clone(), filter, query, MAX_EVENT_HITS).await?;
        let is_about = |memory: &Memory| {
            let mut has = vec![false; terms.len()];
            hobnob_store::words::each_word(&memory.content, |word| {
                for (known, term) in has.iter_mut().zip(&terms) {
                    *known |= term.term == word.term;
                }
            });
            has.iter().all(|known| *known)
        };
        let about = hits.into_iter().map(|hit| hit.memory).filter(is_about);
        let Some(newest) = about.max_by_key(|memory| memory.created) else { return Ok(None) };
        let days = day_of(newest.created, zone).zip(day_of(access.now, zone));
        Ok(days.and_then(|(day, today)| {
            let end = today.tomorrow().ok()?;
            (day < end).then_some(NamedTime { days: day..end, words: self.at.clone() })
        }))
    }
}

fn day_of(time: Time, zone: &TimeZone) -> Option<Date> {
    let stamp = jiff::Timestamp::from_millisecond(time.millis()).ok()?;
    Some(stamp.to_zoned(zone.clone()).date())
}
