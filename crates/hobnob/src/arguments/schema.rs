//! The part of JSON Schema that `key=value` needs: which JSON types a property takes.
//!
//! Only `arguments.rs` calls it. A schema that this file does not understand allows every type.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// How many nested references and alternatives are followed, so that a cycle ends.
const MAX_DEPTH: usize = 8;

/// A JSON type, the narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    Array,
    Object,
    String,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "array" => Self::Array,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Whether the text can be read as this type.
    pub(super) fn takes(self, word: &str) -> bool {
        let is_json = || serde_json::from_str::<IgnoredAny>(word).is_ok();
        let starts = |signs: &[char]| word.starts_with(signs);
        match self {
            Self::Null => word == "null",
            Self::Boolean => word == "true" || word == "false",
            Self::Integer => {
                let digits = word.strip_prefix('-').unwrap_or(word);
                digits.bytes().all(|byte| byte.is_ascii_digit()) && is_json()
            }
            Self::Number => {
                starts(&['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) && is_json()
            }
            Self::Array => starts(&['[']) && is_json(),
            Self::Object => starts(&['{']) && is_json(),
            Self::String => true,
        }
    }

    /// The type as error messages call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::Array => "a JSON array",
            Self::Object => "a JSON object",
            Self::String => "a string",
        }
    }
}

/// A schema and the document its references point into.
#[derive(Debug, Clone, Default)]
pub(super) struct Schema<'a> {
    root: std::borrow::Cow<'a, Value>,
    at: Value,
}

impl Schema<'_> {
    /// Parses a schema; text that is not JSON becomes a schema that allows everything.
    pub(super) fn parse(text: &str) -> Schema<'static> {
        let root: Value = serde_json::from_str(text).unwrap_or_default();
        Schema { at: root.clone(), root: std::borrow::Cow::Owned(root) }
    }

    fn within(&self, at: &Value) -> Schema<'_> {
        Schema { root: std::borrow::Cow::Borrowed(&self.root), at: at.clone() }
    }

    fn properties(&self) -> Option<&Map<String, Value>> {
        self.at.get("properties")?.as_object()
    }

    /// The schema of one argument.
    pub(super) fn property(&self, key: &str) -> Option<Schema<'_>> {
        Some(self.within(self.properties()?.get(key)?))
    }

    /// The names of all arguments that are listed.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.properties().into_iter().flat_map(Map::keys).map(String::as_str)
    }

    /// The names of the required arguments.
    pub(super) fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.at.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether the tool takes only the arguments that are listed.
    pub(super) fn is_closed(&self) -> bool {
        self.at.get("additionalProperties") == Some(&Value::Bool(false))
    }

    /// The schema of the elements of an array.
    pub(super) fn items(&self) -> Schema<'_> {
        self.within(self.list(&self.at, MAX_DEPTH).unwrap_or(&Value::Null))
    }

    /// The types that the schema allows, the narrowest first; empty if it names none.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        self.collect(&self.at, MAX_DEPTH, &mut kinds);
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    fn collect(&self, at: &Value, depth: usize, kinds: &mut Vec<Kind>) {
        if depth == 0 {
            return;
        }
        match at.get("type") {
            Some(Value::String(name)) => kinds.extend(Kind::parse(name)),
            Some(Value::Array(names)) => {
                kinds.extend(names.iter().filter_map(Value::as_str).filter_map(Kind::parse));
            }
            _ => {
                let listed = at.get("enum").and_then(Value::as_array);
                kinds.extend(listed.into_iter().flatten().chain(at.get("const")).map(Kind::of));
            }
        }
        for next in self.alternatives(at) {
            self.collect(next, depth - 1, kinds);
        }
    }

    /// The schema of an array's elements, here or in an alternative.
    fn list<'b>(&'b self, at: &'b Value, depth: usize) -> Option<&'b Value> {
        if depth == 0 {
            return None;
        }
        let here = at.get("items");
        here.or_else(|| self.alternatives(at).find_map(|next| self.list(next, depth - 1)))
    }

    fn alternatives<'b>(&'b self, at: &'b Value) -> impl Iterator<Item = &'b Value> {
        let among = ["anyOf", "oneOf", "allOf"]
            .into_iter()
            .filter_map(|key| at.get(key)?.as_array())
            .flatten();
        let referred = at
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| self.root.pointer(reference.strip_prefix('#')?));
        among.chain(referred)
    }
}
