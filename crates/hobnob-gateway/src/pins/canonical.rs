//! One text for all definitions of a tool that mean the same.
//!
//! The order of keys never counts. The order of a list counts unless JSON Schema, or plain reason,
//! makes the list a set. Every character of a text counts; how a number is spelled does not.

use crate::rewrite::{quoted, string_value};
use mcp_types::json::{elements, entries, field};

/// The members that make a tool what it is.
const JUDGED: [&str; 8] = [
    "_meta",
    "annotations",
    "description",
    "execution",
    "inputSchema",
    "name",
    "outputSchema",
    "title",
];

/// The ones among them that hold names and texts.
const READ: [&str; 6] =
    ["annotations", "description", "inputSchema", "name", "outputSchema", "title"];

/// Zeros that are written out instead of an exponent.
const PLAIN_ZEROS: i64 = 20;

/// How much of a definition is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All that makes the tool what it is.
    Everything,
    /// Names, titles, descriptions, and every other text in a schema that has white space in it:
    /// what a model reads as language.
    Texts,
}

/// The canonical text of a tool's definition.
pub(super) fn definition(text: &str, part: Part) -> String {
    let judged: &[&str] = match part {
        Part::Everything => &JUDGED,
        Part::Texts => &READ,
    };
    let mut members = Vec::new();
    for (key, value) in entries(text) {
        if !judged.contains(&&*key) || value == "null" {
            continue;
        }
        let titled = field(value, "title");
        if part == Part::Texts && key == "annotations" && titled.is_none() {
            continue;
        }
        let value = match (&*key, part) {
            ("inputSchema" | "outputSchema", _) => schema(value, part),
            // Here tags are written, and whoever keeps them in a set writes them in any order.
            ("_meta", _) => data(value, Lists::WordsAreSets),
            ("annotations", Part::Texts) => data(titled.unwrap_or("null"), Lists::Ordered),
            _ => data(value, Lists::Ordered),
        };
        members.push((key.into_owned(), value));
    }
    object(members)
}

/// A schema, or the texts in one.
fn schema(raw: &str, part: Part) -> String {
    if !raw.starts_with('{') {
        // `true` and `false` are schemas too.
        return match part {
            Part::Everything => data(raw, Lists::Ordered),
            Part::Texts => "{}".into(),
        };
    }
    let unique = field(raw, "uniqueItems") == Some("true");
    let mut members = Vec::new();
    for (key, value) in entries(raw) {
        let written = keyword(&key, value, unique, part);
        // What has no texts in it is not worth a mention.
        if part == Part::Everything || !matches!(written.as_str(), "" | "{}" | "[]") {
            members.push((key.into_owned(), written));
        }
    }
    object(members)
}

/// The value of one keyword of a schema.
fn keyword(key: &str, value: &str, unique: bool, part: Part) -> String {
    let is_list = value.starts_with('[');
    match (key, part) {
        ("properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions", _) => {
            map(value, |inside| schema(inside, part))
        }
        ("anyOf" | "oneOf" | "allOf", _) if is_list => {
            let all = elements(value).into_iter().map(|inside| schema(inside, part));
            set(all.filter(|it| part == Part::Everything || it != "{}").collect())
        }
        ("prefixItems" | "items", _) if is_list => {
            list(elements(value).into_iter().map(|inside| schema(inside, part)))
        }
        (
            "items"
            | "additionalItems"
            | "additionalProperties"
            | "contains"
            | "contentSchema"
            | "else"
            | "if"
            | "not"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties",
            _,
        ) => schema(value, part),
        ("dependencies", _) => map(value, |inside| match inside.starts_with('[') {
            true => keyword("required", inside, unique, part),
            false => schema(inside, part),
        }),
        ("title" | "description" | "$comment", _) => data(value, Lists::Ordered),
        (_, Part::Texts) => set(prose(value)),
        ("required" | "enum" | "type" | "examples", _) if is_list => {
            set(elements(value).into_iter().map(|it| data(it, Lists::Ordered)).collect())
        }
        ("dependentRequired", _) => map(value, |inside| keyword("required", inside, unique, part)),
        ("default", _) => default(value, unique),
        _ => data(value, Lists::Ordered),
    }
}

/// A default. Programs keep sets of names in hash tables, so names in a list, or in a text with
/// commas between them, come in another order each time.
fn default(value: &str, unique: bool) -> String {
    if unique && value.starts_with('[') {
        return set(elements(value).into_iter().map(|it| data(it, Lists::Ordered)).collect());
    }
    if let Some(text) = string_value(value) {
        let mut names: Vec<&str> = text.split(',').map(str::trim).collect();
        if names.len() > 1 && names.iter().all(|name| is_word(name)) {
            names.sort_unstable();
            return quoted(&names.join(","));
        }
    }
    data(value, Lists::WordsAreSets)
}

/// Whether the order of a list may be an accident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Ordered,
    /// Lists of single words are sets.
    WordsAreSets,
}

/// Any value.
fn data(raw: &str, lists: Lists) -> String {
    match raw.as_bytes().first() {
        Some(b'{') => map(raw, |inside| data(inside, lists)),
        Some(b'[') => {
            let items = elements(raw);
            let word = |it: &&str| string_value(it).is_some_and(|text| is_word(&text));
            let words = lists == Lists::WordsAreSets && items.iter().all(word);
            let items: Vec<String> = items.into_iter().map(|it| data(it, lists)).collect();
            if words { set(items) } else { list(items) }
        }
        Some(b'"') => string_value(raw).map_or_else(|| raw.to_owned(), |text| quoted(&text)),
        Some(b'-' | b'0'..=b'9') => number(raw),
        _ => raw.to_owned(),
    }
}

/// The texts with white space in them, anywhere in a value, keys included.
fn prose(raw: &str) -> Vec<String> {
    match raw.as_bytes().first() {
        Some(b'{') => {
            let mut found = Vec::new();
            for (key, value) in entries(raw) {
                found.extend(key.contains(char::is_whitespace).then(|| quoted(&key)));
                found.extend(prose(value));
            }
            found
        }
        Some(b'[') => elements(raw).into_iter().flat_map(prose).collect(),
        _ => {
            let text = string_value(raw).filter(|text| text.contains(char::is_whitespace));
            text.map(|text| quoted(&text)).into_iter().collect()
        }
    }
}

fn is_word(text: &str) -> bool {
    let legal = |it: char| it.is_alphanumeric() || "_-.*:/".contains(it);
    !text.is_empty() && text.chars().all(legal)
}

fn map(raw: &str, value: impl Fn(&str) -> String) -> String {
    if !raw.starts_with('{') {
        return data(raw, Lists::Ordered);
    }
    object(entries(raw).into_iter().map(|(key, raw)| (key.into_owned(), value(raw))).collect())
}

fn object(mut members: Vec<(String, String)>) -> String {
    members.sort_unstable();
    let member = |(key, value): (String, String)| format!("{}:{value}", quoted(&key));
    format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

fn set(mut items: Vec<String>) -> String {
    items.sort_unstable();
    list(items)
}

/// A number by its value, exactly: `1`, `1.0` and `10e-1` are one number.
fn number(raw: &str) -> String {
    exact_number(raw).unwrap_or_else(|| raw.to_owned())
}

fn exact_number(raw: &str) -> Option<String> {
    let (sign, rest) = raw.strip_prefix('-').map_or(("", raw), |rest| ("-", rest));
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".into());
    }
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let power = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
    let exponent = exponent.checked_add(power)?;
    Some(match usize::try_from(exponent) {
        Ok(zeros) if exponent <= PLAIN_ZEROS => format!("{sign}{significant}{}", "0".repeat(zeros)),
        _ => format!("{sign}{significant}e{exponent}"),
    })
}
