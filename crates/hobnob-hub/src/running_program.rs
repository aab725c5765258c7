//! The program of this process: which build it is, and whether an update has replaced its file since.
//!
//! `main` says the build. Hubs announce it, pipes compare it, and commands tell a person of a hub that
//! runs another one.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static BUILD: OnceLock<&'static str> = OnceLock::new();

/// Says which build this program is, such as `0.1.0 (8d95b657 2026-11-18)`. Only the first call counts.
pub fn set_build(build: &'static str) {
    // A second call would be another part of the same program.
    let _ = BUILD.set(build);
}

/// The build of this program; its release alone if nobody has said it.
pub fn build() -> &'static str {
    BUILD.get().copied().unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// The file of this program, as it was when the process had just started.
#[derive(Debug, Clone)]
pub(crate) struct ProgramFile {
    path: PathBuf,
    id: FileId,
}

/// Device and inode. A file that a process runs keeps them, even if it is deleted.
type FileId = (u64, u64);

impl ProgramFile {
    /// Notes the file; nothing if the system does not say which one it is.
    pub(crate) fn of_this_process() -> Option<Self> {
        Self::at(std::env::current_exe().ok()?)
    }

    fn at(path: PathBuf) -> Option<Self> {
        let id = id_of(&path)?;
        Some(Self { path, id })
    }

    /// Whether there is another file now, or none.
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
