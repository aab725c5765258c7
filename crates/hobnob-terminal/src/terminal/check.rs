//! Checks what the user typed into a form field, and converts it to JSON. `form` asks again with
//! the message that it returns.
//!
//! What must stay true: what it accepts fits the schema of the field, as the server will check it.

use crate::render::counted;
use hobnob_mcp_types::form_field::{NumberSchema, NumberType, StringFormat, StringSchema};
use serde_json::{Number, Value, json};

/// The JSON string, or what to type instead.
pub(crate) fn text(field: &StringSchema, typed: &str) -> Result<Value, String> {
    let length = typed.chars().count() as u64;
    if let Some(min) = field.min_length.filter(|min| length < *min) {
        return Err(format!("enter at least {}", counted(min, "character")));
    }
    if let Some(max) = field.max_length.filter(|max| length > *max) {
        return Err(format!("enter at most {}", counted(max, "character")));
    }
    let fits = match &field.format {
        Some(StringFormat::Email) => is_email(typed),
        Some(StringFormat::Uri) => is_uri(typed),
        Some(StringFormat::Date) => is_date(typed),
        Some(StringFormat::DateTime) => is_date_time(typed),
        _ => true,
    };
    match (&field.format, fits) {
        (_, true) => Ok(json!(typed)),
        (Some(StringFormat::Email), _) => Err("enter an e-mail address".into()),
        (Some(StringFormat::Uri), _) => Err("enter a URI such as https://…".into()),
        (Some(StringFormat::Date), _) => Err("enter a date such as 2026-01-31".into()),
        (_, _) => Err("enter a time such as 2026-01-31T12:00:00Z".into()),
    }
}

/// The JSON number, or what to type instead.
pub(super) fn number(field: &NumberSchema, typed: &str) -> Result<Value, String> {
    let typed = typed.trim();
    let whole = field.kind == NumberType::Integer;
    let number: Option<Number> = match whole {
        true => typed.parse::<i64>().ok().map(Number::from),
        false => typed.parse::<f64>().ok().and_then(|it| match typed.parse::<i64>() {
            Ok(whole) => Some(Number::from(whole)),
            Err(_) => Number::from_f64(it),
        }),
    };
    let wanted = if whole { "enter a whole number" } else { "enter a number" };
    let number = number.ok_or(wanted)?;
    let value = number.as_f64().unwrap_or_default();
    if let Some(min) = field.minimum.filter(|min| value < *min) {
        return Err(format!("enter at least {min}"));
    }
    if let Some(max) = field.maximum.filter(|max| value > *max) {
        return Err(format!("enter at most {max}"));
    }
    Ok(Value::Number(number))
}

/// Whether the field takes this number of choices.
pub(super) fn amount(min: Option<u64>, max: Option<u64>, chosen: usize) -> Result<(), String> {
    let chosen = chosen as u64;
    if let Some(min) = min.filter(|min| chosen < *min) {
        return Err(format!("choose at least {min}"));
    }
    if let Some(max) = max.filter(|max| chosen > *max) {
        return Err(format!("choose at most {max}"));
    }
    Ok(())
}

fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(who, host)| !who.is_empty() && !host.is_empty())
        && !text.contains(char::is_whitespace)
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let legal = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(legal)
        && !rest.is_empty()
        && !rest.contains(char::is_whitespace)
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |text: &str, digits: usize| {
        (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<u32>().ok())
            .flatten()
    };
    let [year, month, day] = parts[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let zone = time.find(['Z', 'z', '+', '-']).map(|at| time.split_at(at));
    let Some((clock, zone)) = zone else { return false };
    let two = |text: &str, below: u32| {
        text.len() == 2 && text.parse::<u32>().is_ok_and(|number| number < below)
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = parts[..] else { return false };
    let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
    let zone_fits = match zone.strip_prefix(['+', '-']) {
        None => zone.len() == 1,
        Some(offset) => offset
            .split_once(':')
            .is_some_and(|(hours, minutes)| two(hours, 24) && two(minutes, 60)),
    };
    is_date(date)
        && two(hour, 24)
        && two(minute, 60)
        && two(second, 61)
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && zone_fits
}
