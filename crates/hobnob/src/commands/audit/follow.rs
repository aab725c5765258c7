//! Follows the audit log line by line, across rotations of the file. `audit --follow` prints what
//! it returns.
//!
//! What must stay true: a file that is rotated away is read to its end before the new one is
//! opened.

use hobnob_policy::audit::{AuditEntry, AuditFilter};
use std::fs::{File, Metadata};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often the file is checked for new lines.
const LOOK: Duration = Duration::from_millis(250);
/// Bytes that are read at once, and the longest line.
const CHUNK: u64 = 1024 * 1024;

/// A place in the log.
pub(super) struct Tail {
    path: PathBuf,
    file: Option<File>,
    /// What was read after the last line break.
    rest: Vec<u8>,
}

impl Tail {
    /// The end of the log as it is now, which need not exist yet.
    pub(super) fn at_the_end(path: &Path) -> Self {
        let file = File::open(path).ok().and_then(|mut file| {
            file.seek(SeekFrom::End(0)).ok()?;
            Some(file)
        });
        Self { path: path.into(), file, rest: Vec::new() }
    }

    /// Passes on new records, for ever; skips those that were shown before.
    pub(super) fn follow(
        mut self,
        shown: &[AuditEntry],
        mut show: impl FnMut(&AuditEntry) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        loop {
            while let Some(entries) = self.read()? {
                for entry in entries.iter().filter(|entry| !shown.contains(entry)) {
                    show(entry)?;
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The records that are there now; `None` once all are read.
    fn read(&mut self) -> anyhow::Result<Option<Vec<AuditEntry>>> {
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
        // A damaged line is skipped, as in the reader of the whole log.
        let entries =
            lines.split(|byte| *byte == b'\n').filter_map(|it| serde_json::from_slice(it).ok());
        Ok(Some(entries.collect()))
    }
}

/// Whether a new record passes the filter; its time does not matter.
pub(super) fn matches(filter: &AuditFilter, entry: &AuditEntry) -> bool {
    let same = |wanted: Option<&str>, is: Option<&str>| wanted.is_none() || wanted == is;
    same(filter.server.as_deref(), entry.server.as_deref())
        && same(filter.outcome.as_deref(), entry.outcome.as_deref())
        && same(filter.decision.map(|it| it.as_str()), entry.decision.as_deref())
        && filter
            .tool
            .as_ref()
            .is_none_or(|glob| entry.tool.as_deref().is_some_and(|tool| glob.matches(tool)))
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
