//! Deleted files go to the trash, which no caller sees and which does not grow for ever.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use hobnob_machine::files::{Deleted, FileRefusal, TrashLimits};
use hobnob_policy::{Deletion, HardLinks};

use crate::granted::{Granted, open, relative};
use crate::permitted::{Refused, clean_trash, delete, list, stat};

fn listed(granted: &Granted) -> Vec<String> {
    let page = list(&granted.root, &relative("."), None, 100).expect("a page");
    page.entries.into_iter().map(|entry| entry.name).collect()
}

#[test]
fn the_trash_keeps_what_was_deleted() {
    let granted = Granted::new();
    fs::create_dir_all(granted.inside.join("folder/deep")).expect("folders");
    fs::write(granted.inside.join("folder/deep/file"), "kept").expect("a file");
    for (name, inner) in [("folder", "/deep/file"), ("open.txt", "")] {
        let deleted = delete(&granted.root, &relative(name), Deletion::Trash).expect("deleted");
        let Deleted::Trashed(place) = deleted else { panic!("{deleted:?}") };
        assert!(granted.inside.join(format!("{place}{inner}")).exists(), "{place}");
        stat(&granted.root, &relative(&place)).expect_err("no caller sees it");
    }
    assert_eq!(listed(&granted), Vec::<String>::new());
    // A root that is opened later hides the trash too.
    let again = open(&granted.inside, HardLinks::Refused, Vec::new()).expect("a root");
    stat(&again, &relative(".hobnob-trash")).expect_err("hidden");
    let missing = delete(&granted.root, &relative("open.txt"), Deletion::Trash);
    assert!(matches!(missing.expect_err("gone").refusal(), FileRefusal::Missing));
}

#[test]
fn deleting_for_ever_follows_no_link() {
    let granted = Granted::new();
    fs::create_dir_all(granted.inside.join("folder/deep")).expect("folders");
    symlink("../../outside", granted.inside.join("folder/link")).expect("link");
    symlink("../outside", granted.inside.join("top")).expect("link");
    for name in ["folder", "top", "open.txt"] {
        let deleted = delete(&granted.root, &relative(name), Deletion::Forever);
        assert_eq!(deleted.expect("deleted"), Deleted::Removed);
    }
    assert!(granted.above.join("outside/secret.txt").exists());
    assert_eq!(listed(&granted), Vec::<String>::new());
}

#[test]
fn our_own_folders_are_not_taken_along() {
    let hidden = |above: &std::path::Path| vec![above.join("granted/data/share/hobnob")];
    let granted = Granted::with(HardLinks::Refused, hidden);
    let own = granted.inside.join("data/share/hobnob");
    fs::create_dir_all(&own).expect("folders");
    for deletion in [Deletion::Trash, Deletion::Forever] {
        for name in ["data", "data/share", "data/share/hobnob"] {
            delete(&granted.root, &relative(name), deletion).expect_err("it contains ours");
        }
    }
    let root = delete(&granted.root, &relative("."), Deletion::Forever).expect_err("the root");
    assert!(matches!(root, Refused::NotGranted(_)), "{root}");
    assert!(own.exists());
}

#[test]
fn old_and_large_deletions_are_removed() {
    let granted = Granted::new();
    let place = |seconds: u64, size: usize| {
        let folder = granted.inside.join(format!(".hobnob-trash/{seconds}-{size:016x}"));
        fs::create_dir_all(folder.join("deep")).expect("folders");
        fs::write(folder.join("deep/file"), vec![b'x'; size]).expect("a file");
        folder
    };
    let (old, large, newest) = (place(1_000, 1), place(2_000, 900), place(3_000, 200));
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(3_100);
    let limits = TrashLimits { age: Duration::from_secs(2_000), bytes: 10_000 };
    assert_eq!(clean_trash(&granted.root, limits, now), 1);
    assert!(!old.exists() && large.exists() && newest.exists());
    let limits = TrashLimits { bytes: 1_000, ..limits };
    assert_eq!(clean_trash(&granted.root, limits, now), 1);
    assert!(!large.exists() && newest.exists());
}
