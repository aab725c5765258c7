//! Writes and removes one server's table in a TOML text.
//!
//! `plan` calls it with a text that it has parsed, and compares the meaning of the result.

use serde_json::{Map, Value};
use toml_edit::visit_mut::{VisitMut, visit_table_mut};
use toml_edit::{DocumentMut, Item, RawString, Table};

use crate::edit_toml::{edited, set_value, table_at};

/// The text with these members in the entry, and without those of the dropped keys. `None` if it is
/// written in a way that cannot be edited.
pub(super) fn set_entry(
    text: &str,
    path: [&str; 2],
    members: &Map<String, Value>,
    dropped: &[&str],
) -> Option<String> {
    edited(text, |document| {
        let table = table_at(document, &path)?;
        for key in dropped {
            table.remove(key);
        }
        members.iter().try_for_each(|(key, value)| {
            if table.get(key).is_some_and(Item::is_table) {
                table.remove(key);
            }
            set_value(table, key, toml_value(value)?)
        })
    })
}

/// The text without the table, its subtables, and the comments inside it.
pub(super) fn remove_entry(text: &str, [servers, name]: [&str; 2]) -> Option<String> {
    edited(text, |document| {
        let Some(table) = document.get_mut(servers) else { return Some(()) };
        if let Some(Item::Table(removed)) = table.as_table_like_mut()?.remove(name) {
            keep_comments(document, &removed);
        }
        Some(())
    })
}

/// The table as a person would write it.
pub(super) fn written([servers, name]: [&str; 2], members: &Map<String, Value>) -> String {
    set_entry("", [servers, name], members, &[]).unwrap_or_default()
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    toml::Value::try_from(value).ok()?.to_string().parse().ok()
}

/// Gives the comments above a removed table to the next table, or to the end of the file.
fn keep_comments(document: &mut DocumentMut, removed: &Table) {
    let comments = text_of(removed.decor().prefix());
    if !comments.contains('#') {
        return;
    }
    let comments = format!("{}\n", comments.trim_end());
    let mut next = NextTable { after: removed.position(), found: None };
    next.visit_document_mut(document);
    match next.found {
        Some(position) => Commented { position, comments }.visit_document_mut(document),
        None => {
            let trailing = format!("{comments}{}", text_of(Some(document.trailing())));
            document.set_trailing(trailing);
        }
    }
}

fn text_of(raw: Option<&RawString>) -> &str {
    raw.and_then(RawString::as_str).unwrap_or_default()
}

/// Finds the position of the first table after another one.
struct NextTable {
    after: Option<isize>,
    found: Option<isize>,
}

impl VisitMut for NextTable {
    fn visit_table_mut(&mut self, table: &mut Table) {
        let position = table.position().filter(|it| self.after < Some(*it));
        self.found = self.found.into_iter().chain(position).min();
        visit_table_mut(self, table);
    }
}

/// Puts comments above the table at a position.
struct Commented {
    position: isize,
    comments: String,
}

impl VisitMut for Commented {
    fn visit_table_mut(&mut self, table: &mut Table) {
        if table.position() == Some(self.position) {
            let prefix = format!("{}{}", self.comments, text_of(table.decor().prefix()));
            table.decor_mut().set_prefix(prefix);
        }
        visit_table_mut(self, table);
    }
}
