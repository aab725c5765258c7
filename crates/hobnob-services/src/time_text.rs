//! Times of the store as callers read them. Views of tasks and trees use it.

use hobnob_store::Time;

/// A time as RFC 3339 with milliseconds, in UTC.
pub(crate) fn time_text(time: Time) -> String {
    match jiff::Timestamp::from_millisecond(time.millis()) {
        Ok(stamp) => format!("{stamp:.3}"),
        // Beyond the year 9999 nobody reads it.
        Err(_) => time.millis().to_string(),
    }
}
