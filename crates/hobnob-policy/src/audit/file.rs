//! The file on disk: appended to by several processes, renamed by any one of them when it is full.
//!
//! Whoever appends holds the file's lock shared, whoever renames holds it alone; both look whether
//! the path still names the file they hold. So no line can land in a file that was just dropped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::log::AuditOptions;

/// How often a file is opened again because another process renamed it meanwhile.
const MOST_TRIES: usize = 16;

/// An open audit file.
pub(super) struct AppendFile {
    path: PathBuf,
    options: AuditOptions,
    file: File,
    /// The last write stopped in the middle of a line.
    torn: bool,
    /// The last rotation failed, and this was said.
    stuck: bool,
}

impl AppendFile {
    pub(super) fn open(path: &Path, options: AuditOptions) -> io::Result<Self> {
        let file = open_append(path)?;
        Ok(Self { path: path.to_owned(), options, file, torn: false, stuck: false })
    }

    /// Appends whole lines with one write where the disk takes them, then rotates when full.
    pub(super) fn append(&mut self, lines: &str) -> io::Result<()> {
        self.hold(File::lock_shared)?;
        let written = self.write(lines);
        let size = self.file.metadata().map(|meta| meta.len());
        self.file.unlock()?;
        written?;
        // The lines are safe; a file that cannot be renamed grows, and the next append tries again.
        let rotated = if self.options.max_bytes <= size? { self.rotate() } else { Ok(()) };
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
        if self.file.metadata()?.len() < self.options.max_bytes {
            return self.file.unlock();
        }
        for number in (1..self.options.keep.max(1)).rev() {
            rename(&rotated(&self.path, number), &rotated(&self.path, number + 1))?;
        }
        rename(&self.path, &rotated(&self.path, 1))?;
        let full = std::mem::replace(&mut self.file, open_append(&self.path)?);
        full.unlock()
    }

    /// Locks the file that the path names now.
    fn hold(&mut self, lock: fn(&File) -> io::Result<()>) -> io::Result<()> {
        for _ in 0..MOST_TRIES {
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
            self.torn = false;
        }
        Err(io::Error::other("the audit file is replaced faster than it can be opened"))
    }
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
