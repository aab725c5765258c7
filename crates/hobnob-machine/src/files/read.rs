//! Bytes and lines of a file, never more than the caller's limit at once.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use hobnob_policy::{ContentHash, ReadWindow, RelativePath};
use memchr::memchr;

use super::content_hash::{Hashing, content_hash};
use super::problem::{FileError, FileRefusal};
use super::root::{ConfinedRoot, OpenFile};

/// The part of a file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// The content of this part.
    pub body: FileBody,
    /// The offset of this part in the file.
    pub start: u64,
    /// The size of the whole file.
    pub size: u64,
    /// Whether the file continues after this part.
    pub more: bool,
    /// The digest of the whole file; only if the whole file was read.
    pub hash: Option<ContentHash>,
}

/// The content as text if it is text, as bytes if not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileBody {
    /// UTF-8 without NUL bytes.
    Text(String),
    /// Any other bytes, unchanged.
    Binary(Vec<u8>),
}

/// Reads a part of a regular file; at most `limit` bytes, never cut inside a character.
pub(crate) fn read(
    root: &ConfinedRoot,
    path: &RelativePath,
    window: ReadWindow,
    limit: u64,
) -> Result<FilePart, FileError> {
    let open = root.open_file(path).map_err(|refusal| FileError::new(path, refusal))?;
    let size = u64::try_from(open.stat.st_size).unwrap_or(0);
    let part = match window {
        ReadWindow::Whole => whole(&open.file, size, limit),
        ReadWindow::Bytes { start, length } => bytes(&open.file, size, start, length.min(limit)),
        ReadWindow::Lines { first, count } => lines(&open.file, size, first, count, limit),
    };
    part.map_err(|error| FileError::new(path, error))
}

/// All bytes of a file, for an action that needs them together; fails above the limit.
pub(crate) fn read_all(open: &OpenFile, limit: u64) -> Result<Vec<u8>, FileRefusal> {
    let size = u64::try_from(open.stat.st_size).unwrap_or(0);
    let mut bytes = Vec::new();
    (&open.file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if limit < bytes.len() as u64 {
        return Err(FileRefusal::TooLarge { size: size.max(bytes.len() as u64), limit });
    }
    Ok(bytes)
}

/// The digest of all bytes of a file of any size.
pub(crate) fn hash_of(mut file: &File) -> Result<ContentHash, FileRefusal> {
    let mut hashing = Hashing::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hashing.end()),
            Ok(count) => hashing.add(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn whole(file: &File, size: u64, limit: u64) -> io::Result<FilePart> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let more = limit < bytes.len() as u64;
    if !more {
        let hash = Some(content_hash(&bytes));
        // The file may have grown since its size was read.
        let size = bytes.len() as u64;
        return Ok(FilePart { body: FileBody::of(bytes), start: 0, size, more, hash });
    }
    bytes.pop();
    cut_between_characters(&mut bytes);
    Ok(FilePart { body: FileBody::of(bytes), start: 0, size, more, hash: None })
}

fn bytes(mut file: &File, size: u64, start: u64, length: u64) -> io::Result<FilePart> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    let more = start.saturating_add(bytes.len() as u64) < size;
    Ok(FilePart { body: FileBody::of(bytes), start, size, more, hash: None })
}

fn lines(file: &File, size: u64, first: u64, count: u64, limit: u64) -> io::Result<FilePart> {
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let (start, goes_on) = skip_lines(&mut reader, first.saturating_sub(1))?;
    let part = |bytes, more| FilePart { body: FileBody::of(bytes), start, size, more, hash: None };
    if !goes_on {
        return Ok(part(Vec::new(), false));
    }
    let mut bytes = Vec::new();
    for _ in 0..count {
        let room = limit.saturating_sub(bytes.len() as u64);
        let taken = (&mut reader).take(room).read_until(b'\n', &mut bytes)?;
        let ended = bytes.last() == Some(&b'\n');
        if taken == 0 || !ended {
            // The end of the file, or the limit.
            break;
        }
    }
    let more = !reader.fill_buf()?.is_empty();
    if more && bytes.last() != Some(&b'\n') {
        cut_between_characters(&mut bytes);
    }
    Ok(part(bytes, more))
}

/// Skips `count` lines; returns their number of bytes, and whether the file continues after them.
fn skip_lines(reader: &mut impl BufRead, count: u64) -> io::Result<(u64, bool)> {
    let (mut left, mut skipped) = (count, 0);
    while 0 < left {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok((skipped, false));
        }
        let used = match memchr(b'\n', buffer) {
            Some(at) => {
                left -= 1;
                at + 1
            }
            None => buffer.len(),
        };
        reader.consume(used);
        skipped += used as u64;
    }
    Ok((skipped, true))
}

/// Removes an incomplete character from the end, if the rest is text.
fn cut_between_characters(bytes: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}

impl FileBody {
    fn of(bytes: Vec<u8>) -> Self {
        if memchr(0, &bytes).is_some() {
            return Self::Binary(bytes);
        }
        String::from_utf8(bytes).map_or_else(|error| Self::Binary(error.into_bytes()), Self::Text)
    }
}
