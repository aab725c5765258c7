//! The loop of every tail: polls for new entries until there are enough or the time is over.
//!
//! Tails of files and of system logs call it. They poll, because a program that keeps running would
//! outlive a Hobnob that is killed.

use std::time::{Duration, Instant};

use super::entry::{FollowEnd, FollowedEntries, LogEntry};
use super::limits::ReadBounds;
use super::problem::LogError;
use super::query::EntryFilter;

/// Passes what `newer` returns to `each` until there are `limit` entries, the time is over, or the
/// action is cancelled.
pub(crate) fn tail(
    (limit, wait): (u32, Duration),
    filter: &EntryFilter<'_>,
    bounds: ReadBounds<'_>,
    each: &mut dyn FnMut(LogEntry),
    mut newer: impl FnMut() -> Result<Vec<LogEntry>, LogError>,
) -> Result<FollowedEntries, LogError> {
    let over = Instant::now() + wait;
    let mut count = 0;
    loop {
        let next = Instant::now() + bounds.limits.poll;
        bounds.control.wait_until(next.min(over))?;
        for entry in newer()?.into_iter().filter_map(|entry| filter.accept(entry)) {
            if limit <= count {
                break;
            }
            count += 1;
            each(entry);
        }
        if limit <= count {
            return Ok(FollowedEntries { count, end: FollowEnd::Limit });
        }
        if over <= Instant::now() {
            return Ok(FollowedEntries { count, end: FollowEnd::Time });
        }
    }
}
