//! The position of a key in the text of a profile, for error messages.
//!
//! `parse` calls it only after a check has failed, so the text is parsed a second time.

use toml::de::{DeTable, DeValue};

/// The offset of the value that these keys lead to; an element of a list is named by its index. If
/// the last key names a table, the offset is that of the key.
pub(super) fn offset_of(text: &str, keys: &[String]) -> Option<usize> {
    let whole = DeTable::parse(text).ok()?;
    let (first, rest) = keys.split_first()?;
    let (key, value) = whole.get_ref().get_key_value(first.as_str())?;
    walk(key.span().start, value.span().start, value.get_ref(), rest)
}

fn walk(key: usize, start: usize, value: &DeValue<'_>, keys: &[String]) -> Option<usize> {
    let Some((first, rest)) = keys.split_first() else {
        return Some(if value.is_table() { key } else { start });
    };
    match value {
        DeValue::Table(table) => {
            let (key, value) = table.get_key_value(first.as_str())?;
            walk(key.span().start, value.span().start, value.get_ref(), rest)
        }
        DeValue::Array(list) => {
            let value = list.get(first.parse::<usize>().ok()?)?;
            walk(value.span().start, value.span().start, value.get_ref(), rest)
        }
        _ => None,
    }
}
