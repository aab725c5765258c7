//! Changes are reported for the places that a permit named, and for no others.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use hobnob_machine::files::{FolderWatcher, WatchError, WatchEvents};
use hobnob_policy::FileOperation;

use crate::granted::{Granted, relative};

fn watch(granted: &Granted, watcher: &FolderWatcher, path: &str) -> Result<(), WatchError> {
    let permit = granted.root.permit(&relative(path), FileOperation::Stat).expect("granted");
    watcher.watch(&Arc::from(path), &granted.root.folders, &permit)
}

/// Makes a change and compares the keys of the changed places. The kernel reports at once.
fn check(watcher: &FolderWatcher, change: impl FnOnce(), expected: &[&str]) {
    change();
    let expected: BTreeSet<Arc<str>> = expected.iter().map(|key| Arc::from(*key)).collect();
    assert_eq!(watcher.read().expect("events"), WatchEvents::Changed(expected));
}

#[test]
fn files_and_folders_report_changes() {
    let granted = Granted::new();
    let at = |name: &str| granted.inside.join(name);
    fs::create_dir(at("folder")).expect("a folder");
    let watcher = FolderWatcher::new(10).expect("a watcher");
    for path in ["open.txt", "folder", "folder/later.txt", "."] {
        watch(&granted, &watcher, path).expect(path);
    }
    check(&watcher, || {}, &[]);
    check(&watcher, || fs::write(at("open.txt"), "new").expect("written"), &[".", "open.txt"]);
    let made = || fs::write(at("folder/later.txt"), "x").expect("written");
    check(&watcher, made, &["folder", "folder/later.txt"]);
    check(&watcher, || fs::write(at("folder/other"), "x").expect("written"), &["folder"]);
    let replaced = || fs::rename(at("folder/other"), at("folder/later.txt")).expect("renamed");
    check(&watcher, replaced, &["folder", "folder/later.txt"]);
    watcher.forget("folder/later.txt");
    check(&watcher, || fs::remove_file(at("folder/later.txt")).expect("gone"), &["folder"]);
    watcher.forget("folder");
    check(&watcher, || fs::write(at("folder/x"), "x").expect("written"), &[]);
}

#[test]
fn a_folder_that_leaves_is_not_followed() {
    let granted = Granted::new();
    let folder = granted.inside.join("folder");
    fs::create_dir(&folder).expect("a folder");
    let watcher = FolderWatcher::new(10).expect("a watcher");
    watch(&granted, &watcher, "folder").expect("watched");
    let away = granted.above.join("outside/moved");
    check(&watcher, || fs::rename(&folder, &away).expect("moved"), &["folder"]);
    check(&watcher, || fs::write(away.join("x"), "x").expect("written"), &[]);
    watch(&granted, &watcher, "folder").expect("what may come again can be watched");
    let again = || fs::create_dir(&folder).expect("made again");
    check(&watcher, again, &["folder"]);
}

#[test]
fn only_what_may_be_read_is_watched() {
    let granted = Granted::new();
    symlink("../outside", granted.inside.join("link")).expect("link");
    let watcher = FolderWatcher::new(1).expect("a watcher");
    for path in ["link/secret.txt", "link", "hidden", "hidden/own.db", "no/folder/there"] {
        let refused = watch(&granted, &watcher, path);
        match path {
            // To a caller, the name of a hidden folder is free.
            "hidden" => refused.expect("its name can be watched"),
            _ => assert!(matches!(refused, Err(WatchError::File(_))), "{path}"),
        }
    }
    let full = watch(&granted, &watcher, "open.txt").expect_err("one place at most");
    assert!(matches!(full, WatchError::TooMany { limit: 1 }));
    watch(&granted, &watcher, "hidden").expect("the same place again");
    watcher.forget("hidden");
    watch(&granted, &watcher, "open.txt").expect("there is room again");
}
