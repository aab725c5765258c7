//! Durations as people read them, for commands that show how long something runs or ago it was.

/// Seconds in their two largest units, such as `1h5m`.
pub fn span(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m{}s", seconds % 60),
        (0, _, _) => format!("{hours}h{}m", minutes % 60),
        _ => format!("{days}d{}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn times_are_short() {
        let cases = [(5, "5s"), (65, "1m5s"), (3600, "1h0m"), (7384, "2h3m"), (90_000, "1d1h")];
        for (seconds, wanted) in cases {
            assert_eq!(span(seconds), wanted);
        }
    }
}
