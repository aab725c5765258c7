//! Files of ours: bounded reads, atomic writes, private modes, and a lock between processes.
//!
//! A reader of any of them sees the old text or the new text, never a part of one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::problem::Problem;

/// How long a process waits for another one that holds a lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How often it looks again.
const LOCK_STEP: Duration = Duration::from_millis(10);

/// Who may read a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only its owner, whatever it was before.
    Private,
    /// As it was; only its owner if it is new.
    Keep,
}

/// The text of a file, or nothing if there is no such file. A BOM is left out.
pub(crate) fn read_text(file: &Path, most: u64) -> Result<Option<String>, Problem> {
    let bytes = match read_bytes(file, most) {
        Ok(bytes) => bytes,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(Problem::unreadable(file, &error)),
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::of_file(file, "is not UTF-8 text: save it as UTF-8"))?;
    Ok(Some(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read_bytes(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe that nobody writes to would wait for ever.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    if most < bytes.len() as u64 {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Creates a folder, and those above it, so that only its owner may enter what is new.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Puts a file in place at once: written beside it, flushed to the disk, renamed over it.
pub fn write_atomic(file: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    // A link stays a link: people keep these files in a repository of their own.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    };
    make_folder(folder)?;
    let kept = match mode {
        Mode::Private => None,
        Mode::Keep => fs::metadata(&target).ok().map(|it| it.permissions()),
    };
    let scratch = folder.join(scratch_name(&name.to_string_lossy()));
    let written = write_scratch(&scratch, bytes, kept).and_then(|()| fs::rename(&scratch, &target));
    if let Err(error) = written {
        // The first error is the one to tell; a leftover scratch file harms nobody.
        let _ = fs::remove_file(&scratch);
        return Err(error);
    }
    flush_folder(folder)
}

/// Whether a file could be put into the folder of this one.
pub(crate) fn check_folder(file: &Path) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let folder = target.parent().unwrap_or(Path::new("/"));
    make_folder(folder)?;
    let scratch = folder.join(scratch_name("check"));
    let written = write_scratch(&scratch, b"", None);
    let _ = fs::remove_file(&scratch);
    written
}

/// Unique among the processes and threads that may write beside each other.
fn scratch_name(name: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!(".{name}.{}-{count}.tmp", std::process::id())
}

fn write_scratch(scratch: &Path, bytes: &[u8], kept: Option<fs::Permissions>) -> io::Result<()> {
    // A process with our id may have died here before; nobody alive has this name.
    let _ = fs::remove_file(scratch);
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(scratch)?;
    if let Some(permissions) = kept {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Without it the rename itself may be lost with the power.
#[cfg(unix)]
fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// A lock between processes, held until it is dropped or its process ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held it all the time.
    #[error("{} is held by another process: try again, or end the other one", .0.display())]
    Busy(PathBuf),
    /// The lock file cannot be used.
    #[error("cannot lock {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

impl Lock {
    /// Waits for the lock, at most five seconds.
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        let failed = |error| LockError::Io(path.into(), error);
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = private(&mut options).open(path).map_err(failed)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if LOCK_WAIT < begun.elapsed() => {
                    return Err(LockError::Busy(path.into()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_STEP),
            }
        }
    }
}
