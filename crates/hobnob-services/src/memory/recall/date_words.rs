//! The words for times in English, German, French and Spanish: months, weekdays, units, numbers and
//! the words around them. `dates` reads questions with it. All are in lower case.

/// Words for each month, January first. Abbreviations have at least three letters.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janvier", "enero"],
    &["february", "feb", "februar", "février", "febrero"],
    &["march", "mar", "märz", "mars", "marzo"],
    &["april", "apr", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "jun", "juni", "juin", "junio"],
    &["july", "jul", "juli", "juillet", "julio"],
    &["august", "aug", "août", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "décembre", "diciembre"],
];

/// Words for each weekday, Monday first.
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "montag", "lundi", "lunes"],
    &["tuesday", "dienstag", "mardi", "martes"],
    &["wednesday", "mittwoch", "mercredi", "miércoles"],
    &["thursday", "donnerstag", "jeudi", "jueves"],
    &["friday", "freitag", "vendredi", "viernes"],
    &["saturday", "samstag", "samedi", "sábado"],
    &["sunday", "sonntag", "dimanche", "domingo"],
];

/// Whole phrases for a day, and how many days ago it was.
pub(super) const DAYS: &[(&str, i64)] = &[
    ("day before yesterday", 2),
    ("avant hier", 2),
    ("yesterday", 1),
    ("today", 0),
    ("vorgestern", 2),
    ("gestern", 1),
    ("heute", 0),
    ("hier", 1),
    ("aujourd'hui", 0),
    ("anteayer", 2),
    ("ayer", 1),
    ("hoy", 0),
];

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

const UNITS: [(Unit, &[&str]); 4] = [
    (Unit::Day, &["day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días"]),
    (Unit::Week, &["week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas"]),
    (Unit::Month, &["month", "months", "monat", "monate", "monaten", "mois", "mes", "meses"]),
    (
        Unit::Year,
        &["year", "years", "jahr", "jahre", "jahren", "an", "ans", "année", "año", "años"],
    ),
];

const NUMBERS: [&[&str]; 12] = [
    &["one", "a", "an", "ein", "eine", "einem", "einer", "un", "une", "una"],
    &["two", "zwei", "deux", "dos"],
    &["three", "drei", "trois", "tres"],
    &["four", "vier", "quatre", "cuatro"],
    &["five", "fünf", "cinq", "cinco"],
    &["six", "sechs", "seis"],
    &["seven", "sieben", "sept", "siete"],
    &["eight", "acht", "huit", "ocho"],
    &["nine", "neun", "neuf", "nueve"],
    &["ten", "zehn", "dix", "diez"],
    &["eleven", "elf", "onze", "once"],
    &["twelve", "zwölf", "douze", "doce"],
];

pub(super) const LAST: &[&str] = &[
    "last",
    "previous",
    "past",
    "letzte",
    "letzten",
    "letzter",
    "letztes",
    "letztem",
    "vorige",
    "vorigen",
    "voriges",
    "vergangenen",
    "vergangene",
    "dernier",
    "dernière",
    "passé",
    "pasado",
    "pasada",
];
pub(super) const THIS: &[&str] = &["this", "diese", "diesen", "dieser", "dieses", "cette", "esta"];
pub(super) const IN: &[&str] = &[
    "in", "during", "of", "from", "im", "vom", "en", "since", "seit", "depuis", "desde", "before",
    "vor", "after", "nach", "until", "bis",
];
pub(super) const ON: &[&str] = &[
    "on", "am", "le", "el", "since", "seit", "before", "vor", "after", "nach", "until", "bis",
    "dem", "den",
];
pub(super) const SINCE: &[&str] = &["since", "after", "seit", "nach", "depuis", "desde", "après"];
/// The words before an event from which a question counts.
pub(super) const SINCE_EVENT: &[&str] = &["since", "seit", "depuis", "desde"];
pub(super) const BEFORE: &[&str] = &["before", "until", "vor", "bis", "avant", "antes"];
/// The words before a number of units that passed, and the one after it in English.
pub(super) const AGO_BEFORE: &[&str] = &["vor", "a", "hace"];
pub(super) const ARTICLES: &[&str] = &["the", "dem", "der", "den", "das", "la", "le", "el", "our"];

/// The number of a month, from 1.
pub(super) fn month(word: &str) -> Option<i8> {
    place(&MONTHS, word).map(|place| place + 1)
}

/// The days from Monday to a weekday.
pub(super) fn weekday(word: &str) -> Option<i8> {
    place(&WEEKDAYS, word.strip_suffix('s').unwrap_or(word)).or_else(|| place(&WEEKDAYS, word))
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    UNITS.iter().find(|(_, words)| words.contains(&word)).map(|(unit, _)| *unit)
}

/// A number up to 999, in digits or as a word.
pub(super) fn count(word: &str) -> Option<i64> {
    match word.parse::<i64>() {
        Ok(count) => (0..1_000).contains(&count).then_some(count),
        Err(_) => place(&NUMBERS, word).map(|place| i64::from(place) + 1),
    }
}

fn place(table: &[&[&str]], word: &str) -> Option<i8> {
    let place = table.iter().position(|words| words.contains(&word))?;
    i8::try_from(place).ok()
}
