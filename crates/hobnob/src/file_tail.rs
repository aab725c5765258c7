//! Follows growing files line by line, across rotations: reads them four times a second, and blocks the
//! calling thread. `audit --follow` and `logs --follow` print the lines.
//!
//! What must stay true: a file that is rotated away is read to its end before the new one is
//! opened.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often the file is checked for new lines.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How many bytes are read at once; longer lines are dropped.
const CHUNK_BYTES: u64 = 1024 * 1024;

/// A place in a file that grows.
pub(crate) struct FileTail {
    path: PathBuf,
    file: Option<File>,
    /// What was read after the last line break.
    rest: Vec<u8>,
}

impl FileTail {
    /// Starts at the current end of the file, which need not exist yet.
    pub(crate) fn at_the_end(path: &Path) -> Self {
        let file = File::open(path).ok().and_then(|mut file| {
            file.seek(SeekFrom::End(0)).ok()?;
            Some(file)
        });
        Self { path: path.into(), file, rest: Vec::new() }
    }

    /// Passes new lines to `show`; returns only with an error.
    pub(crate) fn follow(
        self,
        show: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        Self::follow_all(vec![self], show)
    }

    /// Passes new lines of several files to `show`; returns only with an error.
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
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Reads the complete lines that the file has now; `None` once all are read.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = &mut self.file else {
            self.file = File::open(&self.path).ok();
            return Ok(self.file.is_some().then(Vec::new));
        };
        let read = file.take(CHUNK_BYTES).read_to_end(&mut self.rest)?;
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
        if CHUNK_BYTES < self.rest.len() as u64 {
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

/// On other systems, the time of creation identifies a file.
#[cfg(not(unix))]
fn identity(meta: &Metadata) -> Option<std::time::SystemTime> {
    meta.created().ok()
}
