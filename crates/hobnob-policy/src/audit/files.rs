//! The files of a log: the current one, and the rotated ones.
//!
//! `audit.jsonl.1` is the newest rotated file. `AppendFile` rotates and removes files, and readers
//! find them here.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::chain::{ChainEnd, Link};
use super::tail::read_tail;

/// Rotated files that are looked for.
pub(super) const MAX_FILES: usize = 1000;

/// The path of a rotated file: `audit.jsonl.1` is the newest.
pub(super) fn rotated(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// The rotated files, newest first. A crash during a rotation leaves a gap of one number.
pub(super) fn renamed_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    let file = |number| Some(rotated(path, number)).filter(|file| file.exists());
    let pairs = (1..=MAX_FILES).map(move |number| (file(number), file(number + 1)));
    pairs.take_while(|(this, next)| this.is_some() || next.is_some()).filter_map(|(this, _)| this)
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The chain number of the oldest linked line of the log.
pub(super) fn oldest_link(path: &Path) -> Option<u64> {
    let files: Vec<PathBuf> = renamed_files(path).collect();
    files.iter().rev().map(PathBuf::as_path).chain([path]).find_map(first_link)
}

/// The chain number of a file's first linked line.
pub(super) fn first_link(path: &Path) -> Option<u64> {
    let file = File::open(path).ok()?;
    // A pipe or a device may never end, so at most this many bytes are read.
    let length = file.metadata().ok()?.len();
    let lines = BufReader::new(file.take(length)).split(b'\n');
    lines.map_while(Result::ok).find_map(|line| Link::of(&line)).map(|link| link.seq)
}

/// The last linked line of a rotated file.
pub(super) fn last_link(path: &Path) -> Option<ChainEnd> {
    let file = File::open(path).ok()?;
    read_tail(&file, file.metadata().ok()?.len()).ok()?.end
}

/// The identity of a file, which a rename does not change.
#[cfg(unix)]
pub(super) fn identity(meta: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((meta.dev(), meta.ino()))
}

/// On other systems the creation time stands in for the identity.
#[cfg(not(unix))]
pub(super) fn identity(meta: &fs::Metadata) -> Option<(u64, u64)> {
    let created = meta.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((created.as_secs(), u64::from(created.subsec_nanos())))
}
