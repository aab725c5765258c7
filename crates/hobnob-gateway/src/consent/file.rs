//! Arguments that are too long for a question, in a file that only its owner can read. The file
//! lives as long as the question.

use hobnob_disk::{create_private, make_folder};
use hobnob_mcp_engine::random_token;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Older files are left over from a killed process and are removed.
const MAX_FILE_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// A file that is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct ArgumentsFile {
    path: PathBuf,
    bytes: u64,
}

impl ArgumentsFile {
    /// Writes the exact text to a new file in `folder`, which is created if it is missing.
    pub(super) fn write(folder: &Path, text: &str) -> io::Result<Self> {
        make_folder(folder)?;
        remove_old(folder);
        let name = random_token().map_err(io::Error::other)?;
        let path = folder.join(format!("arguments-{name}.json"));
        let mut file = create_private(&path)?;
        // From here on, dropping `guard` removes the file, even if writing fails.
        let guard = Self { path, bytes: text.len() as u64 };
        file.write_all(text.as_bytes())?;
        Ok(guard)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for ArgumentsFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "the file with a question's arguments cannot be removed");
        }
    }
}

fn remove_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with("arguments-");
        let written = entry.metadata().and_then(|meta| meta.modified());
        let age = written.ok().and_then(|written| now.duration_since(written).ok());
        if ours && age.is_some_and(|age| MAX_FILE_AGE < age) {
            // Another process may have removed it already.
            drop(fs::remove_file(entry.path()));
        }
    }
}
