//! Files that only their owner may read: bounded reads, atomic writes, and a lock between processes.
//!
//! The store on disk uses them, off the runtime, since they block. What must stay true: a reader sees
//! the old bytes or the new ones, never a part of either.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::encoding::random_text;

/// Larger files are not ours.
const MAX_BYTES: u64 = 256 * 1024;
/// How long another process may hold a lock: a refresh asks an authorization server twice at most.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// How long it sleeps between two attempts.
const LOCK_STEP: Duration = Duration::from_millis(10);

/// Makes a folder and its missing parents; only their owner may enter the new ones.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The bytes of a file, or `None` if there is none.
pub(crate) fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if MAX_BYTES < bytes.len() as u64 {
        return Err(io::Error::other("it is too large"));
    }
    Ok(Some(bytes))
}

/// Replaces a file: writes beside it, flushes to the disk, renames over it.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let scratch = folder.join(format!(".{}.tmp", random_text().map_err(io::Error::other)?));
    let written = write_new(&scratch, bytes).and_then(|()| fs::rename(&scratch, file));
    if let Err(error) = written {
        // The first error counts; a scratch file that stays is unreadable without the key.
        let _ = fs::remove_file(&scratch);
        return Err(error);
    }
    flush_folder(folder)
}

/// Removes a file; one that is not there is removed already.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Waits for a lock that ends with the returned file; `None` if another process keeps it.
pub(crate) fn lock(file: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let opened = private(&mut options).open(file)?;
    let begun = Instant::now();
    loop {
        match opened.try_lock() {
            Ok(()) => return Ok(Some(opened)),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if LOCK_WAIT < begun.elapsed() => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_STEP),
        }
    }
}

/// Whether others than the owner may read it.
#[cfg(unix)]
pub(crate) fn is_open_to_others(file: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(file)?.permissions().mode() & 0o077 != 0)
}

/// Other systems keep a user's folders to the user.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_file: &Path) -> io::Result<bool> {
    Ok(false)
}

fn write_new(scratch: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(scratch)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Without this, a power failure may undo the rename, and a spent refresh token would come back.
#[cfg(unix)]
fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
