//! Opening without `openat2` refuses the same paths as opening with it.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hobnob_policy::{HardLinks, ReadWindow, RelativePath};

use super::{WITHOUT_OPENAT2, look, open_folder};
use crate::files::read::read;
use crate::files::root::ConfinedRoot;
use crate::files::{HiddenFolders, RootIdentity};

fn root(path: &Path) -> ConfinedRoot {
    let identity = RootIdentity::of_path(path).expect("an identity");
    let hidden = Arc::new(HiddenFolders::new([]));
    ConfinedRoot::open(path, &identity, hidden, HardLinks::Refused).expect("a root")
}

#[test]
fn older_kernels_confine_too() {
    let above = tempfile::tempdir().expect("a folder");
    let inside = above.path().join("inside");
    fs::create_dir(&inside).expect("a folder");
    fs::write(above.path().join("secret"), "secret").expect("a file");
    fs::write(inside.join("file"), "text").expect("a file");
    symlink("../secret", inside.join("leaf")).expect("a link");
    symlink("..", inside.join("parent")).expect("a link");
    symlink("file", inside.join("good")).expect("a link");
    for without in [false, true] {
        WITHOUT_OPENAT2.store(without, Ordering::Relaxed);
        let root = root(&inside);
        for path in ["leaf", "parent/secret", "parent/inside/file"] {
            let path = RelativePath::parse(path).expect("a path");
            read(&root, &path, ReadWindow::Whole, 10).expect_err("it leads out");
        }
        for path in ["file", "good"] {
            let path = RelativePath::parse(path).expect("a path");
            read(&root, &path, ReadWindow::Whole, 10).expect("it is inside");
        }
        for name in ["..", ".", "", "a/b", "../secret", "/etc"] {
            look(root.folder().as_fd(), OsStr::new(name)).expect_err(name);
        }
        open_folder(root.folder().as_fd(), OsStr::new("parent")).expect_err("a link");
    }
}
