//! Spells calendar days in the ways that people write them.
//!
//! The index stores these spellings next to a date, so that a search for any of them finds it.

use crate::time::Time;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A calendar day (Gregorian).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Day {
    year: i64,
    month: usize,
    day: i64,
}

/// The day of a timestamp (UTC), as words.
pub fn day_words(time: Time) -> String {
    civil(time.millis().div_euclid(86_400_000)).words()
}

/// Finds the days in a text, written as `2026-03-14`, `14 March 2026` or `March 14, 2026`, and
/// returns their other spellings. Of a long list only the first ones.
pub fn spell_dates(text: &str) -> String {
    let tokens: Vec<&str> =
        text.split(|it: char| !it.is_alphanumeric()).filter(|token| !token.is_empty()).collect();
    let days = tokens.windows(3).filter_map(|three| read([three[0], three[1], three[2]]));
    let mut seen: Vec<Day> = Vec::new();
    for day in days {
        if !seen.contains(&day) {
            seen.push(day);
        }
        if seen.len() == 16 {
            break;
        }
    }
    seen.iter().map(|day| day.words()).collect::<Vec<_>>().join(" ")
}

impl Day {
    fn words(self) -> String {
        let Self { year, month, day } = self;
        let name = MONTHS.get(month.wrapping_sub(1)).copied().unwrap_or_default();
        format!("{year}-{month:02}-{day:02} {year}-{month:02} {name} {day} {year}")
    }
}

fn read([one, two, three]: [&str; 3]) -> Option<Day> {
    let day = if let Some(month) = month(two) {
        Day { year: number(three)?, month, day: day_number(one)? }
    } else if let Some(month) = month(one) {
        Day { year: number(three)?, month, day: day_number(two)? }
    } else {
        let month = usize::try_from(number(two)?).ok()?;
        Day { year: number(one)?, month, day: number(three)? }
    };
    let fits = (1900..=2199).contains(&day.year)
        && (1..=12).contains(&day.month)
        && (1..=31).contains(&day.day);
    fits.then_some(day)
}

/// The month of a name or an abbreviation of at least three letters.
fn month(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    let fits = |month: &&str| 3 <= name.len() && month.starts_with(name.as_str());
    MONTHS.iter().position(fits).map(|place| place + 1)
}

fn day_number(text: &str) -> Option<i64> {
    number(text.trim_end_matches(|it: char| it.is_ascii_lowercase()))
}

fn number(text: &str) -> Option<i64> {
    (text.len() <= 4 && text.bytes().all(|it| it.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Converts days since 1970 to a Gregorian date (Howard Hinnant's `civil_from_days`): its years
/// begin in March, so that the leap day is the last day of a year.
fn civil(days: i64) -> Day {
    let days = days.clamp(-100_000_000, 100_000_000) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    Day {
        year: year + era * 400 + i64::from(month <= 2),
        month: usize::try_from(month).unwrap_or(1),
        day: of_year - (153 * from_march + 2) / 5 + 1,
    }
}
