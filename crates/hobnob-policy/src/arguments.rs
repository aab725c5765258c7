//! Matches a rule's pattern against the strings in a call's arguments: values, and keys of objects.
//!
//! The JSON text is streamed, not stored, so the values of a repeated key are all seen. Text that
//! cannot be parsed counts against the call. A key is a string that the caller chose, as in a map
//! from paths to contents. Only the outermost keys may be the names of the tool's parameters: if
//! those had to match, no pattern could allow a call.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::glob::Glob;
use crate::path::Readings;
use crate::rule::RuleAction;

/// Whether a rule with this pattern and action applies to these arguments.
pub(crate) fn applies(pattern: &Glob, action: RuleAction, arguments: Option<&str>) -> bool {
    let Some(text) = arguments else { return false };
    let mut tally = Tally { strings: 0, matched: 0 };
    let walked = walk(text, &mut |position, string| {
        let matched = match action {
            RuleAction::Allow if position.is_parameter(string) => return,
            RuleAction::Allow => Readings::of(string).all_match(pattern),
            RuleAction::Ask | RuleAction::AskOwner | RuleAction::Deny => {
                Readings::of(string).any_matches(pattern)
            }
        };
        tally.strings += 1;
        tally.matched += usize::from(matched);
    });
    match (walked, action) {
        (Ok(()), RuleAction::Allow) => 0 < tally.strings && tally.matched == tally.strings,
        (Ok(()), RuleAction::Ask | RuleAction::AskOwner | RuleAction::Deny) => 0 < tally.matched,
        (Err(_), RuleAction::Allow) => false,
        (Err(_), RuleAction::Ask | RuleAction::AskOwner | RuleAction::Deny) => true,
    }
}

struct Tally {
    strings: usize,
    matched: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StringPosition {
    /// A key of the arguments object itself.
    OutermostKey,
    /// A key of an object inside of the arguments.
    InnerKey,
    Value,
}

impl StringPosition {
    /// Whether this is the name of a parameter: an outermost key that looks like one. A path may
    /// look like a name too, but only a tool with free parameters would take it for a path there.
    fn is_parameter(self, key: &str) -> bool {
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        self == Self::OutermostKey && !key.is_empty() && key.bytes().all(in_name)
    }
}

/// Called with every string of a JSON text and its position.
type StringSink<'a> = dyn FnMut(StringPosition, &str) + 'a;

/// Calls `see` with every string of a JSON text, at any depth; the JSON reader bounds the depth.
fn walk(text: &str, see: &mut StringSink<'_>) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    StringVisitor { keys: StringPosition::OutermostKey, strings: StringPosition::Value, see }
        .deserialize(&mut reader)?;
    reader.end()
}

struct StringVisitor<'a, 'see> {
    /// The position of the keys, if the next value is an object.
    keys: StringPosition,
    /// The position of the next value, if it is a string.
    strings: StringPosition,
    see: &'a mut StringSink<'see>,
}

impl<'see> StringVisitor<'_, 'see> {
    fn inner(&mut self, strings: StringPosition) -> StringVisitor<'_, 'see> {
        StringVisitor { keys: StringPosition::InnerKey, strings, see: &mut *self.see }
    }
}

impl<'de> DeserializeSeed<'de> for StringVisitor<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StringVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_str<E>(self, string: &str) -> Result<(), E> {
        (self.see)(self.strings, string);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.inner(StringPosition::Value))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let keys = self.keys;
        while members.next_key_seed(self.inner(keys))?.is_some() {
            members.next_value_seed(self.inner(StringPosition::Value))?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
