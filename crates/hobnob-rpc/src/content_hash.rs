//! Content hashes that survive restarts and do not depend on the order of members.
//!
//! Clients cache a method's schema under its hash and ask again when the hash has changed.

use hobnob_text::hex;
use ring::digest::{SHA256, digest};
use serde_json::Value;
use std::fmt::Write as _;

/// How many bytes of the digest a hash has: accidental collisions need billions of methods.
const SHOWN_BYTES: usize = 8;

/// The hash of a JSON value.
pub(crate) fn content_hash(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    hex::encode(&digest(&SHA256, text.as_bytes()).as_ref()[..SHOWN_BYTES])
}

/// Writes a value with the members of every object sorted by name.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|one, other| one.0.cmp(other.0));
            out.push('{');
            for (at, (name, value)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                hobnob_mcp_types::json::write_string(out, name);
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::String(text) => hobnob_mcp_types::json::write_string(out, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "{value}");
        }
    }
}

#[cfg(test)]
mod tests;
