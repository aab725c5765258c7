//! Parses times at the beginning of lines, byte by byte: a log has millions of them.
//!
//! A time without a zone is local; one without a year is the latest not after the file's own time.

use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// What is known about the times of one file.
#[derive(Debug, Clone)]
pub(crate) struct LineClock {
    /// The zone of times without one.
    pub(crate) zone: TimeZone,
    /// When the file was last written.
    pub(crate) modified: Timestamp,
}

/// A parsed time, and how many bytes it took.
pub(crate) struct Stamp {
    pub(crate) time: Timestamp,
    pub(crate) length: usize,
}

impl LineClock {
    fn local(&self, at: DateTime) -> Option<Timestamp> {
        self.zone.to_ambiguous_timestamp(at).compatible().ok()
    }

    fn at(&self, at: DateTime, offset: Option<Offset>) -> Option<Timestamp> {
        match offset {
            Some(offset) => offset.to_timestamp(at).ok(),
            None => self.local(at),
        }
    }

    /// ISO 8601 with many variations: `2024-02-10T10:30:45.123+01:00`.
    pub(crate) fn iso(&self, line: &[u8]) -> Option<Stamp> {
        let date = iso_date(line)?;
        let (at, mut length) = clock_time(date, line, 11)?;
        let (offset, taken) = zone(line.get(length..).unwrap_or_default());
        length += taken;
        Some(Stamp { time: self.at(at, offset)?, length })
    }

    /// `Feb 10 10:30:45`, the format of RFC 3164.
    pub(crate) fn month_first(&self, line: &[u8]) -> Option<Stamp> {
        let month = month(line)?;
        let day = match (line.get(4)?, line.get(5)?) {
            (b' ', ones @ b'0'..=b'9') => ones - b'0',
            (tens @ b'0'..=b'9', ones @ b'0'..=b'9') => (tens - b'0') * 10 + (ones - b'0'),
            _ => return None,
        };
        if line.get(3) != Some(&b' ') || line.get(6) != Some(&b' ') {
            return None;
        }
        let latest = self.modified.checked_add(SignedDuration::from_hours(24)).ok()?;
        let year = self.zone.to_datetime(latest).year();
        let read = |year| {
            let date = Date::new(year, month, day as i8).ok()?;
            let (at, length) = clock_time(date, line, 7)?;
            Some(Stamp { time: self.local(at)?, length })
        };
        // In four years there is always a 29th of February.
        (0..=4).filter_map(|back| read(year - back)).find(|stamp| stamp.time <= latest)
    }

    /// `10/Feb/2024:10:30:45 +0100`, the format of web servers.
    pub(crate) fn day_first(&self, text: &[u8]) -> Option<Stamp> {
        let (day, year) = (digits(text, 0, 2)?, digits(text, 7, 4)?);
        let month = month(text.get(3..)?)?;
        if text.get(2) != Some(&b'/') || text.get(6) != Some(&b'/') || text.get(11) != Some(&b':') {
            return None;
        }
        let date = Date::new(year as i16, month, day as i8).ok()?;
        let (at, mut length) = clock_time(date, text, 12)?;
        let (offset, taken) = zone(text.get(length..).unwrap_or_default());
        length += taken;
        Some(Stamp { time: self.at(at, offset)?, length })
    }

    /// `Fri Sep 09 10:42:29.902022 2011`, the format of Apache's error log.
    pub(crate) fn week_day_first(&self, text: &[u8]) -> Option<Stamp> {
        let month = month(text.get(4..)?)?;
        let day = digits(text, 8, 2)?;
        let probe = Date::new(2000, month, day as i8).ok()?;
        let (_, end) = clock_time(probe, text, 11)?;
        let year = digits(text, end + 1, 4)?;
        let (at, _) = clock_time(Date::new(year as i16, month, day as i8).ok()?, text, 11)?;
        Some(Stamp { time: self.local(at)?, length: end + 5 })
    }

    /// `0210 10:30:45.123456`, the format of glog after the letter of the level.
    pub(crate) fn month_and_day(&self, text: &[u8]) -> Option<Stamp> {
        let (month, day) = (digits(text, 0, 2)?, digits(text, 2, 2)?);
        let latest = self.modified.checked_add(SignedDuration::from_hours(24)).ok()?;
        let year = self.zone.to_datetime(latest).year();
        let read = |year| {
            let date = Date::new(year, month as i8, day as i8).ok()?;
            let (at, length) = clock_time(date, text, 5)?;
            Some(Stamp { time: self.local(at)?, length })
        };
        (0..=4).filter_map(|back| read(year - back)).find(|stamp| stamp.time <= latest)
    }
}

/// The date that an ISO time begins with; its parts are separated by `-` or `/`.
pub(crate) fn iso_date(line: &[u8]) -> Option<Date> {
    let part = *line.get(4)?;
    if !matches!(part, b'-' | b'/') || *line.get(7)? != part {
        return None;
    }
    if !matches!(line.get(10)?, b'T' | b't' | b' ' | b'_') {
        return None;
    }
    let (year, month, day) = (digits(line, 0, 4)?, digits(line, 5, 2)?, digits(line, 8, 2)?);
    Date::new(year as i16, month as i8, day as i8).ok()
}

pub(crate) fn month(text: &[u8]) -> Option<i8> {
    let name = text.get(..3)?;
    (1..).zip(MONTHS).find(|(_, it)| it.as_slice() == name).map(|(number, _)| number)
}

/// `HH:MM:SS` with a fraction, from this offset; returns the time and the offset after it.
fn clock_time(date: Date, line: &[u8], from: usize) -> Option<(DateTime, usize)> {
    let (hour, minute) = (digits(line, from, 2)?, digits(line, from + 3, 2)?);
    let second = digits(line, from + 6, 2)?;
    if *line.get(from + 2)? != b':' || *line.get(from + 5)? != b':' {
        return None;
    }
    let (mut nanoseconds, mut end) = (0_u32, from + 8);
    if matches!(line.get(end), Some(b'.' | b','))
        && line.get(end + 1).is_some_and(u8::is_ascii_digit)
    {
        let fraction = line[end + 1..].iter().take_while(|it| it.is_ascii_digit()).count();
        for at in 0..9 {
            let digit = if at < fraction { line[end + 1 + at] - b'0' } else { 0 };
            nanoseconds = nanoseconds * 10 + u32::from(digit);
        }
        end += 1 + fraction;
    }
    // A leap second counts as the last moment of the second before.
    let second = second.min(59);
    let time = date.at(hour as i8, minute as i8, 0, 0);
    if 23 < hour || 59 < minute {
        return None;
    }
    let time = time
        .with()
        .second(second as i8)
        .subsec_nanosecond(i32::try_from(nanoseconds).ok()?)
        .build()
        .ok()?;
    Some((time, end))
}

/// A zone: `Z`, `+01:00`, `+0100`, ` +0100`, ` UTC`; and how many bytes it takes.
fn zone(rest: &[u8]) -> (Option<Offset>, usize) {
    if matches!(rest.first(), Some(b'Z' | b'z')) {
        return (Some(Offset::UTC), 1);
    }
    let space = usize::from(rest.first() == Some(&b' '));
    let text = &rest[space..];
    if text.starts_with(b"UTC") || text.starts_with(b"GMT") {
        return (Some(Offset::UTC), space + 3);
    }
    let read = || {
        let sign = match text.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let hours = digits(text, 1, 2)?;
        let colon = usize::from(text.get(3) == Some(&b':'));
        let minutes = digits(text, 3 + colon, 2)?;
        let seconds = i32::from(hours) * 3600 + i32::from(minutes) * 60;
        Some((Offset::from_seconds(sign * seconds).ok()?, space + 5 + colon))
    };
    read().map_or((None, 0), |(offset, taken)| (Some(offset), taken))
}

/// Parses a number of `count` digits.
pub(crate) fn digits(text: &[u8], from: usize, count: usize) -> Option<u16> {
    let part = text.get(from..from + count)?;
    let all = part.iter().all(u8::is_ascii_digit);
    all.then(|| part.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')))
}
