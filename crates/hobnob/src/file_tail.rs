//! Follows a file line by line, across rotations. `audit --follow` and `logs --follow` print what it
//! returns.
//!
//! What must stay true: a file that is rotated away is read to its end before the new one is
//! opened.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often the file is checked for new lines.
const LOOK: Duration = Duration::from_millis(250);
/// Bytes that are read at once, and the longest line.
const CHUNK: u64 = 1024 * 1024;

/// A place in a file that grows.
pub(crate) struct FileTail {
    path: PathBuf,
    file: Option<File>,
    /// What was read after the last line break.
    rest: Vec<u8>,
}

impl FileTail {
    /// The end of the file as it is now, which need not exist yet.
    pub(crate) fn at_the_end(path: &Path) -> Self {
        let file = File::open(path).ok().and_then(|mut file| {
            file.seek(SeekFrom::End(0)).ok()?;
            Some(file)
        });
        Self { path: path.into(), file, rest: Vec::new() }
    }

    /// Passes on new lines, for ever.
    pub(crate) fn follow(
        self,
        show: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        Self::follow_all(vec![self], show)
    }

    /// Passes on new lines of several files, for ever.
    pub(crate) fn follow_all(
        mut tails: Vec<Self>,
        mut show: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        loop {
            for tail in &mut tails {
                while let Some(lines) = tail.read()? {
                    lines
                        .split(|byte| *byte == b'\n')
                        .filter(|it| !it.is_empty())
                        .try_for_each(&mut show)?;
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The whole lines that are there now; `None` once all are read.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = &mut self.file else {
            self.file = File::open(&self.path).ok();
            return Ok(self.file.is_some().then(Vec::new));
        };
        let read = file.take(CHUNK).read_to_end(&mut self.rest)?;
        if read == 0 {
            // The old file is read to its end before the new one is opened.
            let current = std::fs::metadata(&self.path).ok();
            let same = current.is_none_or(|new| {
                file.metadata().is_ok_and(|old| identity(&old) == identity(&new))
            });
            if !same {
                self.file = None;
                self.rest.clear();
                return Ok(Some(Vec::new()));
            }
            return Ok(None);
        }
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.rest.drain(..end).collect();
        if CHUNK < self.rest.len() as u64 {
            self.rest.clear();
        }
        Ok(Some(lines))
    }
}

#[cfg(unix)]
fn identity(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino())
}

/// Elsewhere the time of creation stands in for it.
#[cfg(not(unix))]
fn identity(meta: &Metadata) -> Option<std::time::SystemTime> {
    meta.created().ok()
}
