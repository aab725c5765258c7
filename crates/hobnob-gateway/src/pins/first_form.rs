//! The first form of pins: a digest with every list in its order and every number as spelled.
//!
//! Used only to compare tools with pins that are still stored in this form.

use super::canonical::COMPARED_MEMBERS;
use crate::rewrite::{quoted, string_value};
use hobnob_mcp_types::json::{elements, entries};

/// The text whose digest a pin of the first form is.
pub(super) fn definition(definition: &str) -> String {
    let mut compared = entries(definition);
    compared.retain(|(key, value)| COMPARED_MEMBERS.contains(&&**key) && *value != "null");
    compared.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let mut text = String::with_capacity(definition.len());
    write_object(&compared, &mut text);
    text
}

fn write_object<K: AsRef<str>>(sorted: &[(K, &str)], out: &mut String) {
    out.push('{');
    for (index, (key, value)) in sorted.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&quoted(key.as_ref()));
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

fn write_value(raw: &str, out: &mut String) {
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
                write_value(element, out);
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
