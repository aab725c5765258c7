//! Grants of folders: which paths they cover, for whom, and what the refusals say.

use proptest::prelude::*;

use super::support::{LOCAL, REMOTE, enabled, file_grant, folder, principal, with_access};
use crate::{
    ContentHash, Deletion, EditRun, FileGrantSource, FileOperation, FileWish, GrantSet,
    GrantSources, GrantSubject, MissingParents, MoveMode, NotGranted, NotGrantedReason, RootAccess,
    WriteMode,
};

fn sources() -> GrantSources {
    GrantSources {
        files: vec![
            file_grant("/home/a", "read"),
            file_grant("/home/a/p", "write"),
            file_grant("/srv/p", "read"),
            FileGrantSource { folder: folder("/team", "write"), principal: Some("bob".into()) },
        ],
        ..GrantSources::default()
    }
}

fn list() -> FileOperation<String> {
    FileOperation::List { after: None, limit: 10 }
}

fn write() -> FileOperation<String> {
    FileOperation::Write { bytes: b"secret".to_vec(), mode: WriteMode::New }
}

fn ask(
    set: &GrantSet,
    who: GrantSubject<'_>,
    path: &str,
    operation: FileOperation<String>,
) -> Result<(String, String), NotGranted> {
    let permit = set.permit_file(who, FileWish { path: path.into(), operation })?;
    let path = permit.request().path();
    Ok((path.root().path().display().to_string(), path.below().to_string()))
}

#[test]
fn a_path_is_found_beneath_the_deepest_folder_that_is_enough() {
    let set = enabled(sources());
    for (path, operation, root, below) in [
        ("/home/a/x", FileOperation::Stat, "/home/a", "x"),
        ("/home/a", list(), "/home/a", "."),
        ("/home/a/p/x", FileOperation::Stat, "/home/a/p", "x"),
        ("/home/a/p/x", write(), "/home/a/p", "x"),
        ("//home/./a//p/../x", FileOperation::Stat, "/home/a", "x"),
        ("/etc/../home/a/x", FileOperation::Stat, "/home/a", "x"),
        ("a/x/y", FileOperation::Stat, "/home/a", "x/y"),
        ("a", list(), "/home/a", "."),
        ("file:///home/a/x%20y", FileOperation::Stat, "/home/a", "x y"),
        ("FILE://localhost/home/a/x", FileOperation::Stat, "/home/a", "x"),
        ("file:/home/a/%2e%2e/a/x", FileOperation::Stat, "/home/a", "x"),
        ("/home/a/%2e%2e/x", FileOperation::Stat, "/home/a", "%2e%2e/x"),
    ] {
        let found = ask(&set, LOCAL, path, operation).unwrap();
        assert_eq!(found, (root.into(), below.into()), "{path}");
    }
}

#[test]
fn paths_outside_of_all_folders_are_refused() {
    let set = enabled(sources());
    for path in [
        "/etc/passwd",
        "/",
        "/home",
        "/home/ab",
        "/home/a.txt",
        "/HOME/A/x",
        "/home/a/../b",
        "/home/a/p/../../b/x",
        "b/x",
        "file:///etc/passwd",
        "file:///home/a/%2e%2e/b",
        "file:///home/a%2f..%2f..%2fetc",
        "/team/x",
    ] {
        let denied = ask(&set, LOCAL, path, FileOperation::Stat).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::NotCovered, "{path}");
        assert_eq!(denied.input(), path);
        assert_eq!(denied.commands().len(), 1, "{denied}");
    }
}

#[test]
fn texts_that_are_no_path_are_refused() {
    let set = enabled(sources());
    for path in [
        "",
        ".",
        "..",
        "../etc",
        "a/../../etc",
        "a/../p/x",
        "/..",
        "/home/a/x\0y",
        "file:///home/a/x%00y",
        "file://elsewhere/home/a/x",
        "file:home/a",
        "file:///home/a?x",
        "file:///home/a#x",
    ] {
        let denied = ask(&set, LOCAL, path, FileOperation::Stat).unwrap_err();
        assert!(matches!(denied.reason(), NotGrantedReason::BadInput(_)), "{path}: {denied}");
        assert!(denied.commands().is_empty());
    }
}

#[test]
fn a_name_of_two_folders_means_neither() {
    let set = enabled(sources());
    for operation in [FileOperation::Stat, write()] {
        // Only one of the folders may be written, but the name does not say which one is meant.
        let denied = ask(&set, LOCAL, "p/x", operation).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::Ambiguous);
    }
}

#[test]
fn writing_needs_a_grant_to_write() {
    let set = enabled(sources());
    let to = |to: &str| FileOperation::Move { to: to.into(), mode: MoveMode::New };
    for operation in [
        write(),
        FileOperation::MakeFolder(MissingParents::Make),
        FileOperation::Delete(Deletion::Trash),
        to("/home/a/p/y"),
        FileOperation::Edit { edits: Vec::new(), run: EditRun::Write },
    ] {
        assert_eq!(operation.needed_access(), RootAccess::Write);
        assert!(ask(&set, LOCAL, "/home/a/p/x", operation.clone()).is_ok());
        let denied = ask(&set, LOCAL, "/home/a/x", operation.clone()).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::ReadingOnly, "{operation:?}");
        assert_eq!(denied.commands(), ["hobnob grant files /home/a --write"]);
        let itself = ask(&set, LOCAL, "/home/a/p", operation).unwrap_err();
        assert_eq!(*itself.reason(), NotGrantedReason::GrantedItself);
    }
    // Both ends of a move are written.
    for (end, input) in [("/home/a/y", "/home/a/y"), ("/etc/y", "/etc/y")] {
        assert_eq!(ask(&set, LOCAL, "/home/a/p/x", to(end)).unwrap_err().input(), input);
    }
    assert!(ask(&set, LOCAL, "/home/a/p/x", to("/home/a/p")).is_err());
    let preview = FileOperation::Edit { edits: Vec::new(), run: EditRun::Preview };
    assert!(ask(&set, LOCAL, "/home/a/x", preview).is_ok());
}

#[test]
fn content_hashes_are_read_back() {
    let text = "0123456789abcdef".repeat(4);
    assert_eq!(text.parse::<ContentHash>().unwrap().to_string(), text);
    for bad in ["", "0", &text[1..], &text.replace('0', "g"), &"ä".repeat(32)] {
        assert!(bad.parse::<ContentHash>().is_err(), "{bad}");
    }
}

#[test]
fn a_service_that_is_off_or_may_only_read_says_so() {
    let (off, reading) = (with_access(sources(), "disabled"), with_access(sources(), "read-only"));
    let denied = ask(&off, LOCAL, "/home/a/p/x", FileOperation::Stat).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob enable files --read-only"]);
    let denied = ask(&off, LOCAL, "/etc/x", write()).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob enable files", "hobnob grant files /etc --write"]);
    assert_eq!(
        denied.to_string(),
        "`/etc/x`: the service `files` is disabled; to allow it, run `hobnob enable files` and \
         then `hobnob grant files /etc --write`"
    );
    assert!(ask(&reading, LOCAL, "/home/a/p/x", FileOperation::Stat).is_ok());
    let denied = ask(&reading, LOCAL, "/home/a/p/x", write()).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob enable files"]);
    assert!(off.file_roots(LOCAL).is_empty());
    assert_eq!(reading.file_roots(LOCAL).len(), 3);
}

#[test]
fn remote_callers_need_a_named_grant() {
    let set = enabled(sources());
    let denied = ask(&set, REMOTE, "/home/a/x", FileOperation::Stat).unwrap_err();
    assert_eq!(*denied.reason(), NotGrantedReason::RemoteCaller);
    assert!(denied.commands().is_empty());
    assert!(ask(&set, principal("bob"), "/team/x", write()).is_ok());
    for (who, path) in [("bob", "/home/a/x"), ("eve", "/team/x"), ("Bob", "/team/x"), ("", "/team")]
    {
        let denied = ask(&set, principal(who), path, list()).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::NotCovered, "{who}");
    }
    let denied = ask(&set, principal("eve"), "/team", list()).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob grant files /team --for eve"]);
    assert_eq!(set.file_roots(principal("bob")).len(), 1);
    assert!(set.file_roots(REMOTE).is_empty());
}

#[test]
fn refusals_name_only_what_was_typed() {
    let set = enabled(sources());
    for (path, line) in [
        ("/x y/z", "hobnob grant files '/x y'"),
        ("/it's/z", r"hobnob grant files '/it'\''s'"),
        ("/$(reboot)/z", "hobnob grant files '/$(reboot)'"),
        // A command is only offered if it would show the path as it is.
        ("/a\nb/z", "hobnob grant files FOLDER"),
        ("/a\u{202e}b/z", "hobnob grant files FOLDER"),
        ("q/z", "hobnob grant files FOLDER"),
    ] {
        let denied = ask(&set, LOCAL, path, FileOperation::Stat).unwrap_err();
        assert_eq!(denied.commands(), [line]);
        assert!(!denied.to_string().contains("/home"), "{denied}");
        assert!(!denied.to_string().contains(['\n', '\u{202e}']), "{denied:?}");
    }
    let long = format!("/{}", "x/".repeat(1000));
    let denied = ask(&set, LOCAL, &long, FileOperation::Stat).unwrap_err();
    assert!(denied.to_string().len() < 400, "{denied}");
}

#[test]
fn a_permit_carries_the_grant_and_hides_contents() {
    let set = enabled(sources());
    let wish = FileWish { path: "/home/a/p/x".into(), operation: write() };
    assert!(!format!("{wish:?}").contains("115"), "{wish:?}");
    let permit = set.permit_file(LOCAL, wish).unwrap();
    assert_eq!(permit.rule(), "files /home/a/p write");
    assert_eq!(permit.grant_audit().unwrap().rule(), Some("files /home/a/p write"));
    assert_eq!(permit.granted_by(), None);
    assert!(!format!("{permit:?}").contains("115"), "{permit:?}");
    let FileOperation::Write { bytes, .. } = permit.request().operation() else { panic!() };
    assert_eq!(bytes, b"secret");
}

proptest! {
    #[test]
    fn what_is_permitted_lies_beneath_a_folder(path in "/?(home|a|p|srv|etc|\\.\\.|\\.|%2e|/|b){0,9}") {
        let set = enabled(sources());
        if let Ok((root, below)) = ask(&set, LOCAL, &path, FileOperation::Stat) {
            prop_assert!(["/home/a", "/home/a/p", "/srv/p"].contains(&root.as_str()));
            prop_assert!(!below.split('/').any(|name| name == ".."));
            prop_assert!(!below.starts_with('/'));
        }
    }
}
