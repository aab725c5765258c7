//! What a tool looked like when a person approved it, and whether it still does.
//!
//! The digest covers all a model or a person would judge the tool by. A changed tool is held back
//! until someone approves it again.

use crate::rewrite::{quoted, string_value};
use mcp_types::json::{elements, entries};
use ring::digest::{Context, SHA256};
use std::fmt;
use std::fmt::Write as _;

/// The members that make a tool what it is.
const JUDGED: [&str; 8] = [
    "_meta",
    "annotations",
    "description",
    "execution",
    "inputSchema",
    "name",
    "outputSchema",
    "title",
];

/// SHA-256 of a tool's definition, as 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Digest(Box<str>);

impl Digest {
    /// The digest of an upstream's own definition of a tool (JSON text).
    ///
    /// Order of keys, white space and spelling of strings do not count; an absent member and
    /// `null` are the same.
    pub fn of(definition: &str) -> Self {
        let mut judged = entries(definition);
        judged.retain(|(key, value)| JUDGED.contains(&&**key) && *value != "null");
        judged.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let mut text = String::with_capacity(definition.len());
        write_object(&judged, &mut text);
        let mut context = Context::new(&SHA256);
        context.update(text.as_bytes());
        let mut digits = String::with_capacity(64);
        for byte in context.finish().as_ref() {
            // Writing to a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
        }
        Self(digits.into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn write_object<K: AsRef<str>>(sorted: &[(K, &str)], out: &mut String) {
    out.push('{');
    for (index, (key, value)) in sorted.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&quoted(key.as_ref()));
        out.push(':');
        write_canonical(value, out);
    }
    out.push('}');
}

/// One text for all texts that mean the same. Numbers keep their spelling, for none is lost then.
fn write_canonical(raw: &str, out: &mut String) {
    match raw.as_bytes().first() {
        Some(b'{') => {
            let mut members = entries(raw);
            members.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            write_object(&members, out);
        }
        Some(b'[') => {
            out.push('[');
            for (index, element) in elements(raw).into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(element, out);
            }
            out.push(']');
        }
        Some(b'"') => match string_value(raw) {
            Some(text) => out.push_str(&quoted(&text)),
            None => out.push_str(raw),
        },
        _ => out.push_str(raw),
    }
}

#[cfg(test)]
mod tests;
