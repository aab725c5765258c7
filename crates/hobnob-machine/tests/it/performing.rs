//! Actions by permit: granted actions are done, and only in the folder that was granted.

use std::fs;
use std::path::Path;

use hobnob_machine::files::{
    FileBody, FileOutcome, GrantedFolders, HiddenFolders, RootIdentity, SearchControl,
};
use hobnob_policy::{
    CallerPlace, FileGrantSource, FileOperation, FileWish, FolderSource, GrantSet, GrantSources,
    GrantSubject, HardLinks, ReadWindow, WriteMode,
};

use crate::granted::Granted;

const LOCAL: GrantSubject<'static> = GrantSubject { principal: None, place: CallerPlace::Local };

fn grants(path: &Path, access: &str) -> GrantSet {
    let identity = RootIdentity::of_path(path).expect("an identity").to_string();
    let folder = FolderSource {
        path: path.to_owned(),
        access: access.into(),
        identity,
        hard_links: HardLinks::Refused,
    };
    let sources = GrantSources {
        services: vec![("files".into(), "read-write".into())],
        files: vec![FileGrantSource { folder, principal: None }],
        ..GrantSources::default()
    };
    GrantSet::parse(&sources).expect("grants")
}

fn act(
    grants: &GrantSet,
    folders: &GrantedFolders,
    path: &Path,
    operation: FileOperation<String>,
) -> Result<FileOutcome, String> {
    let wish = FileWish { path: path.to_str().expect("text").into(), operation };
    let permit = grants.permit_file(LOCAL, wish).map_err(|_| "not granted".to_owned())?;
    folders.perform(&permit, &SearchControl::default()).map_err(|error| error.to_string())
}

fn read() -> FileOperation<String> {
    FileOperation::Read { window: ReadWindow::Whole, limit: 100 }
}

fn write() -> FileOperation<String> {
    FileOperation::Write { bytes: b"new".to_vec(), mode: WriteMode::New }
}

#[test]
fn permits_are_carried_out() {
    let granted = Granted::new();
    let folders = GrantedFolders::new(HiddenFolders::new([granted.inside.join("hidden")]));
    let set = grants(&granted.inside, "write");
    let new = granted.inside.join("new.txt");
    let written = act(&set, &folders, &new, write()).expect("written");
    assert!(matches!(written, FileOutcome::Written(file) if file.created));
    let Ok(FileOutcome::Read(part)) = act(&set, &folders, &new, read()) else { panic!("unread") };
    assert_eq!(part.body, FileBody::Text("new".into()));
    let outside = granted.above.join("outside/secret.txt");
    act(&set, &folders, &outside, read()).expect_err("not granted");
    act(&set, &folders, &granted.inside.join("hidden/own.db"), read()).expect_err("hidden");
    let read_only = grants(&granted.inside, "read");
    act(&read_only, &folders, &new, read()).expect("granted");
    act(&read_only, &folders, &granted.inside.join("x"), write()).expect_err("only reading");
}

#[test]
fn a_folder_in_the_place_of_the_granted_one_is_refused() {
    let granted = Granted::new();
    let set = grants(&granted.inside, "read");
    let fresh = || GrantedFolders::new(HiddenFolders::new([]));
    // One has had the granted folder open before, the other has not.
    let used = fresh();
    let (open, away) = (granted.inside.join("open.txt"), granted.above.join("away"));
    act(&set, &used, &open, read()).expect("granted");
    fs::rename(&granted.inside, &away).expect("a rename");
    for folders in [&used, &fresh()] {
        act(&set, folders, &open, read()).expect_err("it has another name now");
    }
    fs::rename(granted.above.join("outside"), &granted.inside).expect("a rename");
    for folders in [&used, &fresh()] {
        let refused = act(&set, folders, &granted.inside.join("secret.txt"), read());
        assert!(refused.expect_err("another folder").contains("was replaced"));
    }
    fs::rename(&granted.inside, granted.above.join("outside")).expect("a rename");
    fs::rename(&away, &granted.inside).expect("a rename");
    act(&set, &used, &open, read()).expect("it is back");
}
