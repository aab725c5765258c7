//! How a description points at parts of a JSON line: conditions, texts and values.
//!
//! Descriptions are made of these, and the interpreter asks them. Nothing here knows an agent.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A place in a JSON document, as RFC 6901 writes it: `/event/delta/text`.
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

/// What must be at some places; `null` stands for nothing at all. Without any it always holds.
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

/// A text: what is at a place, or with `=` in front the text itself.
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

    /// The first of several that is there and not empty.
    pub(super) fn first<'a>(sources: &'a [Self], line: &'a Value) -> Option<&'a str> {
        sources.iter().filter_map(|source| source.text(line)).find(|text| !text.trim().is_empty())
    }
}

/// A value: what is at a place, or an object with what is at several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(super) enum ValueSource {
    At(JsonPointer),
    Object(MemberSources),
}

/// Names, and where the value of each is.
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

/// The members that are there.
pub(super) fn members_of(sources: &MemberSources, line: &Value) -> Map<String, Value> {
    let found =
        sources.iter().filter_map(|(name, at)| Some((name.clone(), at.find(line)?.clone())));
    found.collect()
}
