//! Edits TOML texts through their syntax tree: comments, order, line ends and the form of other
//! values stay.
//!
//! All edits of `config.toml` and of the TOML files of clients use it.

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// The text as a TOML string, in quotes.
pub fn toml_string(text: &str) -> String {
    Value::from(text).to_string()
}

/// The text after this change. `None` if the change returns it, or if the tree cannot reproduce
/// the text, such as dotted keys in mixed order.
pub(crate) fn edited(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Option<()>,
) -> Option<String> {
    // The tree has no other line ends, and ends the last line, too.
    let mut before = text.replace("\r\n", "\n");
    if !before.is_empty() && !before.ends_with('\n') {
        before.push('\n');
    }
    let mut document: DocumentMut = before.parse().ok()?;
    if document.to_string() != before {
        return None;
    }
    change(&mut document)?;
    let after = document.to_string();
    Some(match text.contains("\r\n") {
        _ if after == before => text.to_owned(),
        true => after.replace('\n', "\r\n"),
        false => after,
    })
}

/// The table at this path; one that is missing is appended to the text. `None` if something on the
/// path is not a table, or an inline table lacks the next one.
pub(crate) fn table_at<'a>(
    document: &'a mut DocumentMut,
    path: &[&str],
) -> Option<&'a mut dyn TableLike> {
    let there = path.iter().try_fold(document.as_item(), |item, name| item.get(*name));
    let mut appended = there.is_none().then(|| appended_table(document));
    let mut item = document.as_item_mut();
    for (depth, name) in path.iter().enumerate() {
        if item.get(*name).is_none() {
            let mut parent = Table::new();
            parent.set_implicit(true);
            let last = if depth + 1 == path.len() { appended.take() } else { None };
            item.as_table_mut()?.insert(name, Item::Table(last.unwrap_or(parent)));
        }
        item = item.get_mut(*name)?;
    }
    item.as_table_like_mut()
}

/// A table to be inserted at the end of the text, after an empty line.
pub(crate) fn appended_table(document: &mut DocumentMut) -> Table {
    let trailing = document.trailing().as_str().unwrap_or_default();
    let between = if document.is_empty() && trailing.is_empty() { "" } else { "\n" };
    let mut table = Table::new();
    table.decor_mut().set_prefix(format!("{trailing}{between}"));
    table.set_position(Some(isize::MAX));
    document.set_trailing("");
    table
}

/// Sets a value. The text around an old one stays, such as a comment after it; `None` if the old
/// one has a header.
pub(crate) fn set_value(table: &mut dyn TableLike, key: &str, mut value: Value) -> Option<()> {
    match table.get_mut(key) {
        Some(old) => {
            let old = old.as_value_mut()?;
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
    Some(())
}
