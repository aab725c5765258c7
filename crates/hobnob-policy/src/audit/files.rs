//! The files of a log: the current one, and those that were renamed when they were full.
//!
//! `audit.jsonl.1` is the newest of these. The file that is appended to renames and removes them, and
//! readers find them here.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::chain::{ChainEnd, Link};
use super::tail::read_tail;

/// Renamed files that are looked at.
pub(super) const MAX_FILES: usize = 1000;

/// The path of a rotated file: `audit.jsonl.1` is the newest.
pub(super) fn rotated(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// The renamed files that there are, newest first. A crash while they are renamed leaves a number out.
pub(super) fn renamed_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    let file = |number| Some(rotated(path, number)).filter(|file| file.exists());
    let pairs = (1..=MAX_FILES).map(move |number| (file(number), file(number + 1)));
    pairs.take_while(|(this, next)| this.is_some() || next.is_some()).filter_map(|(this, _)| this)
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The number of the oldest line that is linked.
pub(super) fn oldest_link(path: &Path) -> Option<u64> {
    let files: Vec<PathBuf> = renamed_files(path).collect();
    files.iter().rev().map(PathBuf::as_path).chain([path]).find_map(first_link)
}

/// The number of a file's first line that is linked.
pub(super) fn first_link(path: &Path) -> Option<u64> {
    let file = File::open(path).ok()?;
    // What is no file may never end.
    let length = file.metadata().ok()?.len();
    let lines = BufReader::new(file.take(length)).split(b'\n');
    lines.map_while(Result::ok).find_map(|line| Link::of(&line)).map(|link| link.seq)
}

/// The last line of a file that nobody appends to any more.
pub(super) fn last_link(path: &Path) -> Option<ChainEnd> {
    let file = File::open(path).ok()?;
    read_tail(&file, file.metadata().ok()?.len()).ok()?.end
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
