//! Changes of `config.toml`: of one key here, of other parts in the files `*_edit.rs` beside it.
//!
//! `hobnob config` and the set-up of `hobnob chat` set keys. What must stay true: only text that
//! parses as settings is written, and the rest of the file stays.

use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, write_atomic};
use toml_edit::{DocumentMut, Key, Value};

use crate::disk::read_text;
use crate::edit_toml::{edited, set_value, table_at};
use crate::problem::Problem;
use crate::settings::{MAX_SETTINGS_BYTES, Settings};

/// Why the settings were not changed; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SettingEditError {
    /// The file cannot be parsed.
    #[error("{0}; the file was not changed: repair it first")]
    Broken(#[from] Problem),
    /// The file could not be parsed after the change.
    #[error("{0}; the file was not changed")]
    Refused(#[source] Problem),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The person decided by other rules than those in the file.
    #[error("the rules have changed meanwhile; look at them again")]
    OtherRules,
    /// The key is not TOML.
    #[error("`{0}` is not a key such as gateway.start")]
    BadKey(String),
    /// The text is not a valid name of a group.
    #[error("`{0}` is not a valid group name: use a-z, 0-9, `_` and `-`")]
    BadGroup(String),
    /// The file is written in a way that cannot be edited.
    #[error("cannot edit {}; change it by hand:\n{text}", file.display())]
    ByHand {
        /// The file that the person has to change.
        file: PathBuf,
        /// What the person has to write or delete.
        text: String,
    },
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
        let keys = Key::parse(key).map_err(|_| SettingEditError::BadKey(key.into()))?;
        let by_hand = || match value {
            Some(value) => format!("{key} = {value}"),
            None => format!("delete `{key}`"),
        };
        let plan = |value: Option<Value>| {
            Self::edit(file, by_hand, |document, _| set_key(document, &keys, value), |_, _| true)
        };
        let Some(raw) = value else { return plan(None) };
        match raw.parse::<Value>() {
            Err(_) => plan(Some(raw.into())),
            // A word such as `true` may be meant as text; the first message is the better one.
            Ok(value) => {
                plan(Some(value)).or_else(|error| plan(Some(raw.into())).map_err(|_| error))
            }
        }
    }

    /// Plans a change of the settings at this path, which need not exist. The change returns `None`
    /// if the file is written in a way that cannot be edited; `by_hand` is then what to write. It is so, too,
    /// unless `is_meant` holds for the settings before and after the change.
    pub(crate) fn edit(
        file: &Path,
        by_hand: impl FnOnce() -> String,
        change: impl FnOnce(&mut DocumentMut, &Settings) -> Option<()>,
        is_meant: impl FnOnce(&Settings, &Settings) -> bool,
    ) -> Result<Self, SettingEditError> {
        let lock = Lock::acquire(&file.with_extension("toml.lock"))?;
        let before = read_text(file, MAX_SETTINGS_BYTES)?.unwrap_or_default();
        let unchanged = Settings::parse(file, &before)?;
        let refused = |text| SettingEditError::ByHand { file: file.into(), text };
        let Some(text) = edited(&before, |document| change(document, &unchanged)) else {
            return Err(refused(by_hand()));
        };
        let settings = Settings::parse(file, &text).map_err(SettingEditError::Refused)?;
        if !is_meant(&unchanged, &settings) {
            return Err(refused(by_hand()));
        }
        Ok(Self { file: file.into(), before, text, settings, _lock: lock })
    }

    /// Whether the plan changes the file.
    pub fn has_changes(&self) -> bool {
        self.before != self.text
    }

    /// Writes the file, if the plan changes it.
    ///
    /// # Errors
    /// When the system refuses; the file is then unchanged.
    pub fn write(&self) -> Result<(), SettingEditError> {
        if !self.has_changes() {
            return Ok(());
        }
        write_atomic(&self.file, self.text.as_bytes(), FileMode::Keep)
            .map_err(|error| SettingEditError::Io(self.file.clone(), error))
    }
}

/// Sets the value, or removes the key; `None` if something on the path is not a table.
fn set_key(document: &mut DocumentMut, keys: &[Key], value: Option<Value>) -> Option<()> {
    let names: Vec<&str> = keys.iter().map(Key::get).collect();
    let (last, tables) = names.split_last()?;
    if let Some(value) = value {
        return set_value(table_at(document, tables)?, last, value);
    }
    let table = tables.iter().try_fold(document.as_item_mut(), |it, name| it.get_mut(*name));
    if let Some(table) = table {
        table.as_table_like_mut()?.remove(last);
    }
    Some(())
}
