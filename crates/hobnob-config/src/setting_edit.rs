//! Sets or removes one key of `config.toml`, and changes nothing else in the file: comments, order
//! and the form of other values stay.
//!
//! `hobnob config` calls it. What must stay true: only text that parses as settings is written.

use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, write_atomic};
use toml_edit::{DocumentMut, Item, Key, Table, TableLike, Value};

use crate::disk::read_text;
use crate::problem::Problem;
use crate::settings::{MAX_SETTINGS_BYTES, Settings};

/// Why a setting was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingEditError {
    /// The file is broken already, or would be afterwards.
    #[error("{0}; the file was not changed")]
    Broken(#[from] Problem),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The key is not TOML.
    #[error("`{0}` is not a key such as gateway.start")]
    BadKey(String),
    /// A part of the key is not a table.
    #[error("`{0}` is written in a way that cannot be edited here; use: hobnob edit")]
    ByHand(String),
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The new text of the settings, already parsed as settings. The lock keeps other processes out.
#[derive(Debug)]
pub struct SettingPlan {
    file: PathBuf,
    before: String,
    text: String,
    /// The settings after the change.
    pub settings: Settings,
    _lock: Lock,
}

impl SettingPlan {
    /// Plans to set this key, or to remove it. A value that is not TOML, or does not fit as such,
    /// is taken as a string.
    ///
    /// # Errors
    /// When settings have no such key or value, or the file cannot be edited.
    pub fn new(file: &Path, key: &str, value: Option<&str>) -> Result<Self, SettingEditError> {
        let lock = Lock::acquire(&file.with_extension("toml.lock"))?;
        let before = read_text(file, MAX_SETTINGS_BYTES)?.unwrap_or_default();
        Settings::parse(file, &before)?;
        let keys = Key::parse(key).map_err(|_| SettingEditError::BadKey(key.into()))?;
        let by_hand = || SettingEditError::ByHand(key.into());
        let changed = |value: Option<Value>| -> Result<(String, Settings), SettingEditError> {
            let mut document: DocumentMut = before.parse().map_err(|_| by_hand())?;
            edit(document.as_table_mut(), &keys, value).ok_or_else(by_hand)?;
            let text = document.to_string();
            let settings = Settings::parse(file, &text)?;
            Ok((text, settings))
        };
        let (text, settings) = match value {
            None => changed(None)?,
            Some(raw) => match raw.parse::<Value>() {
                Err(_) => changed(Some(raw.into()))?,
                // A word such as `true` may be meant as text; the first message is the better one.
                Ok(value) => match changed(Some(value)) {
                    Err(error) => changed(Some(raw.into())).map_err(|_| error)?,
                    changed => changed?,
                },
            },
        };
        Ok(Self { file: file.into(), before, text, settings, _lock: lock })
    }

    /// Whether the plan changes the file.
    pub fn has_changes(&self) -> bool {
        self.before != self.text
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When the system refuses; the file is then unchanged.
    pub fn write(&self) -> Result<(), SettingEditError> {
        let failed = |error| SettingEditError::Io(self.file.clone(), error);
        write_atomic(&self.file, self.text.as_bytes(), FileMode::Keep).map_err(failed)
    }
}

/// Sets the value, or removes the key; `None` if something on the path is not a table.
fn edit(root: &mut Table, keys: &[Key], value: Option<Value>) -> Option<()> {
    let (last, tables) = keys.split_last()?;
    let mut table: &mut dyn TableLike = root;
    for name in tables {
        if value.is_none() && !table.contains_key(name.get()) {
            return Some(());
        }
        let entry = table.entry(name.get()).or_insert_with(|| Item::Table(Table::new()));
        table = entry.as_table_like_mut()?;
    }
    match (value, table.get_mut(last.get())) {
        (None, _) => drop(table.remove(last.get())),
        // The text around the old value stays, such as a comment after it.
        (Some(mut value), Some(old)) => {
            let old = old.as_value_mut()?;
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        (Some(value), None) => drop(table.insert(last.get(), Item::Value(value))),
    }
    Some(())
}
