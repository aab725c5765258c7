//! The file of what a person granted: decisions read it, the person's commands change it.
//!
//! A file that cannot be trusted grants nothing, and reading never changes it. Only the next change
//! by a person sets a damaged file aside; a newer or unreadable one is never replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, write_atomic};
use serde::{Deserialize, Serialize};

use crate::disk::read_text;
use crate::grant_entries::GrantEntries;
use crate::json::parse_strict;
use crate::problem::{Cause, Problem};

/// A larger file is neither read nor written.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The version that is read and written.
const VERSION: u64 = 1;
/// How many damaged files may be set aside within one second.
const MAX_ASIDE: u32 = 100;

/// Why a file of grants does not count. Nothing is granted then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenGrants {
    /// Its content is wrong, or other users can write it. The next change sets it aside.
    #[error("{0}; nothing is granted until it is repaired or granted anew")]
    Damaged(Problem),
    /// A newer Hobnob wrote it, and it is left for that version.
    #[error("{0}; nothing is granted by this version")]
    Newer(Problem),
    /// The system refused to read it; the file may be sound.
    #[error("{0}; nothing is granted until it can be read again")]
    Unreadable(Problem),
}

/// Why a change was not made; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum GrantChangeError {
    /// The file cannot be read, or a newer Hobnob wrote it.
    #[error(transparent)]
    Broken(#[from] BrokenGrants),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The system reported an error while it was written or set aside.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The rows before and after a change, for the audit and for the person who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantChange {
    /// The rows before the change; empty if the file was damaged.
    pub before: GrantEntries,
    /// The rows that are on the disk now.
    pub after: GrantEntries,
    /// The new place of a damaged file, if there was one. Its rows no longer count.
    pub set_aside: Option<PathBuf>,
}

/// The file of grants at one path, which need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantsFile {
    path: PathBuf,
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u64,
    grants: GrantEntries,
}

impl GrantsFile {
    /// The file at this path.
    pub fn new(path: &Path) -> Self {
        Self { path: path.into() }
    }

    /// The path, for a caller that watches it for changes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the rows; without a file there are none.
    ///
    /// # Errors
    /// When the file is damaged, newer than this version, or unreadable. It is left unchanged.
    pub fn load(&self) -> Result<GrantEntries, BrokenGrants> {
        let text = read_text(&self.path, MAX_BYTES).map_err(|problem| match problem.cause {
            Cause::Contents => BrokenGrants::Damaged(problem),
            Cause::Unreadable => BrokenGrants::Unreadable(problem),
        })?;
        let Some(text) = text else { return Ok(GrantEntries::default()) };
        if others_may_write(&self.path) {
            let message = "can be written by other users: make it private with `chmod 600`";
            return Err(BrokenGrants::Damaged(Problem::of_file(&self.path, message)));
        }
        self.parse(&text)
    }

    /// Changes the rows on top of what other processes have written, and returns both versions.
    /// Only commands that a person typed call this, never an answer to a client.
    ///
    /// # Errors
    /// When the file cannot be locked, read or written. It is then unchanged.
    pub fn change(
        &self,
        change: impl FnOnce(&mut GrantEntries),
    ) -> Result<GrantChange, GrantChangeError> {
        self.change_after(change, |_| Ok(()))
    }

    /// Like [`GrantsFile::change`], but first shows the change to `first`, which may refuse it.
    ///
    /// # Errors
    /// When the file cannot be locked, read or written, or `first` refuses. It is then unchanged.
    pub fn change_after<E: From<GrantChangeError>>(
        &self,
        change: impl FnOnce(&mut GrantEntries),
        first: impl FnOnce(&GrantChange) -> Result<(), E>,
    ) -> Result<GrantChange, E> {
        let lock = Lock::acquire(&self.path.with_extension("lock"));
        let _lock = lock.map_err(GrantChangeError::from)?;
        let read = match self.load() {
            Ok(entries) => Some(entries),
            Err(BrokenGrants::Damaged(_)) => None,
            Err(broken @ (BrokenGrants::Newer(_) | BrokenGrants::Unreadable(_))) => {
                return Err(GrantChangeError::from(broken).into());
            }
        };
        let damaged = read.is_none();
        let before = read.unwrap_or_default();
        let mut after = before.clone();
        change(&mut after);
        let mut changed = GrantChange { before, after, set_aside: None };
        if !damaged && changed.after == changed.before {
            return Ok(changed);
        }
        let failed = |error| GrantChangeError::Io(self.path.clone(), error);
        let text = written(&changed.after).map_err(failed)?;
        first(&changed)?;
        if damaged {
            changed.set_aside = Some(self.set_aside().map_err(failed)?);
        }
        if let Err(error) = write_atomic(&self.path, text.as_bytes(), FileMode::Private) {
            // Best effort: if this fails too, nothing is granted, and the text is kept aside.
            let _ = changed.set_aside.map(|aside| fs::rename(aside, &self.path));
            return Err(failed(error).into());
        }
        Ok(changed)
    }

    fn parse(&self, text: &str) -> Result<GrantEntries, BrokenGrants> {
        let damaged = |problem| BrokenGrants::Damaged(problem);
        let wrong = |message: &str| damaged(Problem::of_file(&self.path, message));
        let broken = |error: &serde_json::Error| damaged(Problem::of_json(&self.path, error));
        // Equal keys would hide each other, and a newer file may have unknown members.
        let value = parse_strict(text).map_err(|error| broken(&error))?;
        if !value.is_object() {
            return Err(wrong("is not a JSON object"));
        }
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(VERSION) => {}
            Some(newer) if VERSION < newer => {
                let message = format!("has version {newer}, and this Hobnob reads {VERSION}");
                return Err(BrokenGrants::Newer(Problem::of_file(&self.path, message)));
            }
            Some(_) | None => {
                return Err(wrong("has no `version`, or one that no Hobnob ever wrote"));
            }
        }
        // A list would pass for a structure whose fields are all missing.
        if !value.get("grants").is_some_and(serde_json::Value::is_object) {
            return Err(wrong("has no object `grants`"));
        }
        let document: Document = serde_json::from_str(text).map_err(|error| broken(&error))?;
        Ok(document.grants)
    }

    /// Renames a damaged file, so that a person can look at it. The caller holds the lock.
    fn set_aside(&self) -> io::Result<PathBuf> {
        let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let candidates = (0..MAX_ASIDE).map(|count| match count {
            0 => self.path.with_file_name(format!("{name}.broken-{time}")),
            count => self.path.with_file_name(format!("{name}.broken-{time}-{count}")),
        });
        let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
        let aside = candidates.into_iter().find(is_free);
        let aside = aside.ok_or_else(|| io::Error::other("too many files were set aside"))?;
        fs::rename(&self.path, &aside)?;
        Ok(aside)
    }
}

fn written(entries: &GrantEntries) -> io::Result<String> {
    let document = Document { version: VERSION, grants: entries.clone() };
    let mut text = serde_json::to_string_pretty(&document).map_err(io::Error::other)?;
    text.push('\n');
    match MAX_BYTES < text.len() as u64 {
        true => Err(io::Error::other("it would have more bytes than Hobnob reads again")),
        false => Ok(text),
    }
}

/// The file of another user's choice says nothing about what the person wants.
#[cfg(unix)]
fn others_may_write(path: &Path) -> bool {
    let mode = |it: fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&it.permissions());
    fs::metadata(path).is_ok_and(|it| mode(it) & 0o022 != 0)
}

#[cfg(not(unix))]
fn others_may_write(_path: &Path) -> bool {
    false
}
