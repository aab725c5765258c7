//! Rows by name or glob, such as `[tools."memory_*"]`: for each key, the most specific row counts.
//!
//! `Profile` looks up tools, prompts, resources and templates through here.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};

use super::presentation::short;
use crate::glob::{glob_matches, specificity};

/// The maximum length of a name, without its `*`.
const MAX_NAME_LENGTH: usize = 64;
/// Stands for the same text in a pattern and in the name that the row gives.
pub(super) const STAR: char = '*';

/// What a profile changes about a tool or a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EntryOverride {
    /// Whether it exists; it does if no row says otherwise.
    pub enabled: Option<bool>,
    /// Its name in this profile. In a row with a glob, `*` stands for the same text as in the glob.
    #[serde(deserialize_with = "entry_name")]
    pub name: Option<String>,
    /// Its description in this profile.
    pub description: Option<String>,
    /// The only arguments it takes.
    pub arguments: Option<Vec<String>>,
    /// Whether it is listed even if clients have to search for other tools.
    pub always: Option<bool>,
}

/// What a profile changes about the listing of a resource or a template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceOverride {
    /// Whether it is listed. A hidden resource can still be read by its URI.
    pub enabled: Option<bool>,
    /// The `name` in the list.
    #[serde(deserialize_with = "short")]
    pub name: Option<String>,
    /// The `title` in the list.
    #[serde(deserialize_with = "short")]
    pub title: Option<String>,
    /// Its description in this profile.
    pub description: Option<String>,
}

/// One kind of row.
pub(super) trait Row: Clone + Default {
    /// Whether the row switches its entries on or off.
    fn enabled(&self) -> Option<bool>;
    /// Fills the missing fields of this row from a less specific row for the same key.
    fn or(self, pattern: &str, less: &Self, key: &str) -> Self;
}

impl Row for EntryOverride {
    fn enabled(&self) -> Option<bool> {
        self.enabled
    }

    fn or(self, pattern: &str, less: &Self, key: &str) -> Self {
        let name = || Some(filled(pattern, key, less.name.as_deref()?));
        Self {
            enabled: self.enabled.or(less.enabled),
            name: self.name.or_else(name),
            description: self.description.or_else(|| less.description.clone()),
            arguments: self.arguments.or_else(|| less.arguments.clone()),
            always: self.always.or(less.always),
        }
    }
}

impl Row for ResourceOverride {
    fn enabled(&self) -> Option<bool> {
        self.enabled
    }

    fn or(self, _pattern: &str, less: &Self, _key: &str) -> Self {
        Self {
            enabled: self.enabled.or(less.enabled),
            name: self.name.or_else(|| less.name.clone()),
            title: self.title.or_else(|| less.title.clone()),
            description: self.description.or_else(|| less.description.clone()),
        }
    }
}

/// All rows of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct Rows<T>(BTreeMap<String, T>);

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Row> Rows<T> {
    /// The merged row for one key.
    pub(super) fn find(&self, key: &str) -> T {
        let mut rows: Vec<_> =
            self.0.iter().filter(|(pattern, _)| glob_matches(pattern, key)).collect();
        rows.sort_by_key(|(pattern, _)| specificity(pattern));
        let most_specific_first = rows.into_iter().rev();
        most_specific_first.fold(T::default(), |found, (pattern, row)| found.or(pattern, row, key))
    }

    /// Whether every possible entry is switched off.
    pub(super) fn hides_all(&self) -> bool {
        let all = self.0.get("*").and_then(Row::enabled) == Some(false);
        all && self.0.values().all(|row| row.enabled() != Some(true))
    }

    /// Every row, by name or glob.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(pattern, row)| (pattern.as_str(), row))
    }
}

/// The text that a glob's only star stands for in a key that matches it.
pub(super) fn star_of<'a>(pattern: &str, key: &'a str) -> Option<&'a str> {
    let (head, tail) = pattern.split_once(STAR)?;
    key.strip_prefix(head)?.strip_suffix(tail)
}

/// The name that a row gives a key.
fn filled(pattern: &str, key: &str, name: &str) -> String {
    match star_of(pattern, key) {
        Some(star) => name.replacen(STAR, star, 1),
        None => name.to_owned(),
    }
}

fn entry_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let legal = |it: char| it.is_ascii_alphanumeric() || "_.-".contains(it) || it == STAR;
    let stars = name.matches(STAR).count();
    if name.is_empty()
        || MAX_NAME_LENGTH + stars < name.len()
        || 1 < stars
        || !name.chars().all(legal)
    {
        return Err(de::Error::custom(
            "not a name: use 1 to 64 letters, digits, `_`, `.` or `-`, \
             and one `*` where the row's name has one",
        ));
    }
    Ok(Some(name))
}
