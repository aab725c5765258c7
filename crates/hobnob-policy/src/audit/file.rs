//! The file on disk: appended to by several processes, renamed by any one of them when it is full
//! or holds records of too long a time. Old files are removed by age, and by the room all take.
//!
//! Whoever appends holds the file's lock shared, whoever renames holds it alone; both look whether
//! the path still names the file they hold. So no line can land in a file that was just dropped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::options::AuditOptions;

/// How often a file is opened again because another process renamed it meanwhile.
const MAX_TRIES: usize = 16;
/// Renamed files that are looked at.
pub(super) const MAX_FILES: usize = 1000;
/// In how many files at least the records of the whole time are, so that the oldest can go.
const PARTS: u32 = 8;

/// An open audit file.
pub(super) struct AppendFile {
    path: PathBuf,
    options: AuditOptions,
    file: File,
    /// When its first record was written, as far as it is known.
    begun: Option<Timestamp>,
    /// The last write stopped in the middle of a line.
    torn: bool,
    /// The last rotation failed, and this was said.
    stuck: bool,
}

impl AppendFile {
    pub(super) fn open(path: &Path, options: AuditOptions) -> io::Result<Self> {
        let file = open_append(path)?;
        let begun = first_record(path);
        let path = path.to_owned();
        Ok(Self { path, options, file, begun, torn: false, stuck: false })
    }

    /// Appends whole lines with one write where the disk takes them, then rotates when full.
    pub(super) fn append(&mut self, lines: &str) -> io::Result<()> {
        self.hold(File::lock_shared)?;
        let written = self.write(lines);
        let size = self.file.metadata().map(|meta| meta.len());
        self.file.unlock()?;
        written?;
        // The lines are safe; a file that cannot be renamed grows, and the next append tries again.
        if self.begun.is_none() {
            self.begun = first_record(&self.path);
        }
        let full = self.options.file_bytes <= size? || self.is_long_ago();
        let rotated = if full { self.rotate() } else { Ok(()) };
        if let Err(error) = &rotated
            && !self.stuck
        {
            tracing::warn!(%error, "the audit log cannot be rotated");
        }
        self.stuck = rotated.is_err();
        Ok(())
    }

    fn write(&mut self, lines: &str) -> io::Result<()> {
        // A line that a full disk cut off is closed first, so that only it is damaged.
        let written = match self.torn {
            true => self.file.write_all(format!("\n{lines}").as_bytes()),
            false => self.file.write_all(lines.as_bytes()),
        };
        self.torn = written.is_err();
        written
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.hold(File::lock)?;
        // Another process may have been faster: then this is a new file with room.
        self.begun = first_record(&self.path);
        if self.file.metadata()?.len() < self.options.file_bytes && !self.is_long_ago() {
            return self.file.unlock();
        }
        let old = (1..MAX_FILES).take_while(|number| rotated(&self.path, *number).exists());
        for number in old.collect::<Vec<_>>().into_iter().rev() {
            rename(&rotated(&self.path, number), &rotated(&self.path, number + 1))?;
        }
        rename(&self.path, &rotated(&self.path, 1))?;
        let full = std::mem::replace(&mut self.file, open_append(&self.path)?);
        self.begun = None;
        self.remove_old();
        full.unlock()
    }

    /// Whether its records are of so long a time that removing them together would be coarse.
    fn is_long_ago(&self) -> bool {
        let Some(begun) = self.begun else { return false };
        let age = Timestamp::now().duration_since(begun);
        Duration::try_from(age).is_ok_and(|age| self.options.keep / PARTS < age)
    }

    /// Removes, from the oldest on, what is older than it has to be or more than there is room for.
    fn remove_old(&self) {
        let mut files = Vec::new();
        for number in 1..=MAX_FILES {
            let path = rotated(&self.path, number);
            let Ok(meta) = fs::metadata(&path) else { break };
            files.push((path, meta));
        }
        // The newest file may still grow to its full size.
        let mut total = self.options.file_bytes;
        let mut surplus = false;
        for (path, meta) in files {
            total = total.saturating_add(meta.len());
            let age = meta.modified().ok().and_then(|at| at.elapsed().ok());
            surplus |=
                self.options.total_bytes < total || age.is_some_and(|age| self.options.keep < age);
            if surplus && let Err(error) = fs::remove_file(&path) {
                tracing::warn!(%error, "an old file of the audit log cannot be removed");
            }
        }
    }

    /// Locks the file that the path names now.
    fn hold(&mut self, lock: fn(&File) -> io::Result<()>) -> io::Result<()> {
        for _ in 0..MAX_TRIES {
            match lock(&self.file) {
                // A file system without locks still appends whole lines.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                other => other?,
            }
            let named = fs::metadata(&self.path).ok().and_then(|meta| identity(&meta));
            if identity(&self.file.metadata()?) == named {
                return Ok(());
            }
            self.file.unlock()?;
            self.file = open_append(&self.path)?;
            self.begun = first_record(&self.path);
            self.torn = false;
        }
        Err(io::Error::other("the audit file is replaced faster than it can be opened"))
    }
}

/// When the first record of a file was written.
fn first_record(path: &Path) -> Option<Timestamp> {
    const HEAD: &str = "{\"at\":\"";
    let mut start = [0; 64];
    let read = File::open(path).ok()?.read(&mut start).ok()?;
    let text = std::str::from_utf8(&start[..read]).ok()?;
    text.strip_prefix(HEAD)?.split('"').next()?.parse().ok()
}

/// The path of a rotated file: `audit.jsonl.1` is the newest.
pub(super) fn rotated(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Only the owner may read who did what.
#[cfg(unix)]
fn open_append(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() && meta.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn open_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// Which file this is, whatever it is called.
#[cfg(unix)]
pub(super) fn identity(meta: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((meta.dev(), meta.ino()))
}

/// Elsewhere the time of creation stands in for it.
#[cfg(not(unix))]
pub(super) fn identity(meta: &fs::Metadata) -> Option<(u64, u64)> {
    let created = meta.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((created.as_secs(), u64::from(created.subsec_nanos())))
}
