//! Hobnob's own files: bounded reads, atomic writes, private modes, and a lock between processes.
//!
//! All other files of this crate, and a few of the gateway and the binary, read and write through
//! here. A reader sees the old text or the new text of a file, never a part of one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::problem::Problem;

/// How long a process waits for another one that holds a lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How long it sleeps between two attempts.
const LOCK_STEP: Duration = Duration::from_millis(10);

/// The permissions of a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// Only its owner may read it, whatever its permissions were before.
    Private,
    /// Its permissions stay; a new file is private.
    Keep,
}

/// The text of a file without a byte order mark, or `None` if there is no such file.
pub(crate) fn read_text(file: &Path, max_bytes: u64) -> Result<Option<String>, Problem> {
    Ok(read_raw_text(file, max_bytes)?.map(|text| match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }))
}

/// The text of a file as it is, with its byte order mark; `None` if there is no such file.
pub(crate) fn read_raw_text(file: &Path, max_bytes: u64) -> Result<Option<String>, Problem> {
    let bytes = match read_bytes(file, max_bytes) {
        Ok(bytes) => bytes,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(Problem::unreadable(file, &error)),
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::of_file(file, "is not UTF-8 text: save it as UTF-8"))?;
    Ok(Some(text))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read_bytes(file: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe that nobody writes to would wait for ever.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if max_bytes < bytes.len() as u64 {
        return Err(io::Error::other(format!("it has more than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// Creates a folder and its missing parents; only their owner may enter the new ones.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Replaces a file atomically: writes beside it, flushes to the disk, renames over it.
pub fn write_atomic(file: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    // A link stays a link: people keep these files in a repository of their own.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    };
    make_folder(folder)?;
    let kept = match mode {
        FileMode::Private => None,
        FileMode::Keep => fs::metadata(&target).ok().map(|it| it.permissions()),
    };
    let scratch = folder.join(scratch_name(&name.to_string_lossy()));
    let written = write_scratch(&scratch, bytes, kept).and_then(|()| fs::rename(&scratch, &target));
    if let Err(error) = written {
        // Report the first error; a leftover scratch file harms nobody.
        let _ = fs::remove_file(&scratch);
        return Err(error);
    }
    flush_folder(folder)
}

/// Copies a file to a name beside it that is free.
pub(crate) fn back_up(file: &Path) -> io::Result<PathBuf> {
    let bytes = fs::read(file)?;
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let candidate = |count: usize| match count {
        0 => file.with_file_name(format!("{name}.bak-{time}")),
        _ => file.with_file_name(format!("{name}.bak-{time}-{count}")),
    };
    let free = (0..1000).map(candidate).find(|it| !it.exists());
    let backup = free.ok_or_else(|| io::Error::other("there are too many backups already"))?;
    write_atomic(&backup, &bytes, FileMode::Private)?;
    Ok(backup)
}

/// Fails if no file can be written into the folder of this one.
pub(crate) fn check_folder(file: &Path) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let folder = target.parent().unwrap_or(Path::new("/"));
    make_folder(folder)?;
    let scratch = folder.join(scratch_name("check"));
    let written = write_scratch(&scratch, b"", None);
    let _ = fs::remove_file(&scratch);
    written
}

/// A name that no other process or thread uses while it writes into the same folder.
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

/// Without this, a power failure may undo the rename.
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

/// Why the lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held it during the whole wait.
    #[error("{} is locked by another process: try again, or stop the other process", .0.display())]
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
