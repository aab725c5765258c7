//! The entry point for the service: takes a permit and returns the outcome.
//!
//! Keys are read through `reg export`, which writes every character and byte. If a key has too much
//! below it to export, the output of `reg query` is read instead.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hobnob_policy::{KeyAction, KeyOperation, Permit, ValueName};

use super::export_text::parse_export;
use super::problem::RegistryError;
use super::program::RegistryProgram;
use super::query_text::{decode_printed, default_word, parse_one, parse_query};
use super::run::{RunEnd, RunLimits, RunOutput, run};
use super::scratch::ScratchFolder;
use super::stored::{KeyContents, NamedValue, ReadFidelity};
use super::words;

/// Timeout of one run; the first one after an update of Wine takes many seconds.
const RUN_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of an export; after that the key is queried instead.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long Wine may take to save a change.
const SAVE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of one export and of the output of one query, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A registry on this machine.
#[derive(Debug, Clone)]
pub struct Registry {
    program: RegistryProgram,
}

/// The result of an action.
#[derive(Debug)]
pub enum KeyOutcome {
    /// The value that was requested.
    Value(NamedValue, ReadFidelity),
    /// All values and the names of the keys below.
    Contents(KeyContents),
    /// The key or value was written or deleted.
    Changed(WriteDurability),
}

/// Whether a change survives a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteDurability {
    /// It is on the disk, or the system guarantees the same.
    Saved,
    /// Wine has it, and saves it when the prefix's last program ends, which did not happen in time.
    SavedLater,
}

impl Registry {
    /// The registry of Windows itself, through the `reg.exe` at this absolute path.
    pub fn of_system(program: PathBuf) -> Self {
        Self { program: RegistryProgram::System(program) }
    }

    /// The registry of a Wine prefix, through the `wine` at this absolute path, with `wineserver`
    /// beside it.
    pub fn of_wine(wine: PathBuf, prefix: PathBuf) -> Self {
        Self { program: RegistryProgram::Wine { wine, prefix } }
    }

    /// Performs the permit's action. It blocks for up to a minute; setting `cancelled` ends it.
    ///
    /// # Errors
    /// When it cannot be done. A change may have been made if the program did not end in time.
    pub fn perform(
        &self,
        permit: &Permit<KeyAction>,
        cancelled: &AtomicBool,
    ) -> Result<KeyOutcome, RegistryError> {
        let action = permit.request();
        if let Some(words) = words::change(action)? {
            return self.change(&words, cancelled).map(KeyOutcome::Changed);
        }
        match action.operation() {
            KeyOperation::Read { value: Some(name) } => {
                let contents = self.contents(action, Some(name), cancelled)?;
                let fidelity = contents.fidelity;
                let mut values = contents.values.into_iter();
                let value = values.find(|value| same_name(&value.name, name));
                value.map(|it| KeyOutcome::Value(it, fidelity)).ok_or(RegistryError::Missing)
            }
            KeyOperation::Read { value: None }
            | KeyOperation::List
            | KeyOperation::Write { .. }
            | KeyOperation::DeleteValue { .. }
            | KeyOperation::DeleteKey => {
                self.contents(action, None, cancelled).map(KeyOutcome::Contents)
            }
        }
    }

    fn change(
        &self,
        words: &[String],
        cancelled: &AtomicBool,
    ) -> Result<WriteDurability, RegistryError> {
        let limits = RunLimits { time: RUN_TIMEOUT, bytes: 0, cancelled };
        match run(&mut self.program.command(words), &RunOutput::Discarded, &limits)? {
            RunEnd::Failure => return Err(RegistryError::Refused),
            RunEnd::Success => {}
        }
        let Some(mut save) = self.program.save() else { return Ok(WriteDurability::Saved) };
        // The change is made already, so saving it cannot be cancelled.
        let limits = RunLimits { time: SAVE_TIMEOUT, bytes: 0, cancelled: &AtomicBool::new(false) };
        match run(&mut save, &RunOutput::Discarded, &limits) {
            Ok(RunEnd::Success) => Ok(WriteDurability::Saved),
            Ok(RunEnd::Failure) | Err(_) => Ok(WriteDurability::SavedLater),
        }
    }

    fn contents(
        &self,
        action: &KeyAction,
        value: Option<&ValueName>,
        cancelled: &AtomicBool,
    ) -> Result<KeyContents, RegistryError> {
        let scratch = ScratchFolder::new()?;
        let file = scratch.path().join("export.reg");
        if let Some(name) = self.program.file_name(&file) {
            let words = words::export(action.key(), action.view(), &name);
            let limits = RunLimits { time: EXPORT_TIMEOUT, bytes: MAX_BYTES, cancelled };
            let output = RunOutput::Written(&file);
            match run(&mut self.program.command(&words), &output, &limits) {
                Ok(RunEnd::Success) => return parse_export(&fs::read(&file)?),
                Ok(RunEnd::Failure) | Err(RegistryError::Late(_) | RegistryError::TooMuch) => {}
                Err(error) => return Err(error),
            }
        }
        self.printed(action, value, cancelled, &scratch)
    }

    fn printed(
        &self,
        action: &KeyAction,
        value: Option<&ValueName>,
        cancelled: &AtomicBool,
        scratch: &ScratchFolder,
    ) -> Result<KeyContents, RegistryError> {
        let print = |value: Option<&ValueName>, file: &str| {
            let words = words::query(action.key(), action.view(), value)?;
            let file = scratch.path().join(file);
            let limits = RunLimits { time: RUN_TIMEOUT, bytes: MAX_BYTES, cancelled };
            let output = RunOutput::Printed(&file);
            match run(&mut self.program.command(&words), &output, &limits)? {
                RunEnd::Failure => Err(RegistryError::Missing),
                RunEnd::Success => Ok(decode_printed(&fs::read(&file)?)),
            }
        };
        let text = print(value, "query.txt")?;
        if let Some(name) = value {
            let (values, fidelity) = (vec![parse_one(&text, name)?], ReadFidelity::Printed);
            return Ok(KeyContents { values, keys: Vec::new(), fidelity });
        }
        // `reg query` prints the value without a name with a word of the user's language.
        let unnamed = match print(Some(&ValueName::Default), "default.txt") {
            Ok(text) => default_word(&text).map(ToOwned::to_owned),
            Err(RegistryError::Missing) => None,
            Err(error) => return Err(error),
        };
        parse_query(&text, action.key(), unnamed.as_deref())
    }
}

/// Whether two names mean the same value, ignoring case.
fn same_name(one: &ValueName, other: &ValueName) -> bool {
    match (one, other) {
        (ValueName::Default, ValueName::Default) => true,
        (ValueName::Named(one), ValueName::Named(other)) => {
            one.to_lowercase() == other.to_lowercase()
        }
        (ValueName::Default, ValueName::Named(_)) | (ValueName::Named(_), ValueName::Default) => {
            false
        }
    }
}
