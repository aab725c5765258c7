//! The way in for the service: a permit, and what became of it.
//!
//! Keys are read through `reg export`, which writes every character and byte, and through what
//! `reg query` prints only where too much is below a key to export it.

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

/// The longest that one run may take; the first after an update of Wine takes many seconds.
const TIME: Duration = Duration::from_secs(30);
/// How long a key is exported before it is queried instead.
const EXPORT_TIME: Duration = Duration::from_secs(10);
/// How long Wine has to save what was written.
const SAVE_TIME: Duration = Duration::from_secs(5);
/// Bytes of one export, and of what one query prints.
const MAX_BYTES: u64 = 16 << 20;

/// A registry on this machine.
#[derive(Debug, Clone)]
pub struct Registry {
    program: RegistryProgram,
}

/// What an action found or did.
#[derive(Debug)]
pub enum KeyOutcome {
    /// The one value that was asked for.
    Value(NamedValue, ReadFidelity),
    /// All values and the names of the keys below.
    Contents(KeyContents),
    /// It was written or deleted.
    Changed(WriteDurability),
}

/// Whether a change survives a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteDurability {
    /// It is on the disk, or the system guarantees as much.
    Saved,
    /// Wine has it, and saves it when the last program in its folder ends, which did not happen in time.
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

    /// Does what the permit says. It blocks for up to a minute; setting `cancelled` ends it.
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
        let limits = RunLimits { time: TIME, bytes: 0, cancelled };
        match run(&mut self.program.command(words), &RunOutput::Discarded, &limits)? {
            RunEnd::Failure => return Err(RegistryError::Refused),
            RunEnd::Success => {}
        }
        let Some(mut save) = self.program.save() else { return Ok(WriteDurability::Saved) };
        // It has been written, whoever still waits for that.
        let limits = RunLimits { time: SAVE_TIME, bytes: 0, cancelled: &AtomicBool::new(false) };
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
            let limits = RunLimits { time: EXPORT_TIME, bytes: MAX_BYTES, cancelled };
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
            let limits = RunLimits { time: TIME, bytes: MAX_BYTES, cancelled };
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
        // The value without a name is printed with a word of the user's language.
        let unnamed = match print(Some(&ValueName::Default), "default.txt") {
            Ok(text) => default_word(&text).map(ToOwned::to_owned),
            Err(RegistryError::Missing) => None,
            Err(error) => return Err(error),
        };
        parse_query(&text, action.key(), unnamed.as_deref())
    }
}

/// Whether two names mean the same value: case does not matter.
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
