//! The keys of `config.toml` one by one: which exist, their defaults, and where a file has them.
//!
//! `hobnob config` shows them. The defaults come from the documentation's page of settings, which a
//! test compares with the real ones. Files are only read.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::problem::{Problem, position_of};

/// The documentation page whose first block is the whole file with all defaults.
const SETTINGS_PAGE: &str = include_str!("../../../docs/src/settings.md");

/// Tables whose keys a person chooses.
const CHOSEN_NAMES: [&str; 6] =
    ["services", "providers", "groups", "servers", "tools", "permissions"];

/// One key with its value, both as TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingLine {
    /// The key after its tables, such as `gateway.start`.
    pub key: String,
    /// The value as TOML on one line, even if it is a table.
    pub value: String,
    /// The line of the key; the first line is 1.
    pub line: usize,
}

/// The keys that a text has, in the order of its lines.
///
/// # Errors
/// When the text is not TOML.
pub fn written_settings(file: &Path, text: &str) -> Result<Vec<SettingLine>, Problem> {
    let root = DeTable::parse(text).map_err(|error| Problem::of_toml(file, text, &error))?;
    let mut found = Vec::new();
    for (key, value) in root.get_ref() {
        collect(text, quoted(key.get_ref()), value.get_ref(), value.span(), &mut found);
    }
    found.sort_by_key(|setting: &SettingLine| setting.line);
    Ok(found)
}

/// The keys that have a default, with that default.
pub fn default_settings() -> Vec<SettingLine> {
    written_settings(Path::new("settings.md"), documented()).unwrap_or_default()
}

/// The keys that can be set, without those that a person chooses.
pub fn known_settings() -> Vec<String> {
    let mut known: Vec<String> = default_settings().into_iter().map(|it| it.key).collect();
    let mut table = None;
    for line in documented().lines() {
        if let Some(name) = line.strip_prefix('[') {
            table = name.split_once(']').map(|(name, _)| name);
        } else if line.starts_with("# [") {
            // The rest of the block shows tables whose keys a person chooses.
            table = None;
        } else if let (Some(table), Some(comment)) = (table, line.strip_prefix("# "))
            && let Some((key, _)) = comment.split_once(" = ")
        {
            known.push(format!("{table}.{key}"));
        }
    }
    known
}

/// Whether the key begins with a table whose keys a person chooses.
pub fn has_chosen_name(key: &str) -> bool {
    let (table, _) = key.split_once('.').unwrap_or((key, ""));
    CHOSEN_NAMES.contains(&table)
}

/// A value without the quotes of a string, for scripts.
pub fn plain_value(value: &str) -> String {
    let text = DeValue::parse(value).ok().and_then(|it| it.get_ref().as_str().map(str::to_owned));
    text.unwrap_or_else(|| value.to_owned())
}

fn documented() -> &'static str {
    let block = SETTINGS_PAGE.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```"));
    block.map_or("", |(block, _)| block)
}

fn collect(
    text: &str,
    key: String,
    value: &DeValue<'_>,
    span: Range<usize>,
    found: &mut Vec<SettingLine>,
) {
    match value {
        DeValue::Table(table) if is_block(text, value, span.clone()) => {
            for (inner, value) in table {
                let key = format!("{key}.{}", quoted(inner.get_ref()));
                collect(text, key, value.get_ref(), value.span(), found);
            }
        }
        // The table is a list, written as `[[key]]` for each element.
        DeValue::Array(list) if list.iter().any(|it| is_block(text, it.get_ref(), it.span())) => {
            for (at, value) in list.iter().enumerate() {
                collect(text, format!("{key}[{at}]"), value.get_ref(), value.span(), found);
            }
        }
        _ => {
            let written = text.get(span.clone()).unwrap_or_default();
            let value = written.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            found.push(SettingLine { key, value, line: position_of(text, span.start).line });
        }
    }
}

fn is_block(text: &str, value: &DeValue<'_>, span: Range<usize>) -> bool {
    value.is_table() && !text.get(span).unwrap_or_default().starts_with('{')
}

/// A key as it is written: in quotes if it has characters that a bare key may not have.
fn quoted(key: &str) -> String {
    toml_edit::Key::new(key).to_string()
}
