//! Reads the time that a question names: "last Tuesday", "im März", "two weeks ago", "before 2026".
//!
//! Pure: it knows neither clock nor store. `asked_time` prefers memories of that time.

use super::date_words::{
    AGO_BEFORE, ARTICLES, BEFORE, DAYS, IN, LAST, ON, SINCE, THIS, Unit, count, month, unit,
    weekday,
};
use jiff::ToSpan as _;
use jiff::civil::Date;
use std::ops::Range;

/// The days that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedTime {
    /// From the first day up to, but without, the second.
    pub(super) days: Range<Date>,
    /// The words of the question that say so.
    pub(super) words: Range<usize>,
}

/// The words of a text in lower case, cut where letters and digits end.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let parts = text.split(|it: char| !it.is_alphanumeric() && it != '\'');
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// The time that a question names, if it names one.
pub(super) fn named_time(words: &[String], today: Date) -> Option<NamedTime> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (days, at) = (0..words.len()).find_map(|at| {
        let (days, length) = time_at(&words, at, today)?;
        Some((days, at..at + length))
    })?;
    let word_before =
        |place: usize| place.checked_sub(1).and_then(|place| words.get(place)).copied();
    let article = usize::from(word_before(at.start).is_some_and(|word| ARTICLES.contains(&word)));
    let bound = at.start - article;
    let directed = |list: &[&str]| word_before(bound).is_some_and(|word| list.contains(&word));
    // `vor zwei Wochen` is a distance, not a bound.
    let is_distance = words.get(at.start).is_some_and(|word| AGO_BEFORE.contains(word));
    let tomorrow = today.checked_add(1.day()).unwrap_or(today);
    let (days, start) = if directed(SINCE) {
        (days.start..tomorrow, bound - 1)
    } else if directed(BEFORE) && !is_distance {
        (Date::MIN..days.start, bound - 1)
    } else {
        (days, at.start)
    };
    (days.start < days.end).then_some(NamedTime { days, words: start..at.end })
}

/// The days that a text names by a calendar date, for a text of this day.
pub(super) fn calendar_days(text: &str, written: Date) -> Vec<Range<Date>> {
    const MAX: usize = 16;
    let words = words_of(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = (0..words.len()).filter_map(|at| Some(calendar(&words, at, written)?.0));
    found.take(MAX).collect()
}

/// The time that begins at a word, and how many words name it.
fn time_at(words: &[&str], at: usize, today: Date) -> Option<(Range<Date>, usize)> {
    relative_day(words, at, today)
        .or_else(|| ago(words, at, today))
        .or_else(|| last_or_this(words, at, today))
        .or_else(|| calendar(words, at, today))
        .or_else(|| bare(words, at, today))
}

fn relative_day(words: &[&str], at: usize, today: Date) -> Option<(Range<Date>, usize)> {
    DAYS.iter().find_map(|(phrase, days)| {
        let length = phrase.split(' ').count();
        let found = words.get(at..at + length)?;
        let day = today.checked_sub(days.days()).ok()?;
        found.iter().copied().eq(phrase.split(' ')).then(|| Some((one_day(day)?, length)))?
    })
}

/// `two weeks ago`, `vor zwei Wochen`, `il y a deux semaines`, `hace dos semanas`.
fn ago(words: &[&str], at: usize, today: Date) -> Option<(Range<Date>, usize)> {
    let word = |offset: usize| words.get(at + offset).copied();
    let (number, length) = if word(2) == Some("ago") {
        (0, 3)
    } else if AGO_BEFORE.contains(&word(0)?)
        && is_ago(words, at)
        && word(1).and_then(count).is_some()
    {
        (1, 3)
    } else {
        return None;
    };
    let (count, unit) = (count(word(number)?)?, unit(word(number + 1)?)?);
    Some((distance(count, unit, today)?, length))
}

/// Whether `a` is the one of `il y a`, and not that of `a two week sprint`.
fn is_ago(words: &[&str], at: usize) -> bool {
    words.get(at) != Some(&"a")
        || at.checked_sub(1).and_then(|place| words.get(place)) == Some(&"y")
}

/// The day, week, month or year that lies this far back.
fn distance(count: i64, unit: Unit, today: Date) -> Option<Range<Date>> {
    match unit {
        Unit::Day => one_day(today.checked_sub(count.days()).ok()?),
        Unit::Week => {
            let day = today.checked_sub(count.weeks()).ok()?;
            let (first, last) = (day.checked_sub(3.days()).ok()?, day.checked_add(4.days()).ok()?);
            Some(first..last)
        }
        Unit::Month => whole_month(today.checked_sub(count.months()).ok()?),
        Unit::Year => whole_year(today.checked_sub(count.years()).ok()?),
    }
}

/// `last Tuesday`, `last month`, `this week`, `the last three days`, `letzte Woche`.
fn last_or_this(words: &[&str], at: usize, today: Date) -> Option<(Range<Date>, usize)> {
    let word = |offset: usize| words.get(at + offset).copied();
    // French and Spanish put the adjective last: `mardi dernier`, `la semana pasada`.
    let is = |list: &[&str], offset| word(offset).is_some_and(|word| list.contains(&word));
    let (back, named) = match (is(LAST, 0), is(THIS, 0), is(LAST, 1)) {
        (true, _, _) => (1, word(1)?),
        (_, true, _) => (0, word(1)?),
        (_, _, true) => (1, word(0)?),
        _ => return None,
    };
    if let (true, Some(number), Some(unit)) = (is(LAST, 0), count(named), word(2).and_then(unit)) {
        let first = match unit {
            Unit::Day => today.checked_sub(number.days()),
            Unit::Week => today.checked_sub(number.weeks()),
            Unit::Month => today.checked_sub(number.months()),
            Unit::Year => today.checked_sub(number.years()),
        };
        return Some((first.ok()?..today.checked_add(1.day()).ok()?, 3));
    }
    let days = if let Some(day) = weekday(named) {
        weekday_before(day, today, back)?
    } else if let Some(month) = month(named) {
        month_before(month, today)?
    } else {
        match unit(named)? {
            Unit::Day => one_day(today.checked_sub(back.days()).ok()?)?,
            Unit::Week => {
                let monday =
                    today.checked_sub(today.weekday().to_monday_zero_offset().days()).ok()?;
                let first = monday.checked_sub(back.weeks()).ok()?;
                first..first.checked_add(1.week()).ok()?
            }
            Unit::Month => whole_month(today.checked_sub(back.months()).ok()?)?,
            Unit::Year => whole_year(today.checked_sub(back.years()).ok()?)?,
        }
    };
    Some((days, 2))
}

/// `2026-05-03`, `3 May 2026`, `May 3`, `3rd of May`, `3. Mai`, `May 2026`.
fn calendar(words: &[&str], at: usize, today: Date) -> Option<(Range<Date>, usize)> {
    let word = |offset: usize| words.get(at + offset).copied();
    let first = word(0)?;
    if let (Some(year), Some(month), Some(day)) = (year(first), word(1), word(2))
        && first.len() == 4
        && let (Ok(month), Ok(day)) = (month.parse(), day.parse())
    {
        return Some((one_day(Date::new(year, month, day).ok()?)?, 3));
    }
    if let Some(day) = day(first) {
        let skip = usize::from(matches!(word(1), Some("of" | "de")));
        let month = word(1 + skip).and_then(month)?;
        let year = word(2 + skip).and_then(year);
        let date = dated(year, month, day, today)?;
        return Some((one_day(date)?, 2 + skip + usize::from(year.is_some())));
    }
    let month = month(first)?;
    if let Some(day) = word(1).and_then(day) {
        let year = word(2).and_then(year);
        let date = dated(year, month, day, today)?;
        return Some((one_day(date)?, 2 + usize::from(year.is_some())));
    }
    let year = word(1).and_then(year)?;
    Some((whole_month(Date::new(year, month, 1).ok()?)?, 2))
}

/// A month, a weekday or a year alone, after a word such as `in` or `on`.
fn bare(words: &[&str], at: usize, today: Date) -> Option<(Range<Date>, usize)> {
    let word = *words.get(at)?;
    let before = *words.get(at.checked_sub(1)?)?;
    if IN.contains(&before) {
        if let Some(month) = month(word) {
            return Some((month_before(month, today)?, 1));
        }
        if let Some(year) = year(word) {
            return Some((whole_year(Date::new(year, 1, 1).ok()?)?, 1));
        }
    }
    let day = weekday(word).filter(|_| ON.contains(&before))?;
    Some((weekday_before(day, today, 0)?, 1))
}

/// The last such weekday: with `back` 0 it may be today.
fn weekday_before(day: i8, today: Date, back: i64) -> Option<Range<Date>> {
    let passed = i64::from((today.weekday().to_monday_zero_offset() - day).rem_euclid(7));
    let passed = if passed == 0 { 7 * back } else { passed };
    one_day(today.checked_sub(passed.days()).ok()?)
}

/// The last such month that has begun.
fn month_before(month: i8, today: Date) -> Option<Range<Date>> {
    let year = if today.month() < month { today.year() - 1 } else { today.year() };
    whole_month(Date::new(year, month, 1).ok()?)
}

/// A day without a year is the nearest one that is not long after `today`.
fn dated(year: Option<i16>, month: i8, day: i8, today: Date) -> Option<Date> {
    let soon = today.checked_add(2.months()).ok()?;
    match year {
        Some(year) => Date::new(year, month, day).ok(),
        None => {
            let date = Date::new(today.year(), month, day).ok()?;
            if soon < date { Date::new(today.year() - 1, month, day).ok() } else { Some(date) }
        }
    }
}

fn one_day(day: Date) -> Option<Range<Date>> {
    Some(day..day.checked_add(1.day()).ok()?)
}

fn whole_month(day: Date) -> Option<Range<Date>> {
    let first = day.first_of_month();
    Some(first..first.checked_add(1.month()).ok()?)
}

fn whole_year(day: Date) -> Option<Range<Date>> {
    let first = day.first_of_year();
    Some(first..first.checked_add(1.year()).ok()?)
}

fn year(word: &str) -> Option<i16> {
    (word.len() == 4).then(|| word.parse().ok())?.filter(|year| (1900..2200).contains(year))
}

/// A day of a month: `3`, `3rd`.
fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let ending = word.get(digits.len()..).unwrap_or_default();
    let fits = ["", "st", "nd", "rd", "th", "er"].contains(&ending);
    digits.parse().ok().filter(|day| fits && (1..=31).contains(day))
}

#[cfg(test)]
mod tests {
    use super::{calendar_days, named_time, words_of};
    use jiff::civil::date;

    #[test]
    fn questions_name_days_in_several_languages() {
        // A Thursday.
        let today = date(2026, 11, 19);
        for (question, first, end) in [
            ("What did we decide last Tuesday?", "2026-11-17", "2026-11-18"),
            ("What happened yesterday?", "2026-11-18", "2026-11-19"),
            ("the day before yesterday", "2026-11-17", "2026-11-18"),
            ("What did we say in March?", "2026-03-01", "2026-04-01"),
            ("last month", "2026-10-01", "2026-11-01"),
            ("this week", "2026-11-16", "2026-11-23"),
            ("two weeks ago", "2026-11-02", "2026-11-09"),
            ("in the last three days", "2026-11-16", "2026-11-20"),
            ("since 3 May", "2026-05-03", "2026-11-20"),
            ("before 2026", "-009999-01-01", "2026-01-01"),
            ("on 3rd of May 2025", "2025-05-03", "2025-05-04"),
            ("2026-05-03", "2026-05-03", "2026-05-04"),
            ("Was war gestern?", "2026-11-18", "2026-11-19"),
            ("vor zwei Wochen", "2026-11-02", "2026-11-09"),
            ("seit dem 3. Mai", "2026-05-03", "2026-11-20"),
            ("im Dezember", "2025-12-01", "2026-01-01"),
            ("letzten Dienstag", "2026-11-17", "2026-11-18"),
            ("mardi dernier", "2026-11-17", "2026-11-18"),
            ("il y a deux semaines", "2026-11-02", "2026-11-09"),
            ("la semana pasada", "2026-11-09", "2026-11-16"),
        ] {
            let named = named_time(&words_of(question), today).expect(question).days;
            assert_eq!(
                (named.start.to_string(), named.end.to_string()),
                (first.into(), end.into()),
                "{question}"
            );
        }
        for question in [
            "May I come?",
            "Is there a two week sprint?",
            "the march of time",
            "who is second in command",
            "",
            "31 February",
        ] {
            assert_eq!(named_time(&words_of(question), today), None, "{question}");
        }
    }

    #[test]
    fn texts_name_days_near_the_day_they_were_written() {
        let written = date(2026, 1, 10);
        let days = calendar_days("Moved from 20 December to March 3, 2026.", written);
        let days: Vec<String> = days.iter().map(|day| day.start.to_string()).collect();
        assert_eq!(days, ["2025-12-20", "2026-03-03"]);
    }
}
