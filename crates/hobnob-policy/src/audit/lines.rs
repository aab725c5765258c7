//! The lines of a log, oldest first, through the renamed files to the current one.
//!
//! The reader and `verify` use it. A line longer than any the log writes is skipped, so that a
//! damaged file costs no memory.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Take};
use std::iter;
use std::path::Path;
use std::sync::Arc;

use super::files::{identity, renamed_files};

/// Longest line that is read, in bytes; every record is shorter.
const MAX_LINE: u64 = 64 * 1024;

/// One file of the log, and how many of its bytes are read.
#[derive(Debug)]
pub(super) struct LogFile {
    file: File,
    name: Arc<str>,
    length: u64,
}

/// A line as it is in a file, without its line break.
#[derive(Debug)]
pub(super) struct RawLine<'a> {
    pub(super) bytes: &'a [u8],
    /// The name of its file, without the folder.
    pub(super) file: &'a Arc<str>,
    /// The number of the line in its file, from 1.
    pub(super) number: u64,
    /// Whether the line ends with a line break.
    pub(super) is_whole: bool,
}

/// A cursor over the lines of several files.
#[derive(Debug)]
pub(super) struct LogLines {
    /// The files still to read; the oldest is at the end.
    files: Vec<LogFile>,
    current: Option<OpenFile>,
    line: Vec<u8>,
}

#[derive(Debug)]
struct OpenFile {
    reader: BufReader<Take<File>>,
    name: Arc<str>,
    number: u64,
}

impl LogLines {
    /// Walks these files; `files` starts with the newest.
    pub(super) fn over(files: Vec<LogFile>) -> Self {
        Self { files, current: None, line: Vec::new() }
    }

    /// The next line, or nothing at the end of all files.
    pub(super) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        match self.advance() {
            // Skip the rest of a file that cannot be read, and go on with the next file.
            Err(error) => {
                self.current = None;
                return Err(error);
            }
            Ok(false) => return Ok(None),
            Ok(true) => {}
        }
        let Some(current) = &self.current else { return Ok(None) };
        let (bytes, is_whole) = match self.line.split_last() {
            Some((b'\n', bytes)) => (bytes, true),
            _ => (&*self.line, false),
        };
        Ok(Some(RawLine { bytes, file: &current.name, number: current.number, is_whole }))
    }

    /// Reads the next line, if there is one.
    fn advance(&mut self) -> io::Result<bool> {
        loop {
            let Some(current) = &mut self.current else {
                let Some(LogFile { file, name, length }) = self.files.pop() else {
                    return Ok(false);
                };
                let reader = BufReader::with_capacity(64 * 1024, file.take(length));
                self.current = Some(OpenFile { reader, name, number: 0 });
                continue;
            };
            self.line.clear();
            let reader = &mut current.reader;
            if reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.line)? == 0 {
                self.current = None;
                continue;
            }
            current.number += 1;
            if self.line.last() != Some(&b'\n') && MAX_LINE <= self.line.len() as u64 {
                reader.skip_until(b'\n')?;
            }
            return Ok(true);
        }
    }
}

/// Opens all files, newest first. A file that is rotated meanwhile is met twice and opened once.
pub(super) fn open_files(path: &Path) -> io::Result<Vec<LogFile>> {
    let mut files = Vec::new();
    let mut seen = Vec::new();
    for named in iter::once(path.to_owned()).chain(renamed_files(path)) {
        let file = match File::open(&named) {
            Ok(file) => file,
            // Between two renames a file may be missing for a moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let meta = file.metadata()?;
        let which = identity(&meta);
        if !seen.contains(&which) {
            seen.push(which);
            let name = named.file_name().unwrap_or_default().to_string_lossy();
            files.push(LogFile { file, name: name.into(), length: meta.len() });
        }
    }
    Ok(files)
}
