//! The audit file on disk. Several processes append to it; any of them rotates it when it is full
//! or spans too long a time. Rotation removes old files by age and by total size.
//!
//! A process that appends or rotates holds the file's lock, since each line names the hash of the
//! one before it, and checks that the path still names that file. What must stay true: a process
//! continues the chain at the highest number that the file, the head record or its own memory
//! knows, so that no line that was cut off can be written over.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hobnob_disk::flush_folder;
use jiff::Timestamp;

use super::chain::ChainEnd;
use super::files::{
    MAX_FILES, first_link, folder_of, identity, last_link, oldest_link, renamed_files, rotated,
};
use super::head::{Head, StoredHead, head_path, read_head, write_head};
use super::options::AuditRetention;
use super::record::{write_lost_head, write_torn};
use super::tail::read_tail;

/// How often the file is opened again because another process rotated it meanwhile. Each try waits for a lock
/// and fails only if another one got further, so this bounds bad luck, not time.
const MAX_TRIES: usize = 256;
/// Files that the retention period is split into, at least, so that old records can go in parts.
const MIN_FILES: u32 = 8;

/// An open audit file.
pub(super) struct AppendFile {
    path: PathBuf,
    retention: AuditRetention,
    file: File,
    /// When its first record was written, if that is known.
    begun: Option<Timestamp>,
    chain: Option<KnownChain>,
    /// Lines about the state in which the end of the file was found, for the next write.
    notes: String,
    /// The last rotation failed, and a warning was logged.
    rotation_failed: bool,
}

/// The chain as this process last saw it.
#[derive(Debug, Clone, Copy)]
struct KnownChain {
    head: Head,
    /// The length of the file then; `None` if that was another file.
    length: Option<u64>,
}

impl AppendFile {
    /// Opens or creates the file, and repairs what a crash left of its last line.
    pub(super) fn open(path: &Path, retention: AuditRetention) -> io::Result<Self> {
        let file = open_append(path)?;
        let begun = first_record(path);
        let (path, notes) = (path.to_owned(), String::new());
        let mut opened =
            Self { path, retention, file, begun, chain: None, notes, rotation_failed: false };
        let prepared = opened.locked(|this| {
            this.chain_end()?;
            match this.notes.is_empty() && head_path(&this.path).exists() {
                true => Ok(()),
                false => this.write("").and_then(|()| this.sync_locked()),
            }
        });
        // A full disk is no reason not to start: the next write tries again.
        if let Err(error) = prepared {
            tracing::warn!(%error, "the end of the audit log cannot be repaired now");
        }
        Ok(opened)
    }

    /// Appends whole lines, linked to each other, then rotates when full.
    pub(super) fn append(&mut self, lines: &str) -> io::Result<()> {
        self.locked(|this| this.write(lines))?;
        // The lines are safe: if the rename fails, the file grows, and the next append retries.
        if self.begun.is_none() {
            self.begun = first_record(&self.path);
        }
        let rotated =
            if self.is_full().unwrap_or(false) { self.locked(Self::rotate) } else { Ok(()) };
        if let Err(error) = &rotated
            && !self.rotation_failed
        {
            tracing::warn!(%error, "the audit log cannot be rotated");
        }
        self.rotation_failed = rotated.is_err();
        Ok(())
    }

    /// Flushes the appended lines to the disk, and then writes the head record.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.locked(Self::sync_locked)
    }

    fn sync_locked(&mut self) -> io::Result<()> {
        let known = self.chain_end()?;
        match self.file.sync_data() {
            // Only regular files can be synced.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            other => other?,
        }
        write_head(&self.path, &known.head)
    }

    fn write(&mut self, lines: &str) -> io::Result<()> {
        let mut known = self.chain_end()?;
        let mut text = String::with_capacity(lines.len() * 5 / 4);
        self.notes.lines().chain(lines.lines()).for_each(|it| known.head.end.link(it, &mut text));
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // A line that a full disk cut short would look like the trace of a crash.
            if known.length.is_none_or(|length| self.file.set_len(length).is_err()) {
                self.forget_length();
            }
            return Err(error);
        }
        known.length = known.length.map(|length| length + text.len() as u64);
        self.chain = Some(known);
        self.notes.clear();
        Ok(())
    }

    fn forget_length(&mut self) {
        if let Some(chain) = &mut self.chain {
            chain.length = None;
        }
    }

    /// Where the chain ends; rereads the file if another process or a crash changed its length.
    fn chain_end(&mut self) -> io::Result<KnownChain> {
        let length = self.file.metadata()?.len();
        if let Some(known) = self.chain
            && known.length == Some(length)
        {
            return Ok(known);
        }
        let (stored, tail) = (read_head(&self.path)?, read_tail(&self.file, length)?);
        let recorded = match stored {
            StoredHead::Known(head) => Some(head),
            StoredHead::Missing | StoredHead::Damaged => None,
        };
        let written = match recorded {
            None => tail.end.or_else(|| last_link(&rotated(&self.path, 1))),
            Some(_) => tail.end,
        };
        if recorded.is_none() && written.is_some() {
            write_lost_head(&mut self.notes, Timestamp::now());
        }
        let length = match tail.torn {
            None => length,
            Some(torn) => {
                self.file.set_len(torn.start)?;
                write_torn(&mut self.notes, Timestamp::now(), &torn.text);
                torn.start
            }
        };
        let heads = [recorded, self.chain.map(|known| known.head)].into_iter().flatten();
        let first = heads.clone().map(|head| head.first).max();
        let first = first.or_else(|| oldest_link(&self.path)).unwrap_or(1);
        // `max_by_key` returns the last of equals: our memory wins over a tampered last line.
        let ends = written.into_iter().chain(heads.map(|head| head.end));
        let end = ends.max_by_key(|end| end.seq).unwrap_or(ChainEnd::START);
        let known = KnownChain { head: Head { end, first }, length: Some(length) };
        self.chain = Some(known);
        Ok(known)
    }

    fn rotate(&mut self) -> io::Result<()> {
        // Another process may have rotated first: then this is a new file with room.
        self.begun = first_record(&self.path);
        if !self.is_full()? {
            return Ok(());
        }
        let old: Vec<PathBuf> = renamed_files(&self.path).collect();
        let kept = self.count_kept(&old)?;
        let oldest = if kept == 0 { &self.path } else { &old[kept - 1] };
        if let (Some(chain), Some(first)) = (&mut self.chain, first_link(oldest)) {
            chain.head.first = first;
        }
        // Before any rename: a process that finds an empty file continues at the head record.
        self.sync_locked()?;
        for path in old[kept..].iter().rev() {
            if let Err(error) = fs::remove_file(path) {
                tracing::warn!(%error, "an old file of the audit log cannot be removed");
            }
        }
        for (number, path) in (2..).zip(&old[..kept]).collect::<Vec<_>>().into_iter().rev() {
            rename(path, &rotated(&self.path, number))?;
        }
        rename(&self.path, &rotated(&self.path, 1))?;
        let full = std::mem::replace(&mut self.file, open_append(&self.path)?);
        self.begun = None;
        self.forget_length();
        let flushed = flush_folder(folder_of(&self.path));
        full.unlock()?;
        flushed
    }

    /// How many of the newest renamed files to keep: they are young enough and fit the total size.
    fn count_kept(&self, old: &[PathBuf]) -> io::Result<usize> {
        // The next file may grow to its full size, beside the one that is full now.
        let mut total = self.retention.file_bytes.saturating_add(self.file.metadata()?.len());
        let fits = |path: &&PathBuf| {
            let Ok(meta) = fs::metadata(path) else { return false };
            total = total.saturating_add(meta.len());
            let age = meta.modified().ok().and_then(|at| at.elapsed().ok());
            total <= self.retention.total_bytes && age.is_none_or(|age| age <= self.retention.keep)
        };
        Ok(old.iter().take(MAX_FILES - 1).take_while(fits).count())
    }

    fn is_full(&self) -> io::Result<bool> {
        Ok(self.retention.file_bytes <= self.file.metadata()?.len() || self.spans_too_long())
    }

    /// Whether its records span so long a time that removing them together would be coarse.
    fn spans_too_long(&self) -> bool {
        let Some(begun) = self.begun else { return false };
        let age = Timestamp::now().duration_since(begun);
        Duration::try_from(age).is_ok_and(|age| self.retention.keep / MIN_FILES < age)
    }

    /// Runs `work` while no other process appends or rotates.
    fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        self.lock_current_file()?;
        let done = work(self);
        self.file.unlock()?;
        done
    }

    /// Locks the file that the path names now, and opens it again if it was rotated.
    fn lock_current_file(&mut self) -> io::Result<()> {
        for _ in 0..MAX_TRIES {
            match self.file.lock() {
                // On a file system without locks, an append still writes whole lines.
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
            self.forget_length();
        }
        Err(io::Error::other("the audit file is replaced faster than it can be opened"))
    }
}

fn first_record(path: &Path) -> Option<Timestamp> {
    const HEAD: &str = "{\"at\":\"";
    let mut start = [0; 64];
    let read = File::open(path).ok()?.read(&mut start).ok()?;
    let text = std::str::from_utf8(&start[..read]).ok()?;
    text.strip_prefix(HEAD)?.split('"').next()?.parse().ok()
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Only the owner may read the log.
#[cfg(unix)]
fn open_append(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() && meta.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn open_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}
