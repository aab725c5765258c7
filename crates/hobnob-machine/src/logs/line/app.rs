//! What programs write after a time: `LEVEL [source] text` in the common orders.

use std::borrow::Cow;

use hobnob_policy::LogLevel;

use super::parsed::ParsedLine;
use super::stamp::LineClock;
use super::syslog::host_and_tag;
use crate::logs::level::level_word;

/// Maximum number of words before the message that are parsed.
const MAX_WORDS: usize = 8;
const MAX_SOURCE_BYTES: usize = 128;

/// A line that begins with an ISO 8601 time.
pub(crate) fn iso_line<'line>(line: &'line str, clock: &LineClock) -> Option<ParsedLine<'line>> {
    let stamp = clock.iso(line.as_bytes())?;
    let rest = line.get(stamp.length..)?;
    let syslog = rest.strip_prefix(' ').and_then(host_and_tag);
    let syslog = syslog.filter(|_| !begins_with_level(rest));
    let mut parsed = match syslog {
        Some((tag, message)) => ParsedLine {
            source: Some(Cow::Borrowed(tag)),
            message: Cow::Borrowed(message),
            ..ParsedLine::default()
        },
        None => head(rest),
    };
    parsed.time = Some(stamp.time);
    Some(parsed)
}

/// `[TIME LEVEL source] text`, `[TIME] LEVEL …` and `[TIME] [module:level] [pid 1] text`.
pub(crate) fn bracket_line<'line>(
    line: &'line str,
    clock: &LineClock,
) -> Option<ParsedLine<'line>> {
    let inside = line.strip_prefix('[')?;
    let bytes = inside.as_bytes();
    let stamp = clock.iso(bytes).or_else(|| clock.week_day_first(bytes))?;
    let (after, rest) = inside.get(stamp.length..)?.split_once(']')?;
    let mut parsed = head(rest);
    if !after.trim().is_empty() {
        let within = head(after);
        parsed = ParsedLine { message: Cow::Borrowed(rest.trim_start()), ..within.clone() };
        let source = within.source.unwrap_or(within.message);
        parsed.source = Some(source).filter(|it| !it.is_empty());
    }
    parsed.time = Some(stamp.time);
    Some(parsed)
}

/// `E0210 10:30:45.123456 12345 file.go:12] text`, the format of glog and klog.
pub(crate) fn glog_line<'line>(line: &'line str, clock: &LineClock) -> Option<ParsedLine<'line>> {
    let level = match line.as_bytes().first()? {
        b'D' => LogLevel::Debug,
        b'I' => LogLevel::Information,
        b'W' => LogLevel::Warning,
        b'E' => LogLevel::Error,
        b'F' => LogLevel::Critical,
        _ => return None,
    };
    let stamp = clock.month_and_day(&line.as_bytes()[1..])?;
    let (place, message) = line.get(1 + stamp.length..)?.split_once(']')?;
    let file = place.split_whitespace().last().map(|it| it.split(':').next().unwrap_or(it));
    Some(ParsedLine {
        time: Some(stamp.time),
        level: Some(level),
        source: file.map(Cow::Borrowed),
        message: Cow::Borrowed(message.trim_start()),
        ..ParsedLine::default()
    })
}

/// A line without a time: only its level can be recognised. A word in the middle of a sentence is
/// not a level, one that stands out is.
pub(crate) fn plain_line(line: &str) -> ParsedLine<'_> {
    let stands_out = |(at, word): &(usize, &str)| {
        *at == 0 || bare(word).len() < word.len() || !word.bytes().any(|it| it.is_ascii_lowercase())
    };
    let words = line.split_whitespace().take(4).enumerate().filter(stands_out);
    let level = words.map(|(_, word)| word).find_map(|word| level_word(bare(word)));
    ParsedLine { level, message: Cow::Borrowed(line), ..ParsedLine::default() }
}

fn begins_with_level(rest: &str) -> bool {
    rest.split_whitespace().next().is_some_and(|word| level_word(bare(word)).is_some())
}

fn bare(word: &str) -> &str {
    word.trim_matches(['[', ']', ':', '(', ')', '<', '>', '|', ','])
}

/// Parses the words before the message: levels, sources, process ids, separators.
fn head(text: &str) -> ParsedLine<'_> {
    let mut parsed = ParsedLine::default();
    let mut rest = separated(text);
    for _ in 0..MAX_WORDS {
        let Some(step) = step(rest, &parsed) else { break };
        match step.part {
            Part::Level(level, source) => {
                parsed.level = Some(level);
                if parsed.source.is_none() {
                    parsed.source = source.map(Cow::Borrowed);
                }
            }
            Part::Source(source) => parsed.source = Some(Cow::Borrowed(source)),
            Part::Nothing => {}
        }
        rest = separated(step.rest);
    }
    parsed.message = Cow::Borrowed(rest);
    parsed
}

struct Step<'line> {
    part: Part<'line>,
    rest: &'line str,
}

enum Part<'line> {
    /// A level, and the source that was written with it.
    Level(LogLevel, Option<&'line str>),
    Source(&'line str),
    /// A word that an entry does not need: a process, a thread, a dash.
    Nothing,
}

fn step<'line>(text: &'line str, parsed: &ParsedLine<'_>) -> Option<Step<'line>> {
    if let Some(inside) = text.strip_prefix('[') {
        let (inside, rest) = inside.split_once(']')?;
        let part = bracket(inside, parsed)?;
        return Some(Step { part, rest });
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = (&text[..end], &text[end..]);
    let name = word.trim_end_matches(':');
    if parsed.level.is_none()
        && let Some(level) = level_of(name)
    {
        return Some(Step { part: Part::Level(level.0, level.1), rest });
    }
    let number = name.bytes().all(|it| it.is_ascii_digit() || it == b'#');
    if number && !name.is_empty() && rest.len() > 1 {
        return Some(Step { part: Part::Nothing, rest });
    }
    // The text in brackets may have been a thread: a name with dots is more likely the source.
    let known = parsed.source.is_some() && !name.contains('.');
    if known || MAX_SOURCE_BYTES < name.len() || !name.chars().all(is_source_char) {
        return None;
    }
    // `source - LEVEL`, `LEVEL source - text` and `LEVEL source: text`.
    let dashed = rest.starts_with(" - ") || rest.trim_start().starts_with(": ");
    let tagged = parsed.level.is_some() && word.ends_with(':') && 1 < name.len();
    (dashed || tagged).then_some(Step { part: Part::Source(name), rest })
}

fn bracket<'line>(inside: &'line str, parsed: &ParsedLine<'_>) -> Option<Part<'line>> {
    let trimmed = inside.trim();
    if parsed.level.is_none()
        && let Some((level, source)) = level_of(trimmed)
    {
        return Some(Part::Level(level, source));
    }
    let process = trimmed.bytes().all(|it| it.is_ascii_digit() || b"#:-".contains(&it))
        || trimmed.starts_with("pid ")
        || trimmed.starts_with("client ");
    if process {
        return Some(Part::Nothing);
    }
    let fits = trimmed.len() <= MAX_SOURCE_BYTES && parsed.source.is_none();
    fits.then_some(Part::Source(trimmed))
}

/// `ERROR`, `core:error`, `local.ERROR`: the level, and the text before it.
fn level_of(word: &str) -> Option<(LogLevel, Option<&str>)> {
    if let Some(level) = level_word(bare(word)) {
        return Some((level, None));
    }
    let (before, last) = word.rsplit_once([':', '.'])?;
    Some((level_word(last)?, Some(before).filter(|it| !it.is_empty())))
}

fn is_source_char(letter: char) -> bool {
    letter.is_alphanumeric() || "_-.:/$@".contains(letter)
}

/// The text without leading spaces and separators.
fn separated(text: &str) -> &str {
    let mut rest = text.trim_start();
    for separator in ["- ", "| ", ": ", "--- ", "-- ", "UTC "] {
        rest = rest.strip_prefix(separator).unwrap_or(rest).trim_start();
    }
    rest
}
