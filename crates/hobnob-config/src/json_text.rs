//! Objects whose values stay text, so that an edit leaves numbers and escapes as they were written.
//!
//! `edit` changes files through here, and only after `parse_strict` has accepted their text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::string_end;

/// The members of an object in their order, each value as written.
#[derive(Default)]
pub(crate) struct Members(Vec<(String, String)>);

impl Members {
    pub(crate) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| it == key).map(|(_, value)| value.as_str())
    }

    /// Puts a value in the place of the old one, or at the end.
    pub(crate) fn set(&mut self, key: &str, value: String) {
        match self.0.iter_mut().find(|(it, _)| it == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.into(), value)),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.0.retain(|(it, _)| it != key);
    }

    pub(crate) fn to_text(&self) -> String {
        let member = |(key, value): &(String, String)| format!("{}:{value}", Value::from(&**key));
        format!("{{{}}}", self.0.iter().map(member).collect::<Vec<_>>().join(","))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Box<RawValue>>()? {
            members.push((key, value.get().to_owned()));
        }
        Ok(Members(members))
    }
}

/// The same text with two spaces of indent and a newline at the end, as people keep such files.
pub(crate) fn pretty(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut written = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let end = if bytes[at] == b'"' { string_end(bytes, at) } else { at + 1 };
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'{' | b'[' => {
                depth += 1;
                written.push_str(&text[at..end]);
                break_line(&mut written, depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                close(&mut written, depth);
                written.push_str(&text[at..end]);
            }
            b',' => {
                written.push(',');
                break_line(&mut written, depth);
            }
            b':' => written.push_str(": "),
            // Outside of strings JSON is ASCII, so this is a whole character or a whole string.
            _ => written.push_str(text.get(at..end).unwrap_or_default()),
        }
        at = end;
    }
    written.push('\n');
    written
}

fn break_line(written: &mut String, depth: usize) {
    written.push('\n');
    written.extend(std::iter::repeat_n("  ", depth));
}

/// Ends the last line of an object or list; one without members stays on its line.
fn close(written: &mut String, depth: usize) {
    let full = written.trim_end_matches([' ', '\n']).len();
    if written[..full].ends_with(['{', '[']) {
        written.truncate(full);
    } else {
        break_line(written, depth);
    }
}
