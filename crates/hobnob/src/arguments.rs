//! From `key=value` on the command line to the JSON object that a tool wants.
//!
//! `call`, `watch` and `prompt` use it. The tool's input schema decides the type of a value; what
//! is JSON already stays as it was written.

mod schema;
#[cfg(test)]
mod tests;

use crate::json_problem::json_problem;
use hobnob_mcp_types::json::{object, write_string};
use schema::{Kind, Schema};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes that Hobnob reads from a file or from standard input.
const MAX_BYTES: u64 = 16 << 20;

/// Why the arguments on the command line cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadArgument {
    /// The word is neither `key=value` nor a JSON object.
    #[error("`{0}` is neither key=value nor a JSON object")]
    NoPair(String),
    /// The value does not fit the schema.
    #[error("`{key}` must be {wanted}, not `{value}`")]
    Unfit { key: String, wanted: String, value: String },
    /// The text is not the JSON that this place requires.
    #[error("`{place}` is not {wanted}: {}", json_problem(.error))]
    NoJson { place: String, wanted: &'static str, error: serde_json::Error },
    /// A key that takes one value was given twice.
    #[error("`{0}` is given twice, but it takes one value")]
    Twice(String),
    /// The tool has no such argument.
    #[error("unknown argument `{key}`; the tool takes: {known}")]
    Unknown { key: String, known: String },
    /// Required arguments are missing.
    #[error("missing arguments: {0}")]
    Missing(String),
    /// A file or standard input cannot be read.
    #[error("cannot read {place}: {source}")]
    Unreadable { place: String, source: io::Error },
}

/// One `key=value` of the command line.
struct Pair {
    key: String,
    value: PairValue,
}

/// The value of a pair.
enum PairValue {
    /// Text, whose JSON type the schema decides.
    Text(String),
    /// JSON, as it was written.
    Json(Box<RawValue>),
}

/// The arguments as the JSON text of an object. `-` alone reads it from standard input.
pub(crate) fn arguments(words: &[String], schema: &str) -> Result<String, BadArgument> {
    match words {
        [only] if only == "-" => {
            let text = read_text("standard input", io::stdin().lock())?;
            whole(&text, "standard input")
        }
        [only] if only.trim_start().starts_with('{') => whole(only, only),
        words => {
            let pairs = words.iter().map(|word| pair(word)).collect::<Result<Vec<_>, _>>()?;
            typed(&pairs, &Schema::parse(schema))
        }
    }
}

/// The arguments of a prompt, which are all strings.
pub(crate) fn texts(words: &[String]) -> Result<Vec<(String, String)>, BadArgument> {
    let mut texts: Vec<(String, String)> = Vec::new();
    for word in words {
        let Pair { key, value } = pair(word)?;
        if texts.iter().any(|(known, _)| *known == key) {
            return Err(BadArgument::Twice(key));
        }
        let text = match value {
            PairValue::Text(text) => text,
            PairValue::Json(json) => json.get().to_owned(),
        };
        texts.push((key, text));
    }
    Ok(texts)
}

fn whole(text: &str, place: &str) -> Result<String, BadArgument> {
    let text = text.trim();
    let shown = || place.chars().take(80).collect::<String>();
    // The text must be a JSON object; its members are checked but not converted.
    let object = serde_json::from_str::<std::collections::BTreeMap<String, IgnoredAny>>(text);
    match object {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(BadArgument::NoJson { place: shown(), wanted: "a JSON object", error }),
    }
}

fn pair(word: &str) -> Result<Pair, BadArgument> {
    let (key, value) = word.split_once('=').ok_or_else(|| BadArgument::NoPair(word.to_owned()))?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => (key, PairValue::Json(json(key, value)?)),
        None => (key, PairValue::Text(text(value)?)),
    };
    if key.is_empty() {
        return Err(BadArgument::NoPair(word.to_owned()));
    }
    Ok(Pair { key: key.to_owned(), value })
}

fn json(key: &str, value: &str) -> Result<Box<RawValue>, BadArgument> {
    serde_json::from_str(value.trim()).map_err(|error| BadArgument::NoJson {
        place: format!("{key}:={value}"),
        wanted: "JSON",
        error,
    })
}

/// The text itself, or the contents of the file named after `@`; `@@` stands for a literal `@`.
fn text(value: &str) -> Result<String, BadArgument> {
    match value.strip_prefix('@') {
        None => Ok(value.to_owned()),
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some(path) => {
            let place = format!("the file {path}");
            let opened = File::open(Path::new(path));
            match opened {
                Ok(file) => read_text(&place, file),
                Err(source) => Err(BadArgument::Unreadable { place, source }),
            }
        }
    }
}

fn read_text(place: &str, from: impl Read) -> Result<String, BadArgument> {
    let mut text = String::new();
    let read = from.take(MAX_BYTES + 1).read_to_string(&mut text);
    let read = match read {
        Ok(_) if text.len() as u64 > MAX_BYTES => Err(io::ErrorKind::FileTooLarge.into()),
        read => read,
    };
    match read {
        Ok(_) => Ok(text),
        Err(source) => Err(BadArgument::Unreadable { place: place.to_owned(), source }),
    }
}

/// Converts each pair to the type that the schema names; keys keep the order of their first use.
fn typed(pairs: &[Pair], schema: &Schema<'_>) -> Result<String, BadArgument> {
    let mut keys: Vec<&str> = Vec::new();
    for Pair { key, .. } in pairs {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    if let Some(missing) = missing(&keys, schema) {
        return Err(BadArgument::Missing(missing));
    }
    let mut members = Vec::new();
    for key in keys {
        let property = schema.property(key);
        if property.is_none() && schema.is_closed() {
            let known = schema.keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            return Err(BadArgument::Unknown { key: key.to_owned(), known });
        }
        let property = property.unwrap_or_default();
        let given: Vec<&PairValue> =
            pairs.iter().filter(|pair| pair.key == key).map(|pair| &pair.value).collect();
        members.push((key, value(key, &given, &property)?));
    }
    Ok(object(|arguments| {
        for (key, value) in &members {
            arguments.raw(key, value);
        }
    }))
}

fn missing(keys: &[&str], schema: &Schema<'_>) -> Option<String> {
    let missing: Vec<String> = schema
        .required()
        .filter(|wanted| !keys.contains(wanted))
        .map(|wanted| format!("{wanted}=…"))
        .collect();
    (!missing.is_empty()).then(|| missing.join(" "))
}

/// The JSON of one member: a list for several values, or if the schema wants a list.
fn value(key: &str, given: &[&PairValue], property: &Schema<'_>) -> Result<String, BadArgument> {
    let kinds = property.kinds();
    if let [one] = given {
        if !kinds.contains(&Kind::Array) {
            return single(key, one, property);
        }
        match one {
            PairValue::Json(json) => return Ok(json.get().to_owned()),
            PairValue::Text(text) if is_list(text) => return Ok(text.trim().to_owned()),
            PairValue::Text(_) if kinds.len() > 1 => {
                if let Ok(value) = single(key, one, property) {
                    return Ok(value);
                }
            }
            PairValue::Text(_) => {}
        }
    } else if !kinds.is_empty() && !kinds.contains(&Kind::Array) {
        return Err(BadArgument::Twice(key.to_owned()));
    }
    let items = property.items();
    let parts = given.iter().map(|one| single(key, one, &items)).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[{}]", parts.join(",")))
}

fn is_list(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('[') && serde_json::from_str::<Vec<IgnoredAny>>(text).is_ok()
}

fn single(key: &str, given: &PairValue, property: &Schema<'_>) -> Result<String, BadArgument> {
    let text = match given {
        PairValue::Json(json) => return Ok(json.get().to_owned()),
        PairValue::Text(text) => text,
    };
    let kinds = property.kinds();
    if kinds.is_empty() {
        return Ok(quoted(text));
    }
    // The narrowest kind that fits: a tool that takes numbers and texts gets `5` as a number.
    if let Some(kind) = kinds.iter().find(|kind| kind.takes(text.trim())) {
        return Ok(match kind {
            Kind::String => quoted(text),
            _ => text.trim().to_owned(),
        });
    }
    let wanted = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" or ");
    let value = text.chars().take(80).collect();
    Err(BadArgument::Unfit { key: key.to_owned(), wanted, value })
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}
