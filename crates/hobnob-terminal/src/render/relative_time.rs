//! Points in time as people say them: "3 min ago", "in 2 h". Tables for people use it; `--json` has
//! the exact time.

use jiff::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The distance of a time from now, or its date if that is 60 days or more. Text that is not a time
/// is returned unchanged.
pub fn relative(time: &str) -> String {
    relative_to(time, Timestamp::now())
}

fn relative_to(time: &str, now: Timestamp) -> String {
    let Ok(parsed) = time.parse::<Timestamp>() else { return time.to_owned() };
    let seconds = parsed.as_second() - now.as_second();
    let distance = match seconds.unsigned_abs() {
        ..MINUTE => return "just now".to_owned(),
        it if it < HOUR => format!("{} min", it / MINUTE),
        it if it < 2 * DAY => format!("{} h", it / HOUR),
        it if it < 60 * DAY => format!("{} days", it / DAY),
        _ => return parsed.strftime("%Y-%m-%d").to_string(),
    };
    if seconds < 0 { format!("{distance} ago") } else { format!("in {distance}") }
}

#[cfg(test)]
mod tests {
    use super::relative_to;

    #[test]
    fn times_are_said_as_people_say_them() {
        for (time, words) in [
            ("2026-07-28T12:00:00Z", "just now"),
            ("2026-07-28T11:59:01.5Z", "just now"),
            ("2026-07-28T11:57:00Z", "3 min ago"),
            ("2026-07-28T14:30:00Z", "in 2 h"),
            ("2026-07-27T11:00:00Z", "25 h ago"),
            ("2026-08-20T12:00:00Z", "in 23 days"),
            ("2027-07-28T12:00:00Z", "2027-07-28"),
            ("-", "-"),
        ] {
            assert_eq!(relative_to(time, "2026-07-28T12:00:00Z".parse().unwrap()), words, "{time}");
        }
    }
}
