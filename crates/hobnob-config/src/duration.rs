//! Durations as people write them: `250ms`, `30s`, `1m30s`, `2h`, `7d`.
//!
//! Settings, entries of `.mcp.json` and options of the command line share this notation.

use std::time::Duration;

/// A longer duration is probably a typing error.
const MAX_DURATION: Duration = Duration::from_secs(366 * 24 * 3600);

/// The text is not a duration, or the duration is longer than 366 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a length of time: write for example \"250ms\", \"30s\", \"1m30s\", \"2h\" or \"7d\"")]
pub struct BadDuration;

/// Parses whole numbers with the units `ms`, `s`, `m`, `h`, `d`, one after another.
pub fn parse_duration(text: &str) -> Result<Duration, BadDuration> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(BadDuration);
    }
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit()).ok_or(BadDuration)?;
        let (number, tail) = rest.split_at(digits);
        let number: u64 = number.parse().map_err(|_| BadDuration)?;
        let letters = tail.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let milliseconds = number.checked_mul(unit_length(unit)?).ok_or(BadDuration)?;
        sum = sum.checked_add(Duration::from_millis(milliseconds)).ok_or(BadDuration)?;
        rest = tail.trim_start();
    }
    if MAX_DURATION < sum { Err(BadDuration) } else { Ok(sum) }
}

/// A number of milliseconds, with the same maximum as a text.
pub(crate) fn from_milliseconds(number: u64) -> Result<Duration, BadDuration> {
    let duration = Duration::from_millis(number);
    if MAX_DURATION < duration { Err(BadDuration) } else { Ok(duration) }
}

fn unit_length(unit: &str) -> Result<u64, BadDuration> {
    Ok(match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(BadDuration),
    })
}
