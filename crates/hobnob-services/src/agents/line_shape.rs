//! How a description refers to parts of a JSON line: conditions, texts and values.
//!
//! Descriptions consist of these types, and the interpreter evaluates them.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A place in a JSON document, as a JSON pointer (RFC 6901): `/event/delta/text`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct JsonPointer(String);

impl TryFrom<String> for JsonPointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.starts_with('/') {
            true => Ok(Self(text)),
            false => Err(format!("`{text}` is no JSON pointer: it begins with `/`")),
        }
    }
}

impl JsonPointer {
    pub(super) fn find<'a>(&self, line: &'a Value) -> Option<&'a Value> {
        line.pointer(&self.0).filter(|value| !value.is_null())
    }

    pub(super) fn text<'a>(&self, line: &'a Value) -> Option<&'a str> {
        self.find(line).and_then(Value::as_str)
    }
}

/// Expected values at some places; `null` means absent. An empty condition always holds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct LineCondition(BTreeMap<JsonPointer, Value>);

impl LineCondition {
    pub(super) fn holds(&self, line: &Value) -> bool {
        self.0.iter().all(|(place, wanted)| match wanted {
            Value::Null => place.find(line).is_none(),
            wanted => place.find(line) == Some(wanted),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text: the string at a place, or the literal after a leading `=`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum TextSource {
    At(JsonPointer),
    Always(String),
}

impl TryFrom<String> for TextSource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.strip_prefix('=') {
            Some(text) => Ok(Self::Always(text.to_owned())),
            None => JsonPointer::try_from(text).map(Self::At),
        }
    }
}

impl TextSource {
    pub(super) fn text<'a>(&'a self, line: &'a Value) -> Option<&'a str> {
        match self {
            Self::At(place) => place.text(line),
            Self::Always(text) => Some(text),
        }
    }

    /// The first text that is present and not blank.
    pub(super) fn first<'a>(sources: &'a [Self], line: &'a Value) -> Option<&'a str> {
        sources.iter().filter_map(|source| source.text(line)).find(|text| !text.trim().is_empty())
    }
}

/// A value: what is at a place, or an object built from several places.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(super) enum ValueSource {
    At(JsonPointer),
    Object(MemberSources),
}

/// The names of members, with the place that each value is read from.
pub(super) type MemberSources = BTreeMap<String, JsonPointer>;

impl TryFrom<Value> for ValueSource {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::String(text) => JsonPointer::try_from(text).map(Self::At),
            Value::Object(_) => {
                serde_json::from_value(value).map(Self::Object).map_err(|error| error.to_string())
            }
            _ => Err("a value is a JSON pointer, or an object of them".into()),
        }
    }
}

impl ValueSource {
    pub(super) fn value(&self, line: &Value) -> Option<Value> {
        match self {
            Self::At(place) => place.find(line).cloned(),
            Self::Object(members) => Some(Value::Object(members_of(members, line))),
        }
    }
}

/// The members whose values are present in the line.
pub(super) fn members_of(sources: &MemberSources, line: &Value) -> Map<String, Value> {
    let found =
        sources.iter().filter_map(|(name, at)| Some((name.clone(), at.find(line)?.clone())));
    found.collect()
}
