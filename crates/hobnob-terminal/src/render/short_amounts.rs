//! Numbers and durations in a few characters, for narrow columns: "12.3k", "45 ms".
//!
//! `hobnob usage` shows them; `--json` has the exact numbers.

/// A count with three digits or a few more, such as `950`, `12.3k` or `4.5M`.
pub fn short_count(count: u64) -> String {
    let in_units = |unit: u64, name: &str| match count / unit {
        whole @ 0..100 => format!("{whole}.{}{name}", count / (unit / 10) % 10),
        whole => format!("{whole}{name}"),
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => in_units(1_000, "k"),
        1_000_000..1_000_000_000 => in_units(1_000_000, "M"),
        _ => in_units(1_000_000_000, "G"),
    }
}

/// A duration in its largest sensible unit, such as `850 µs`, `45 ms`, `3.2 s` or `12 min`.
pub fn short_duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", micros / 1_000),
        1_000_000..100_000_000 => format!("{}.{} s", micros / 1_000_000, micros / 100_000 % 10),
        _ => format!("{} min", micros / 60_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{short_count, short_duration};

    #[test]
    fn amounts_take_few_characters() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (12_399, "12.3k"),
            (999_999, "999k"),
            (4_560_000, "4.5M"),
            (7_000_000_000, "7.0G"),
        ] {
            assert_eq!(short_count(count), text);
        }
        assert!(short_count(u64::MAX).ends_with('G'));
        for (micros, text) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (45_900, "45 ms"),
            (3_250_000, "3.2 s"),
            (99_999_999, "99.9 s"),
            (100_000_000, "1 min"),
            (720_000_000, "12 min"),
        ] {
            assert_eq!(short_duration(micros), text);
        }
    }
}
