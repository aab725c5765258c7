//! A client's file in a form that may be shown: every string outside of our entry is `…`, because
//! many of them are secrets.
//!
//! `plan` masks both versions before it compares them. Keys, numbers and comments stay, so that a
//! person can recognise the place of a change.

use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml_edit::visit_mut::{VisitMut, visit_table_like_kv_mut};
use toml_edit::{DocumentMut, Formatted, Item, KeyMut};

/// The replacement of a string.
const MASK: &str = "…";
/// Tables of our own entry in which people put secrets.
const SECRET_TABLES: [&str; 2] = ["env", "headers"];

/// The keys to our entry.
pub(super) type EntryPath<'a> = [&'a str; 2];

/// A JSON text with its strings masked.
pub(super) fn masked_json(text: &str, ours: EntryPath<'_>) -> String {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Ok(parsed) = parsed else { return String::new() };
    let mut mask = JsonMask { text, ours, path: Vec::new(), masked: String::new(), end: 0 };
    parsed.value.iter().for_each(|root| mask.visit(root));
    mask.masked + &text[mask.end..]
}

struct JsonMask<'a> {
    text: &'a str,
    ours: EntryPath<'a>,
    path: Vec<String>,
    /// The text up to `end`, masked.
    masked: String,
    end: usize,
}

impl JsonMask<'_> {
    fn visit(&mut self, value: &Value<'_>) {
        match value {
            Value::StringLit(hidden) if is_hidden(&self.path, self.ours) => {
                // The quotes stay.
                self.masked.push_str(&self.text[self.end..=hidden.range.start]);
                self.masked.push_str(MASK);
                self.end = hidden.range.end - 1;
            }
            Value::Array(array) => array.elements.iter().for_each(|item| self.visit(item)),
            Value::Object(object) => {
                for member in &object.properties {
                    self.path.push(member.name.as_str().to_owned());
                    self.visit(&member.value);
                    self.path.pop();
                }
            }
            _ => {}
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
    match path {
        [servers, name, inside @ ..] if [servers, name] == ours => {
            inside.first().is_some_and(|it| SECRET_TABLES.contains(&it.as_str()))
        }
        _ => true,
    }
}
