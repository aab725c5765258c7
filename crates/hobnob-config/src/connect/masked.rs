//! A client's file in a form that may be shown: every string outside of our entry is `…`, because
//! many of them are secrets.
//!
//! `plan` masks both versions before it compares them. Keys, numbers and comments stay, so that a
//! person can recognise the place of a change.

use jsonc_parser::cst::CstNode;
use toml_edit::visit_mut::{VisitMut, visit_table_like_kv_mut};
use toml_edit::{DocumentMut, Formatted, Item, KeyMut};

use crate::edit_json::json_tree;

/// The replacement of a string.
const MASK: &str = "…";
/// Tables of our own entry in which people put secrets.
const SECRET_TABLES: [&str; 2] = ["env", "headers"];

/// The keys to our entry.
pub(super) type EntryPath<'a> = [&'a str; 2];

/// A JSON text with its strings masked.
pub(super) fn masked_json(text: &str, ours: EntryPath<'_>) -> String {
    let Ok(tree) = json_tree(text) else { return String::new() };
    if let Some(root) = tree.value() {
        mask(&root, &[], ours);
    }
    tree.to_string()
}

fn mask(value: &CstNode, path: &[String], ours: EntryPath<'_>) {
    if let Some(text) = value.as_string_lit().filter(|_| is_hidden(path, ours)) {
        text.set_raw_value(format!("\"{MASK}\""));
    }
    for item in value.as_array().map(|it| it.elements()).unwrap_or_default() {
        mask(&item, path, ours);
    }
    for member in value.as_object().map(|it| it.properties()).unwrap_or_default() {
        let below = [path, &[member.decoded_name().unwrap_or_default()]].concat();
        if let Some(value) = member.value() {
            mask(&value, &below, ours);
        }
    }
}

/// A TOML text with its strings masked.
pub(super) fn masked_toml(text: &str, ours: EntryPath<'_>) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return String::new() };
    TomlMask { path: Vec::new(), ours }.visit_document_mut(&mut document);
    document.to_string()
}

struct TomlMask<'a> {
    path: Vec<String>,
    ours: EntryPath<'a>,
}

impl VisitMut for TomlMask<'_> {
    fn visit_table_like_kv_mut(&mut self, key: KeyMut<'_>, item: &mut Item) {
        self.path.push(key.get().to_owned());
        visit_table_like_kv_mut(self, key, item);
        self.path.pop();
    }

    fn visit_string_mut(&mut self, text: &mut Formatted<String>) {
        if is_hidden(&self.path, self.ours) {
            let decor = text.decor().clone();
            *text = Formatted::new(MASK.to_owned());
            *text.decor_mut() = decor;
        }
    }
}

fn is_hidden(path: &[String], ours: EntryPath<'_>) -> bool {
    match path.strip_prefix(&ours.map(str::to_owned)) {
        Some(inside) => inside.first().is_some_and(|it| SECRET_TABLES.contains(&it.as_str())),
        None => true,
    }
}
