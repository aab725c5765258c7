//! The wire form of the store's times, for the views of tasks, trees and sessions.

use hobnob_store::Time;

/// A time as RFC 3339 with milliseconds, in UTC.
pub(crate) fn time_text(time: Time) -> String {
    match jiff::Timestamp::from_millisecond(time.millis()) {
        Ok(stamp) => format!("{stamp:.3}"),
        // RFC 3339 has no years after 9999.
        Err(_) => time.millis().to_string(),
    }
}
