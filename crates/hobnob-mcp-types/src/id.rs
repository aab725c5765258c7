//! Request ids and progress tokens: the receiver echoes them with the same type and value.

use crate::json::write_string;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// Longer ids are refused: an id is echoed in every answer.
pub(crate) const MAX_ID_LENGTH: usize = 1024;

/// The id of a request: a string or an integer of any size, never `null`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Number(i64),
    /// An integer that an `i64` cannot hold, or would write differently (`-0`).
    Digits(Box<str>),
    Text(Box<str>),
}

impl RequestId {
    /// Reads an id from its JSON text; `None` if it is not a legal id.
    pub fn from_json(raw: &str) -> Option<Self> {
        if raw.len() > MAX_ID_LENGTH {
            return None;
        }
        if raw.starts_with('"') {
            let text: Box<str> = serde_json::from_str(raw).ok()?;
            return Some(Self(Repr::Text(text)));
        }
        let digits = raw.strip_prefix('-').unwrap_or(raw);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match raw.parse::<i64>() {
            Ok(number) if raw != "-0" => Some(Self(Repr::Number(number))),
            _ => Some(Self(Repr::Digits(raw.into()))),
        }
    }

    /// The id as a number. A string of digits counts, because some servers answer request `7` under
    /// the id `"7"`; a client that only ever sends numbers cannot confuse the two.
    pub fn as_number(&self) -> Option<i64> {
        match &self.0 {
            Repr::Number(number) => Some(*number),
            Repr::Text(text) => {
                // `parse` alone would also take `+7` and `007`, which are other ids.
                let number: i64 = text.parse().ok()?;
                (*number.to_string() == **text).then_some(number)
            }
            Repr::Digits(_) => None,
        }
    }

    /// Appends the id as JSON.
    pub fn write(&self, out: &mut String) {
        match &self.0 {
            Repr::Number(number) => {
                let mut digits = [0u8; 20];
                // Digits are ASCII, so this cannot fail.
                out.push_str(
                    std::str::from_utf8(decimal(*number, &mut digits)).unwrap_or_default(),
                );
            }
            Repr::Digits(digits) => out.push_str(digits),
            Repr::Text(text) => write_string(out, text),
        }
    }

    /// The id as JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// Formats without `fmt`, which costs more than the rest of encoding an id.
fn decimal(number: i64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut rest = number.unsigned_abs();
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    &buffer[at..]
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self(Repr::Number(number))
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self(Repr::Text(text.into()))
    }
}

/// Strings show their quotes: `92` and `"92"` are different ids.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Number(number) => serializer.serialize_i64(*number),
            Repr::Text(text) => serializer.serialize_str(text),
            Repr::Digits(digits) => {
                let raw: Box<RawValue> =
                    RawValue::from_string(digits.to_string()).map_err(serde::ser::Error::custom)?;
                raw.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        Self::from_json(raw.get())
            .ok_or_else(|| D::Error::custom("expected a string or an integer"))
    }
}

/// Ties progress notifications to their request; a string or an integer, like an id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgressToken(pub RequestId);
