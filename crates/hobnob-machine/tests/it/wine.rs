//! A Wine prefix for tests, and the grants that permit everything in it.
//!
//! `cargo xtask test` installs Wine or reports its lack. Tests of other crates use this file too.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Where distributions install the 64-bit programs of Wine.
const PROGRAMS: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows",
    "/usr/lib/wine/x86_64-windows",
    "/usr/lib64/wine/x86_64-windows",
];

/// The settings of a 64-bit machine, with the key that the 32-bit view begins at.
const SYSTEM: &str =
    "WINE REGISTRY Version 2\n\n#arch=win64\n\n[Software\\\\Wow6432Node] 1700000000\n";

/// A registry for one test alone. Its server ends when this is dropped.
pub(crate) struct Wine {
    pub(crate) program: PathBuf,
    folder: TempDir,
}

impl Wine {
    /// Creates an almost empty prefix; `None`, after a message, if the test is skipped.
    pub(crate) fn find() -> Option<Self> {
        let program = PathBuf::from("/usr/bin/wine");
        let programs = PROGRAMS.iter().map(Path::new).find(|folder| folder.is_dir());
        let (true, Some(programs)) = (program.exists(), programs) else {
            skip();
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        // Wine itself would copy hundreds of megabytes into a new prefix. `reg` needs none of them.
        let path = folder.path();
        fs::create_dir_all(path.join("drive_c/windows")).unwrap();
        fs::create_dir(path.join("dosdevices")).unwrap();
        symlink("../drive_c", path.join("dosdevices/c:")).unwrap();
        symlink(programs, path.join("drive_c/windows/system32")).unwrap();
        fs::write(path.join(".update-timestamp"), "disable\n").unwrap();
        fs::write(path.join("system.reg"), SYSTEM).unwrap();
        Some(Self { program, folder })
    }

    pub(crate) fn prefix(&self) -> &Path {
        self.folder.path()
    }

    /// The user's settings that are on the disk.
    pub(crate) fn saved(&self) -> String {
        fs::read_to_string(self.prefix().join("user.reg")).unwrap_or_default()
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        // Otherwise, its server would write into a folder that is gone.
        let mut end = Command::new("/usr/bin/wineserver");
        end.arg("-k").env("WINEPREFIX", self.prefix()).stderr(Stdio::null());
        drop(end.status());
    }
}

/// Reports that Wine is missing, unless `cargo xtask test` says that it is installed.
fn skip() {
    let Some(peers) = std::env::var_os("HOBNOB_PEERS") else {
        eprintln!("SKIPPED: no Wine here; `cargo xtask test` installs it");
        return;
    };
    let path = Path::new(&peers).join("peers.json");
    let text = fs::read_to_string(&path).unwrap();
    let roster: serde_json::Value = serde_json::from_str(&text).unwrap();
    let reason = roster["missing"]["wine"].as_str();
    let reason = reason.unwrap_or_else(|| panic!("{} says that Wine is here", path.display()));
    eprintln!("SKIPPED: Wine could not be installed: {reason}");
}
