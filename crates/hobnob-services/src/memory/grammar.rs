//! Memory filters: `ns:decisions tag:a,b -tag:c since:7d source:docs/* scope:user status:active`.
//!
//! The words of a filter are combined with "and", the values of one word with "or".

use hobnob_store::Time;
use hobnob_store::memory::{MemoryFilter, MemoryStatus, Namespace, ScopeKind, Tag};
use std::time::Duration;

/// Longest filter, in bytes.
const MAX_BYTES: usize = 4_096;

/// Why a filter is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFilter {
    /// A word without a key, or with an unknown one.
    #[error(
        "filter: `{0}` is not understood: use ns: tag: -tag: since: until: source: scope: status:"
    )]
    Word(String),
    /// A value that is invalid for its key.
    #[error("filter: {word}: `{value}`: {problem}")]
    Value {
        /// The key before the colon.
        word: &'static str,
        /// The value after the colon.
        value: String,
        /// A description of valid values.
        problem: &'static str,
    },
    /// The filter is longer than 4,096 bytes.
    #[error("filter: longer than {MAX_BYTES} bytes")]
    Long,
}

/// Parses a filter; spans such as `7d` count back from `now`.
pub fn parse_filter(text: &str, now: Time) -> Result<MemoryFilter, BadFilter> {
    if MAX_BYTES < text.len() {
        return Err(BadFilter::Long);
    }
    let mut filter = MemoryFilter::default();
    for word in words(text) {
        add(&mut filter, &word, now)?;
    }
    Ok(filter)
}

fn add(filter: &mut MemoryFilter, word: &str, now: Time) -> Result<(), BadFilter> {
    let unknown = || BadFilter::Word(shown(word));
    let (key, value) = word.split_once(':').ok_or_else(unknown)?;
    let bad = |word: &'static str, problem: &'static str| {
        move |value: &str| BadFilter::Value { word, value: shown(value), problem }
    };
    let words = "1 to 64 characters without spaces";
    match key {
        "ns" | "namespace" => {
            let bad = bad("ns", "lower-case letters, digits, `-` and `_`");
            filter.namespaces.extend(each(value, |it| Namespace::parse(it).ok(), bad)?);
        }
        "tag" => filter.tags.push(each(value, |it| Tag::parse(it).ok(), bad("tag", words))?),
        "-tag" => {
            let tags = each(value, |it| Tag::parse(it).ok(), bad("-tag", words))?;
            filter.without_tags.extend(tags);
        }
        "since" | "until" => {
            let word = if key == "since" { "since" } else { "until" };
            let problem = "7d, 12h, 2w, or a date such as 2026-03-14";
            let time = moment(value, now).ok_or_else(|| bad(word, problem)(value))?;
            let place = if key == "since" { &mut filter.since } else { &mut filter.until };
            *place = Some(time);
        }
        "source" if value.is_empty() => return Err(bad("source", "a name or a glob")(value)),
        "source" => filter.source = Some(value.to_owned()),
        "scope" => {
            let bad = bad("scope", "project, user or org");
            filter.scopes.extend(each(value, ScopeKind::parse, bad)?);
        }
        "status" => {
            let bad = bad("status", "active, superseded or deleted");
            filter.statuses.extend(each(value, MemoryStatus::parse, bad)?);
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

fn each<T>(
    values: &str,
    read: impl Fn(&str) -> Option<T>,
    bad: impl Fn(&str) -> BadFilter,
) -> Result<Vec<T>, BadFilter> {
    values.split(',').map(|value| read(value).ok_or_else(|| bad(value))).collect()
}

/// Splits a text at white space; double quotes keep a word together.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter.is_whitespace() && !quoted => words.push(String::new()),
            letter => words.last_mut().into_iter().for_each(|word| word.push(letter)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Parses a span before now (`7d`), a date, or a time (RFC 3339).
fn moment(text: &str, now: Time) -> Option<Time> {
    if let Some(span) = parse_span(text) {
        return Some(now.minus(span));
    }
    let millis = |it: jiff::Timestamp| Time::from_millis(it.as_millisecond());
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some(millis(stamp));
    }
    let date: jiff::civil::Date = text.parse().ok()?;
    let midnight = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(millis(midnight.timestamp()))
}

/// Parses a span of time: `90s`, `30m`, `12h`, `7d`, `2w`, `1y`.
pub fn parse_span(text: &str) -> Option<Duration> {
    let at = text.find(|it: char| !it.is_ascii_digit())?;
    let (count, unit) = text.split_at(at);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        "y" => 31_536_000,
        _ => return None,
    };
    Some(Duration::from_secs(count.parse::<u64>().ok()?.checked_mul(seconds)?))
}

/// The beginning of a caller's text, short enough for a message.
fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests;
