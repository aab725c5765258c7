//! The program of this process: its build, and whether its file was replaced since it started.
//!
//! `main` sets the build. Hubs announce it, pipes compare it, and commands report hubs with another
//! one.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static BUILD: OnceLock<&'static str> = OnceLock::new();

/// Sets this program's build, such as `0.1.0 (8d95b657 2026-11-18)`. Only the first call counts.
pub fn set_build(build: &'static str) {
    // A second call can only come from another part of the same program.
    let _ = BUILD.set(build);
}

/// The build of this program; only its release if the build was not set.
pub fn build() -> &'static str {
    BUILD.get().copied().unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// The file of this program, as it was when the process started.
#[derive(Debug, Clone)]
pub(crate) struct ProgramFile {
    path: PathBuf,
    id: FileId,
}

/// Device and inode. A running program's file keeps them, even if it is deleted.
type FileId = (u64, u64);

impl ProgramFile {
    /// Identifies the file; `None` if the system does not say which one it is.
    pub(crate) fn of_this_process() -> Option<Self> {
        Self::at(std::env::current_exe().ok()?)
    }

    fn at(path: PathBuf) -> Option<Self> {
        let id = id_of(&path)?;
        Some(Self { path, id })
    }

    /// Whether the path now has another file, or none.
    pub(crate) fn is_replaced(&self) -> bool {
        id_of(&self.path) != Some(self.id)
    }
}

fn id_of(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    let about = std::fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

#[cfg(test)]
mod tests {
    use super::ProgramFile;
    use std::fs;

    #[test]
    fn another_file_in_its_place_is_noticed_and_the_same_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "one").unwrap();
        let program = ProgramFile::at(path.clone()).unwrap();
        assert!(!program.is_replaced());
        fs::rename(&path, folder.path().join("old")).unwrap();
        assert!(program.is_replaced(), "it is gone");
        fs::write(&path, "one").unwrap();
        assert!(program.is_replaced(), "it is another one");
    }
}
