//! Files before and after a write, with their permissions and the other files in the folder.

use super::*;

/// The names in a folder.
fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_replaced_file_is_complete_and_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for bytes in [&b"one"[..], b"", b"three"] {
        replace_file(&file, bytes).unwrap();
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    assert_eq!(listing(folder.path()), ["file"]);
    replace_file(&folder.path().join("missing/file"), b"x").unwrap_err();
    replace_file(Path::new("/"), b"x").unwrap_err();
    // A bare name is in the current folder, which is flushed like any other.
    assert_eq!(folder_of(Path::new("file")), Path::new("."));
    // A folder is not replaced, and the attempt leaves no scratch file.
    fs::create_dir_all(folder.path().join("deep/folder")).unwrap();
    replace_file(&folder.path().join("deep"), b"x").unwrap_err();
    assert_eq!(listing(folder.path()).len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_is_replaced_or_followed_as_the_caller_says() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    symlink(&file, &link).unwrap();
    write_atomic(&link, b"followed", FileMode::Keep).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"followed");
    assert!(crate::is_open_to_others(&fs::metadata(&file).unwrap()));
    replace_file(&link, b"replaced").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_file());
    assert!(!crate::is_open_to_others(&fs::metadata(&link).unwrap()));
    assert_eq!(fs::read(&file).unwrap(), b"followed");
}
