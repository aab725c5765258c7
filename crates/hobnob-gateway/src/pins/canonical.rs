//! The canonical text of a tool definition: equal for all definitions that mean the same.
//!
//! The order of keys never counts. The order of a list counts unless JSON Schema, or common sense,
//! makes the list a set. Every character of a text counts; the spelling of a number does not.

use crate::rewrite::string_value;
use hobnob_mcp_types::json::{elements, entries, field, write_string};
use std::borrow::Cow;

/// The members that are compared.
pub(super) const COMPARED_MEMBERS: [&str; 8] = [
    "_meta",
    "annotations",
    "description",
    "execution",
    "inputSchema",
    "name",
    "outputSchema",
    "title",
];

/// The compared members that contain names and texts.
const TEXT_MEMBERS: [&str; 6] =
    ["annotations", "description", "inputSchema", "name", "outputSchema", "title"];

/// An exponent up to this is written out as zeros.
const MAX_ZEROS: i64 = 20;

/// Which part of a definition is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefinitionPart {
    /// All members that make the tool what it is.
    Everything,
    /// Names, titles, descriptions, and every other schema text with white space in it: all that a
    /// model reads as language.
    Texts,
}

/// The canonical text of a tool's definition, or of a part of it.
pub(super) fn definition(text: &str, part: DefinitionPart) -> String {
    let compared: &[&str] = match part {
        DefinitionPart::Everything => &COMPARED_MEMBERS,
        DefinitionPart::Texts => &TEXT_MEMBERS,
    };
    let mut members = entries(text);
    members.retain(|(key, value)| compared.contains(&&**key) && *value != "null");
    let mut out = String::with_capacity(text.len());
    object(&mut out, members, part, |out, key, value| match (key, part) {
        ("inputSchema" | "outputSchema", _) => schema(out, value, part),
        // `_meta` contains tags, and a program that keeps tags in a set writes them in any order.
        ("_meta", _) => data(out, value, Lists::WordsAreSets),
        ("annotations", DefinitionPart::Texts) => {
            data(out, field(value, "title").unwrap_or("{}"), Lists::Ordered);
        }
        _ => data(out, value, Lists::Ordered),
    });
    out
}

/// Writes a schema, or only its texts.
fn schema(out: &mut String, raw: &str, part: DefinitionPart) {
    if !raw.starts_with('{') {
        // `true` and `false` are schemas too.
        return match part {
            DefinitionPart::Everything => data(out, raw, Lists::Ordered),
            DefinitionPart::Texts => out.push_str("{}"),
        };
    }
    let members = entries(raw);
    let unique = members.iter().any(|(key, value)| key == "uniqueItems" && *value == "true");
    object(out, members, part, |out, key, value| keyword(out, key, value, unique, part));
}

/// Writes the value of one keyword of a schema.
fn keyword(out: &mut String, key: &str, value: &str, unique: bool, part: DefinitionPart) {
    let is_list = value.starts_with('[');
    match (key, part) {
        ("properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions", _) => {
            map(out, value, |out, inside| schema(out, inside, part));
        }
        ("anyOf" | "oneOf" | "allOf", _) if is_list => {
            set(out, elements(value), part, |out, inside| schema(out, inside, part));
        }
        ("prefixItems" | "items", _) if is_list => {
            list(out, elements(value), |out, inside| schema(out, inside, part));
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
        ) => schema(out, value, part),
        ("dependencies", _) => map(out, value, |out, inside| match inside.starts_with('[') {
            true => keyword(out, "required", inside, unique, part),
            false => schema(out, inside, part),
        }),
        ("title" | "description" | "$comment", _) => data(out, value, Lists::Ordered),
        (_, DefinitionPart::Texts) => {
            set(out, prose(value), part, |out, text| write_string(out, &text))
        }
        ("required" | "enum" | "type" | "examples", _) if is_list => data_set(out, value),
        ("dependentRequired", _) => {
            map(out, value, |out, inside| keyword(out, "required", inside, unique, part));
        }
        ("default", _) => default(out, value, unique),
        _ => data(out, value, Lists::Ordered),
    }
}

/// Writes a default. Programs keep names in hash sets, so the order of names in a list, or in a
/// text with commas between them, may change each time.
fn default(out: &mut String, value: &str, unique: bool) {
    if unique && value.starts_with('[') {
        return data_set(out, value);
    }
    if let Some(text) = string_value(value) {
        let mut names: Vec<&str> = text.split(',').map(str::trim).collect();
        if names.len() > 1 && names.iter().all(|name| is_word(name)) {
            names.sort_unstable();
            return write_string(out, &names.join(","));
        }
    }
    data(out, value, Lists::WordsAreSets);
}

/// Whether the order of lists counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Ordered,
    /// Lists of single words are sets.
    WordsAreSets,
}

/// Writes a value that is not a schema: a default, an example, a constant.
fn data(out: &mut String, raw: &str, lists: Lists) {
    match raw.as_bytes().first() {
        Some(b'{') => map(out, raw, |out, inside| data(out, inside, lists)),
        Some(b'[') => {
            let items = elements(raw);
            let word = |it: &&str| string_value(it).is_some_and(|text| is_word(&text));
            let write = |out: &mut String, it| data(out, it, lists);
            if lists == Lists::WordsAreSets && items.iter().all(word) {
                set(out, items, DefinitionPart::Everything, write);
            } else {
                list(out, items, write);
            }
        }
        Some(b'"') => match string_value(raw) {
            Some(text) => write_string(out, &text),
            None => out.push_str(raw),
        },
        Some(b'-' | b'0'..=b'9') => match exact_number(raw) {
            Some(number) => out.push_str(&number),
            None => out.push_str(raw),
        },
        _ => out.push_str(raw),
    }
}

/// The texts with white space anywhere in a value, including keys.
fn prose(raw: &str) -> Vec<String> {
    match raw.as_bytes().first() {
        Some(b'{') => {
            let mut found = Vec::new();
            for (key, value) in entries(raw) {
                found.extend(key.contains(char::is_whitespace).then(|| key.into_owned()));
                found.extend(prose(value));
            }
            found
        }
        Some(b'[') => elements(raw).into_iter().flat_map(prose).collect(),
        _ => {
            let text = string_value(raw).filter(|text| text.contains(char::is_whitespace));
            text.into_iter().map(Cow::into_owned).collect()
        }
    }
}

fn is_word(text: &str) -> bool {
    let legal = |it: char| it.is_alphanumeric() || "_-.*:/".contains(it);
    !text.is_empty() && text.chars().all(legal)
}

/// Writes an object whose values are all of one kind; every key counts.
fn map(out: &mut String, raw: &str, write: impl Fn(&mut String, &str)) {
    if raw.starts_with('{') {
        object(out, entries(raw), DefinitionPart::Everything, |out, _, value| write(out, value));
    } else {
        data(out, raw, Lists::Ordered);
    }
}

/// Writes an object sorted by key. If only texts count, members without any are left out.
fn object(
    out: &mut String,
    mut members: Vec<(Cow<'_, str>, &str)>,
    part: DefinitionPart,
    write: impl Fn(&mut String, &str, &str),
) {
    members.sort_unstable();
    out.push('{');
    let first = out.len();
    for (key, value) in members {
        let start = out.len();
        if first < start {
            out.push(',');
        }
        write_string(out, &key);
        out.push(':');
        let written = out.len();
        write(out, &key, value);
        if part == DefinitionPart::Texts && is_empty(&out[written..]) {
            out.truncate(start);
        }
    }
    out.push('}');
}

fn is_empty(written: &str) -> bool {
    matches!(written, "{}" | "[]")
}

fn list<'a>(out: &mut String, items: Vec<&'a str>, write: impl Fn(&mut String, &'a str)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

/// Writes a list as a set: items are sorted by their canonical text.
fn set<T>(out: &mut String, items: Vec<T>, part: DefinitionPart, write: impl Fn(&mut String, T)) {
    let mut all: Vec<String> = Vec::with_capacity(items.len());
    for item in items {
        let mut text = String::new();
        write(&mut text, item);
        if part == DefinitionPart::Everything || !is_empty(&text) {
            all.push(text);
        }
    }
    all.sort_unstable();
    out.push('[');
    out.push_str(&all.join(","));
    out.push(']');
}

fn data_set(out: &mut String, raw: &str) {
    set(out, elements(raw), DefinitionPart::Everything, |out, it| data(out, it, Lists::Ordered));
}

/// A number in exact canonical form: `1`, `1.0` and `10e-1` give the same text.
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
        Ok(zeros) if exponent <= MAX_ZEROS => format!("{sign}{significant}{}", "0".repeat(zeros)),
        _ => format!("{sign}{significant}e{exponent}"),
    })
}
