//! Sets and removes one server's table in a TOML text. Every other byte stays.
//!
//! `plan` calls it with a text that it has parsed, and compares the meaning of the result: it
//! refuses a result that is wrong because this code cannot edit the form of the text.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

/// The text with this entry at `[servers.name]`: existing values are replaced in place, otherwise
/// the table is appended.
pub(super) fn set_table(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> String {
    match placed_values(text, servers, name, entry) {
        Some(mut values) => {
            // Edit from the end, so that earlier positions stay valid.
            values.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
            let mut changed = text.to_owned();
            for (place, value) in values {
                changed.replace_range(place, &value);
            }
            changed
        }
        None => appended(&remove_table(text, servers, name), servers, name, entry),
    }
}

/// The text without the table, its subtables, and the comments inside it.
pub(super) fn remove_table(text: &str, servers: &str, name: &str) -> String {
    let mut lines = Vec::new();
    if let Ok(root) = DeTable::parse(text)
        && let Some(placed) = entry_in(root.get_ref(), servers, name)
    {
        lines_of(text, &placed, &mut lines);
    }
    let (Some(first), Some(last)) = (lines.iter().min(), lines.iter().max()) else {
        return text.to_owned();
    };
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    // Other tables' lines in between are kept; a comment belongs to the line after it.
    let is_filler = |at: usize| {
        let line = all.get(at).map_or("", |line| line.trim());
        line.is_empty() || line.starts_with('#')
    };
    let mut from = *first;
    let contiguous = (*first..=*last).all(|at| lines.contains(&at) || is_filler(at));
    // The empty line before the table is removed with it.
    if contiguous && 0 < from && all.get(from - 1).is_some_and(|line| line.trim().is_empty()) {
        from -= 1;
    }
    let goes = |at: usize| match contiguous {
        true => (from..=*last).contains(&at),
        false => lines.contains(&at),
    };
    all.iter().enumerate().filter(|(at, _)| !goes(*at)).map(|(_, line)| *line).collect()
}

/// The table as it is appended.
pub(super) fn written(
    servers: &str,
    name: &str,
    entry: &Map<String, Value>,
    newline: &str,
) -> String {
    let mut text = format!("[{}.{}]{newline}", key(servers), key(name));
    let (tables, values): (Vec<_>, Vec<_>) = entry.iter().partition(|(_, it)| it.is_object());
    for (name, value) in values {
        text.push_str(&format!("{} = {}{newline}", key(name), literal(value)));
    }
    for (table, value) in tables {
        let members = value.as_object().into_iter().flatten();
        text.push_str(&format!(
            "{newline}[{}.{}.{}]{newline}",
            key(servers),
            key(name),
            key(table)
        ));
        for (name, value) in members {
            text.push_str(&format!("{} = {}{newline}", key(name), literal(value)));
        }
    }
    text
}

fn appended(text: &str, servers: &str, name: &str, entry: &Map<String, Value>) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let between = match text {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    format!("{text}{between}{}", written(servers, name, entry, newline))
}

/// The positions of the table's present values, with the new ones. `None` if the table lacks one of
/// them or reaches a server by `url`, or if a new value is an object.
fn placed_values(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Option<Vec<(Range<usize>, String)>> {
    let root = DeTable::parse(text).ok()?;
    let table = entry_in(root.get_ref(), servers, name)?.value.as_table()?;
    if table.contains_key("url") || entry.values().any(Value::is_object) {
        return None;
    }
    let place = |(key, new): (&String, &Value)| {
        let old = table.get(key.as_str())?;
        Some((old.span(), literal(new)))
    };
    entry.iter().map(place).collect()
}

/// A value in a parsed text, with its position and that of its key.
struct PlacedValue<'a, 'i> {
    key: Range<usize>,
    place: Range<usize>,
    value: &'a DeValue<'i>,
}

fn entry_in<'a, 'i>(
    root: &'a DeTable<'i>,
    servers: &str,
    name: &str,
) -> Option<PlacedValue<'a, 'i>> {
    let (key, value) = root.get(servers)?.get_ref().as_table()?.get_key_value(name)?;
    Some(PlacedValue { key: key.span(), place: value.span(), value: value.get_ref() })
}

/// Collects the numbers of all lines that a value is written on.
fn lines_of(text: &str, placed: &PlacedValue<'_, '_>, lines: &mut Vec<usize>) {
    let number = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count();
    let is_inline = text.get(placed.place.clone()).is_some_and(|it| it.starts_with('{'));
    match placed.value {
        DeValue::Table(members) if !is_inline => {
            lines.push(number(placed.key.start));
            for (key, value) in members {
                let (key, place) = (key.span(), value.span());
                lines_of(text, &PlacedValue { key, place, value: value.get_ref() }, lines);
            }
        }
        _ => lines.extend(number(placed.key.start)..=number(placed.place.end)),
    }
}

/// A key, in quotes if it needs them.
fn key(name: &str) -> String {
    let bare = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => toml::Value::from(name).to_string(),
    }
}

/// A string, a number or a list of them, as TOML.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => toml::Value::from(text.as_str()).to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
