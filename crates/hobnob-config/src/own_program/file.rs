//! Whether a word of a command line names our own program, by its name or by its file.
//!
//! A link to the program and a copy of it count too; other files of the same size are compared byte
//! by byte.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::command_line::base_name;

/// The name of our program, and of its package for package runners.
const NAME: &str = "hobnob";

/// Bytes that are compared at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// Whether the word names our program: its name, a link to its file, or a copy of it.
pub(super) fn is_the_same(ours: &Path, word: &str) -> bool {
    let name = base_name(word);
    // Package runners take `hobnob@1.2.3` and `hobnob==1.2.3`.
    let name = name.split(['@', '=']).next().unwrap_or(name);
    name == NAME || find(word).is_some_and(|file| is_same_file(ours, &file))
}

/// The file that a word starts: a path as it is, a bare name from `PATH`.
fn find(word: &str) -> Option<PathBuf> {
    if word.is_empty() || word.starts_with('-') {
        return None;
    }
    if word.contains('/') || word.contains(std::path::MAIN_SEPARATOR) {
        return Path::new(word).canonicalize().ok();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|folder| folder.join(word).canonicalize().ok())
}

fn is_same_file(ours: &Path, file: &Path) -> bool {
    if ours.canonicalize().is_ok_and(|ours| ours == file) {
        return true;
    }
    let (Ok(our_facts), Ok(facts)) = (fs::metadata(ours), fs::metadata(file)) else { return false };
    if !facts.is_file() || our_facts.len() != facts.len() {
        return false;
    }
    is_hard_link(&our_facts, &facts) || has_same_bytes(ours, file).unwrap_or(false)
}

#[cfg(unix)]
fn is_hard_link(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.dev() == other.dev() && one.ino() == other.ino()
}

#[cfg(not(unix))]
fn is_hard_link(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    false
}

fn has_same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) =
        (BufReader::new(File::open(one)?), BufReader::new(File::open(other)?));
    let (mut left, mut right) = (vec![0; CHUNK_BYTES], vec![0; CHUNK_BYTES]);
    loop {
        let count = one.read(&mut left)?;
        if count == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..count])?;
        if left[..count] != right[..count] {
            return Ok(false);
        }
    }
}
