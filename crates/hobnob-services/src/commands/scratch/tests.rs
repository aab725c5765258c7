//! A folder belongs to one command at a time, and is empty when the next one gets it.

use super::ScratchFolders;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

#[test]
fn folders_are_used_again_and_empty() {
    let above = tempfile::tempdir().unwrap();
    let folders = ScratchFolders::new(above.path().join("scratch"));
    let ((first, _), (second, _)) = (folders.take().unwrap(), folders.take().unwrap());
    assert_ne!(first.path(), second.path());
    let path = first.path().to_owned();
    let inode = fs::metadata(&path).unwrap().ino();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    fs::create_dir_all(path.join("a/b")).unwrap();
    fs::write(path.join("a/b/file"), "left").unwrap();
    fs::write(above.path().join("outside"), "stays").unwrap();
    symlink(above.path(), path.join("link")).unwrap();
    first.give_back();
    let (again, _) = folders.take().unwrap();
    assert_eq!((again.path(), fs::metadata(&path).unwrap().ino()), (&*path, inode));
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    assert!(above.path().join("outside").exists(), "links are not followed");
    drop((again, second, folders));
    assert_eq!(fs::read_dir(above.path().join("scratch")).unwrap().count(), 0);
}

/// A command without a sandbox can make such a link; the linked folder must not be emptied.
#[test]
fn a_link_in_place_of_a_folder_is_not_followed() {
    let above = tempfile::tempdir().unwrap();
    let folders = ScratchFolders::new(above.path().join("scratch"));
    let (first, _) = folders.take().unwrap();
    let path = first.path().to_owned();
    let precious = above.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "stays").unwrap();
    fs::remove_dir(&path).unwrap();
    symlink(&precious, &path).unwrap();
    first.give_back();
    let (second, _) = folders.take().unwrap();
    assert_ne!(second.path(), path);
    assert!(precious.join("file").exists());
}

#[test]
fn a_folder_of_a_killed_command_rests() {
    let above = tempfile::tempdir().unwrap();
    let folders = ScratchFolders::new(above.path().join("scratch"));
    let (first, _) = folders.take().unwrap();
    let path = first.path().to_owned();
    drop(first);
    assert_ne!(folders.take().unwrap().0.path(), path);
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let above = tempfile::tempdir().unwrap();
    let shared = above.path().join("scratch");
    // Process 1 always exists, and no process has the largest number.
    for owner in ["1", "4294967295", "notes"] {
        fs::create_dir_all(shared.join(owner).join("scratch-0")).unwrap();
    }
    let folders = ScratchFolders::new(shared.clone());
    let _folder = folders.take().unwrap();
    let left = ["1", "4294967295", "notes"].map(|owner| shared.join(owner).exists());
    assert_eq!(left, [true, false, true]);
}
