//! Working folders of commands: opened in a granted folder, and refused if they were replaced or
//! would show Hobnob's own files.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hobnob_machine::files::{CommandFolders, HiddenFolders, OpenedFolder, RootIdentity};
use hobnob_policy::{
    CallerPlace, CommandGrantSource, CommandText, CommandWish, FolderSource, GrantSet,
    GrantSources, GrantSubject, HardLinks,
};

const LOCAL: GrantSubject<'static> = GrantSubject { principal: None, place: CallerPlace::Local };

fn folder(path: &Path) -> FolderSource {
    FolderSource {
        path: path.to_owned(),
        access: "read".into(),
        identity: RootIdentity::of_path(path).expect("an identity").to_string(),
        hard_links: HardLinks::Refused,
    }
}

fn grants(folders: Vec<FolderSource>, sandbox: &str) -> GrantSet {
    let command = CommandGrantSource {
        name: "ls".into(),
        program: "/bin/ls".into(),
        arguments: Some(Vec::new()),
        folders,
        environment: Vec::new(),
        sandbox: sandbox.into(),
        network: false,
        as_root: false,
        principal: None,
    };
    let sources = GrantSources {
        services: vec![("shell".into(), "read-write".into())],
        commands: vec![command],
        ..GrantSources::default()
    };
    GrantSet::parse(&sources).expect("grants")
}

/// The inode of the folder that a command starts in, or why it cannot start.
fn open(
    grants: &GrantSet,
    hidden: &[PathBuf],
    place: Option<&Path>,
) -> Result<Option<u64>, String> {
    let wish = CommandWish {
        command: CommandText::Words(vec!["ls".into()]),
        folder: place.map(|path| path.to_str().expect("text").to_owned()),
        environment: Vec::new(),
        input: Vec::new(),
        timeout: Duration::from_secs(1),
    };
    let permit = grants.permit_command(LOCAL, wish).map_err(|denied| denied.to_string())?;
    let folders = CommandFolders::new(HiddenFolders::new(hidden.to_vec()));
    match folders.open(&permit).map_err(|error| error.to_string())?.start {
        OpenedFolder::Scratch => Ok(None),
        OpenedFolder::Granted(folder) => {
            Ok(Some(fs::File::from(folder).metadata().expect("facts").ino()))
        }
    }
}

fn inode(path: &Path) -> Option<u64> {
    Some(fs::metadata(path).expect("facts").ino())
}

/// `granted/inner`, links in and out of it, and `outside`.
fn places() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let above = folder.path().canonicalize().expect("it exists");
    let granted = above.join("granted");
    for name in ["granted", "granted/inner", "outside"] {
        fs::create_dir(above.join(name)).expect("a folder");
    }
    fs::write(granted.join("file"), "text").expect("a file");
    symlink("inner", granted.join("in")).expect("a link");
    symlink(above.join("outside"), granted.join("out")).expect("a link");
    (folder, granted)
}

#[test]
fn a_command_starts_beneath_what_was_granted() {
    let (_folder, granted) = places();
    let inner = granted.join("inner");
    for sandbox in ["on", "required", "off"] {
        let set = grants(vec![folder(&granted)], sandbox);
        assert_eq!(open(&set, &[], None), Ok(inode(&granted)));
        assert_eq!(open(&set, &[], Some(&inner)), Ok(inode(&inner)));
        assert_eq!(open(&set, &[], Some(&granted.join("in"))), Ok(inode(&inner)));
        for (name, reason) in
            [("out", "leads out"), ("file", "is not a folder"), ("missing", "does not exist")]
        {
            let refused = open(&set, &[], Some(&granted.join(name))).unwrap_err();
            assert!(refused.contains(reason), "{name}: {refused}");
        }
    }
    assert_eq!(open(&grants(Vec::new(), "on"), &[], None), Ok(None));
}

#[test]
fn a_folder_that_took_the_place_of_the_granted_one_is_refused() {
    let (_folder, granted) = places();
    for sandbox in ["on", "off"] {
        let set = grants(vec![folder(&granted)], sandbox);
        fs::rename(&granted, granted.with_file_name("before")).expect("moved");
        fs::create_dir(&granted).expect("another folder");
        let refused = open(&set, &[], None).unwrap_err();
        assert!(refused.contains("was replaced"), "{refused}");
        fs::remove_dir(&granted).expect("removed");
        fs::rename(granted.with_file_name("before"), &granted).expect("moved back");
    }
}

#[test]
fn hobnobs_own_folders_are_in_no_sandbox() {
    let (_folder, granted) = places();
    let inner = [granted.join("inner")];
    let confined = grants(vec![folder(&granted)], "on");
    let refused = open(&confined, &inner, None).unwrap_err();
    assert!(refused.contains("files of Hobnob"), "{refused}");
    // A command without a sandbox sees everything anyway, so its folders are not checked.
    let free = grants(vec![folder(&granted)], "off");
    assert_eq!(open(&free, &inner, None), Ok(inode(&granted)));
    let refused = open(&free, &inner, Some(&inner[0])).unwrap_err();
    assert!(refused.contains("does not exist"), "{refused}");
}
