//! Writes are atomic, edits exact, moves never replace by accident.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hobnob_machine::files::{FileRefusal, FolderMade, content_hash};
use hobnob_policy::{
    EditMatches, EditRun, HardLinks, MissingParents, MoveMode, TextEdit, WriteMode,
};

use crate::granted::{Granted, open, relative, rounds};
use crate::permitted::{edit, make_folder, rename, write};

fn names(granted: &Granted) -> Vec<String> {
    let entries = fs::read_dir(&granted.inside).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

#[test]
fn writes_replace_whole_files() {
    let granted = Granted::new();
    let path = relative("open.txt");
    let file = granted.inside.join("open.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
    let written = write(&granted.root, &path, b"new", WriteMode::Replace).expect("written");
    assert_eq!((written.size, written.created), (3, false));
    assert_eq!(written.hash, content_hash(b"new"));
    assert_eq!(fs::metadata(&file).expect("metadata").permissions().mode() & 0o777, 0o640);
    let created =
        write(&granted.root, &relative("other"), b"", WriteMode::New).expect("a new file");
    assert!(created.created);
    let exists = write(&granted.root, &path, b"x", WriteMode::New).expect_err("it exists");
    assert!(matches!(exists.refusal(), FileRefusal::Exists));
    let old = content_hash(b"old");
    let changed = write(&granted.root, &path, b"x", WriteMode::IfHash(old)).expect_err("changed");
    assert!(matches!(changed.refusal(), FileRefusal::Changed));
    write(&granted.root, &path, b"x", WriteMode::IfHash(written.hash)).expect("the same");
    write(&granted.root, &relative("none"), b"x", WriteMode::IfHash(old)).expect_err("missing");
    write(&granted.root, &relative("no/folder"), b"x", WriteMode::New).expect_err("no folder");
    write(&granted.root, &relative("."), b"x", WriteMode::Replace).expect_err("a folder");
    assert_eq!(granted.text("open.txt").expect("text"), "x");
    assert_eq!(names(&granted), ["hidden", "open.txt", "other"], "nothing is left behind");
}

#[test]
fn hard_links_elsewhere_keep_their_text() {
    let granted = Granted::new();
    let outside = granted.above.join("outside/linked");
    fs::hard_link(granted.inside.join("open.txt"), &outside).expect("a second name");
    write(&granted.root, &relative("open.txt"), b"new", WriteMode::Replace).expect("written");
    assert_eq!(fs::read_to_string(outside).expect("text"), "anybody may read this\n");
    assert_eq!(granted.text("open.txt").expect("it has one name now"), "new");
}

#[test]
fn a_reader_sees_old_or_new() {
    let granted = Granted::new();
    let bodies = ["a".repeat(100_000), "b".repeat(50_000)];
    write(&granted.root, &relative("file"), bodies[0].as_bytes(), WriteMode::New).expect("written");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let text = fs::read_to_string(granted.inside.join("file")).expect("always there");
                assert!(bodies.contains(&text), "{} bytes", text.len());
            }
        });
        for round in 0..rounds(200, 5_000) {
            let body = bodies[round % 2].as_bytes();
            write(&granted.root, &relative("file"), body, WriteMode::Replace).expect("written");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Makes a child process of this test the writer, and names its folder.
const WRITER: &str = "HOBNOB_MACHINE_TEST_WRITER";

fn write_for_ever(folder: &Path) {
    let root = open(folder, HardLinks::Refused, Vec::new()).expect("a root");
    for letter in ["a", "b"].into_iter().cycle() {
        let body = letter.repeat(300_000);
        write(&root, &relative("file"), body.as_bytes(), WriteMode::Replace).expect("written");
    }
}

#[test]
fn killed_writers_leave_whole_files() {
    if let Some(folder) = std::env::var_os(WRITER) {
        write_for_ever(Path::new(&folder));
    }
    let granted = Granted::new();
    for round in 0..rounds(10, 100) {
        let mut writer = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "writing::killed_writers_leave_whole_files"])
            .env(WRITER, &granted.inside)
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        let file = granted.inside.join("file");
        while !file.exists() {
            thread::yield_now();
        }
        for _ in 0..fastrand::usize(..200) {
            thread::yield_now();
        }
        writer.kill().expect("killed");
        writer.wait().expect("ended");
        let text = fs::read_to_string(&file).expect("it is there");
        let whole = ["a", "b"].iter().any(|letter| text == letter.repeat(300_000));
        assert!(whole, "round {round}: {} bytes", text.len());
        fs::remove_file(&file).expect("removed");
    }
}

#[test]
fn only_one_of_many_makes_a_new_file() {
    let granted = Granted::new();
    for round in 0..50 {
        let path = relative(&format!("new{round}"));
        let make = || write(&granted.root, &path, b"x", WriteMode::New).is_ok();
        let made = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|it| it.join().expect("no panic")).collect::<Vec<_>>()
        });
        assert_eq!(made.iter().filter(|made| **made).count(), 1);
    }
}

#[test]
fn two_edits_at_once_both_stay() {
    let granted = Granted::new();
    let text: String = (0..40).map(|number| format!("<{number:02}>\n")).collect();
    write(&granted.root, &relative("file"), text.as_bytes(), WriteMode::New).expect("written");
    let change = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            let (old, new) = (format!("<{number:02}>"), format!("[{number:02}]"));
            let one = TextEdit { old, new, matches: EditMatches::Once };
            edit(&granted.root, &relative("file"), &[one], EditRun::Write).expect("edited");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| change(0..20));
        scope.spawn(|| change(20..40));
    });
    let expected: String = (0..40).map(|number| format!("[{number:02}]\n")).collect();
    assert_eq!(granted.text("file").expect("text"), expected);
}

#[test]
fn edits_show_what_they_change() {
    let granted = Granted::new();
    let path = relative("file");
    write(&granted.root, &path, b"one\ntwo\nthree\n", WriteMode::New).expect("written");
    let edits = [TextEdit { old: "two".into(), new: "2".into(), matches: EditMatches::Once }];
    let preview = edit(&granted.root, &path, &edits, EditRun::Preview).expect("a preview");
    assert_eq!(preview.diff, "--- file\n+++ file\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_eq!(granted.text("file").expect("text"), "one\ntwo\nthree\n");
    let written = edit(&granted.root, &path, &edits, EditRun::Write).expect("edited");
    assert_eq!((&written, written.replaced), (&preview, 1));
    assert_eq!(written.hash, content_hash(granted.text("file").expect("text").as_bytes()));
    edit(&granted.root, &path, &edits, EditRun::Write).expect_err("it is not there any more");
    fs::write(granted.inside.join("file"), b"\xff two").expect("a file");
    let binary = edit(&granted.root, &path, &edits, EditRun::Write).expect_err("not text");
    assert!(matches!(binary.refusal(), FileRefusal::NotText));
}

#[test]
fn moves_keep_what_is_there() {
    let granted = Granted::new();
    let go = |from: &str, to: &str, mode| {
        rename(&granted.root, &relative(from), &relative(to), mode)
            .map_err(|error| error.to_string())
    };
    let make = |name: &str| {
        make_folder(&granted.root, &relative(name), MissingParents::Make).expect("a folder")
    };
    assert_eq!(make("a/b/c"), FolderMade::New);
    assert_eq!(make("a/b/c"), FolderMade::Existing);
    make_folder(&granted.root, &relative("x/y"), MissingParents::Refuse).expect_err("no x");
    fs::write(granted.inside.join("taken"), "taken").expect("a file");
    assert_eq!(go("open.txt", "taken", MoveMode::New), Err("`taken` exists already".into()));
    assert_eq!(go("open.txt", "a/b/c/moved", MoveMode::New), Ok(()));
    assert_eq!(go("a/b/c/moved", "taken", MoveMode::ReplaceFile), Ok(()));
    assert_eq!(granted.text("taken").expect("text"), "anybody may read this\n");
    assert_eq!(go("taken", "a", MoveMode::ReplaceFile), Err("`a` exists already".into()));
    assert_eq!(go("a", "a/b/inside", MoveMode::New).map_err(drop), Err(()));
    assert_eq!(go("none", "b", MoveMode::New), Err("`none` does not exist".into()));
    let itself = go(".", "b", MoveMode::New).expect_err("the granted folder");
    assert!(itself.contains("a granted folder or a whole hive is never changed"), "{itself}");
    assert_eq!(go("taken", "hidden", MoveMode::ReplaceFile).map_err(drop), Err(()));
    // A link is moved, not its target.
    symlink("../outside/secret.txt", granted.inside.join("link")).expect("link");
    assert_eq!(go("link", "a/link", MoveMode::New), Ok(()));
    assert!(granted.inside.join("a/link").is_symlink());
    assert_eq!(go("taken", "a/link", MoveMode::ReplaceFile), Ok(()));
    assert_eq!(fs::metadata(granted.above.join("outside/secret.txt")).expect("kept").nlink(), 1);
    assert_eq!(granted.text("a/link").expect("a file"), "anybody may read this\n");
}
