//! Holds a pattern against the string values in a call's arguments.
//!
//! The text is walked, not stored: values under a repeated key are all seen, and what cannot be
//! read counts against the call.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::glob::Glob;
use crate::path::Readings;
use crate::rule::RuleAction;

/// Whether a rule with this pattern and action applies to these arguments.
pub(crate) fn applies(pattern: &Glob, action: RuleAction, arguments: Option<&str>) -> bool {
    let Some(text) = arguments else { return false };
    let mut tally = Tally { values: 0, matched: 0 };
    let walked = walk(text, &mut |value| {
        let readings = Readings::of(value);
        tally.values += 1;
        tally.matched += usize::from(match action {
            RuleAction::Allow => readings.all_match(pattern),
            RuleAction::Ask | RuleAction::Deny => readings.any_matches(pattern),
        });
    });
    match (walked, action) {
        (Ok(()), RuleAction::Allow) => 0 < tally.values && tally.matched == tally.values,
        (Ok(()), RuleAction::Ask | RuleAction::Deny) => 0 < tally.matched,
        (Err(_), RuleAction::Allow) => false,
        (Err(_), RuleAction::Ask | RuleAction::Deny) => true,
    }
}

struct Tally {
    values: usize,
    matched: usize,
}

/// Shows every string value of a JSON text, at any depth; the reader itself bounds the depth.
fn walk(text: &str, see: &mut dyn FnMut(&str)) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    TextVisitor(see).deserialize(&mut reader)?;
    reader.end()
}

struct TextVisitor<'see>(&'see mut dyn FnMut(&str));

impl<'de> DeserializeSeed<'de> for TextVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextVisitor<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        (self.0)(value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(TextVisitor(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key::<serde::de::IgnoredAny>()?.is_some() {
            members.next_value_seed(TextVisitor(&mut *self.0))?;
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
