//! A client's file in a form that may be shown: every string outside of our entry is `…`, because
//! many of them are secrets.
//!
//! `plan` masks both versions before it compares them. Keys, numbers and comments stay, so that a
//! person can recognise the place of a change.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::json_scan::{JsonObject, blank_comments, string_end};

/// The replacement of a string.
const MASK: &str = "\"…\"";
/// Tables of our own entry in which people put secrets.
const SECRET_TABLES: [&str; 2] = ["env", "headers"];

/// A JSON text with its strings masked.
pub(super) fn masked_json(text: &str, servers: &str, name: &str) -> String {
    let plain = blank_comments(text);
    let inside = |object: JsonObject, key: &str| object.get(key).map(|it| it.value.clone());
    let ours = JsonObject::at(&plain, 0)
        .and_then(|root| inside(root, servers))
        .and_then(|servers| inside(JsonObject::at(&plain, servers.start)?, name));
    let secret: Vec<Range<usize>> = ours
        .iter()
        .filter_map(|ours| JsonObject::at(&plain, ours.start))
        .flat_map(|entry| SECRET_TABLES.map(|table| inside_of(&entry, table)))
        .flatten()
        .collect();
    let is_shown = |at: usize| {
        ours.as_ref().is_some_and(|it| it.contains(&at))
            && !secret.iter().any(|it| it.contains(&at))
    };
    let bytes = plain.as_bytes();
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|it| it.iter().position(|it| *it == b'"')) {
        let start = at + found;
        let end = string_end(bytes, start);
        let is_key = plain.get(end..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        if !is_key && !is_shown(start) {
            places.push(start..end);
        }
        at = end;
    }
    replaced(text, places)
}

fn inside_of(entry: &JsonObject, table: &str) -> Option<Range<usize>> {
    entry.get(table).map(|it| it.value.clone())
}

/// A TOML text with its strings masked.
pub(super) fn masked_toml(text: &str, servers: &str, name: &str) -> String {
    let Ok(root) = DeTable::parse(text) else { return text.to_owned() };
    let mut places = Vec::new();
    for (key, value) in root.get_ref() {
        let path = [key.get_ref().as_ref()];
        collect_strings(value.span(), value.get_ref(), &path, &[servers, name], &mut places);
    }
    replaced(text, places)
}

/// Collects the positions of all strings to mask.
fn collect_strings(
    place: Range<usize>,
    value: &DeValue<'_>,
    path: &[&str],
    ours: &[&str],
    places: &mut Vec<Range<usize>>,
) {
    match value {
        DeValue::String(_) => {
            let is_secret = path.get(ours.len()).is_some_and(|it| SECRET_TABLES.contains(it));
            if !path.starts_with(ours) || is_secret {
                places.push(place);
            }
        }
        DeValue::Array(items) => {
            for item in items.iter() {
                collect_strings(item.span(), item.get_ref(), path, ours, places);
            }
        }
        DeValue::Table(members) => {
            for (key, value) in members {
                let below = [path, &[key.get_ref().as_ref()]].concat();
                collect_strings(value.span(), value.get_ref(), &below, ours, places);
            }
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

fn replaced(text: &str, mut places: Vec<Range<usize>>) -> String {
    places.sort_by_key(|place| place.start);
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for place in places {
        shown.push_str(text.get(from..place.start).unwrap_or_default());
        shown.push_str(MASK);
        from = place.end;
    }
    shown + text.get(from..).unwrap_or_default()
}
