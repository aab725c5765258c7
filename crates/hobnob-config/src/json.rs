//! JSON as this crate accepts it: no duplicate keys, a canonical form for digests, and JSONC.
//!
//! Every file that users or other clients write as JSON is parsed here, so that two readers never
//! disagree about which of two equal keys counts.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses text in which no object has duplicate keys; the error has the line and column.
pub(crate) fn parse_strict(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<CheckedValue>(text).map(|CheckedValue(value)| value)
}

/// A value that was checked for duplicate keys while it was parsed.
struct CheckedValue(Value);

impl<'de> Deserialize<'de> for CheckedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CheckingVisitor).map(CheckedValue)
    }
}

struct CheckingVisitor;

impl<'de> Visitor<'de> for CheckingVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(CheckedValue(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if map.contains_key(&key) {
                let shown = key.escape_debug();
                let message = format!("duplicate key `{shown}`: keep one of them");
                return Err(de::Error::custom(message));
            }
            let CheckedValue(value) = members.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// Compact text with sorted keys: equal for values that differ only in order and layout.
pub(crate) fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members = members.into_iter().map(|(key, value)| (key.clone(), sorted(value)));
            Value::Object(members.collect())
        }
        plain => plain.clone(),
    }
}

/// Blanks out comments and trailing commas byte for byte, so that positions stay the same.
pub(crate) fn strip_jsonc(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = bytes.to_vec();
    let mut comma: Option<usize> = None;
    // A comma is trailing only after a value.
    let mut follows_value = false;
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => string_end(bytes, at),
            (b'/', Some(b'/')) => line_comment_end(bytes, at),
            (b'/', Some(b'*')) => block_comment_end(bytes, at),
            _ => at + 1,
        };
        match bytes[at] {
            b'/' if at + 1 < end => blank(&mut plain[at..end]),
            b',' => comma = std::mem::take(&mut follows_value).then_some(at),
            b'}' | b']' => {
                if let Some(trailing) = comma.take() {
                    plain[trailing] = b' ';
                }
                follows_value = true;
            }
            it if it.is_ascii_whitespace() => {}
            it => {
                comma = None;
                follows_value = !matches!(it, b'{' | b'[' | b':');
            }
        }
        at = end;
    }
    // Only ASCII and whole comments were replaced, so the text is still UTF-8.
    String::from_utf8_lossy(&plain).into_owned()
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|it| **it != b'\n') {
        *byte = b' ';
    }
}

/// The end of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn line_comment_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|it| *it == b'\n').map_or(bytes.len(), |length| start + length)
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let inside = &bytes[start + 2..];
    inside.windows(2).position(|it| it == b"*/").map_or(bytes.len(), |at| start + 2 + at + 2)
}
