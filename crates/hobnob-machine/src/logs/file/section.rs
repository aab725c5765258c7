//! A reader over a section of a file that does not move the file's own position: several readers
//! share one handle.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// The bytes from `at` to `end`, or fewer if the file has become shorter.
pub(crate) struct FileSection<'file> {
    file: &'file File,
    at: u64,
    end: u64,
}

impl<'file> FileSection<'file> {
    pub(crate) fn new(file: &'file File, at: u64, end: u64) -> Self {
        Self { file, at, end }
    }
}

impl Read for FileSection<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        if room == 0 {
            return Ok(0);
        }
        let count = self.file.read_at(&mut buffer[..room], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
