//! The file of grants: stored, changed by two processes, ignored if broken, then set aside.

use std::path::Path;
use std::process::Command;
use std::{env, fs, thread};

use hobnob_config::{
    AgentGrantEntry, BrokenGrants, CommandGrantEntry, FileGrantEntry, GrantChangeError,
    GrantEntries, GrantedFolderEntry, GrantedLogEntry, GrantsFile, KeyGrantEntry, LogGrantEntry,
    MemoryRoleEntry,
};

use crate::support::{Scratch, listing};

/// Names the file that a child process of this test program changes.
const FILE_OF_CHILD: &str = "HOBNOB_TEST_GRANTS_FILE";

fn folder(path: &str) -> GrantedFolderEntry {
    GrantedFolderEntry {
        path: path.into(),
        access: "read".into(),
        identity: "7 born 1.000000002".into(),
        hard_links: false,
    }
}

fn file_grant(path: &str) -> FileGrantEntry {
    FileGrantEntry { folder: folder(path), principal: None }
}

fn everything() -> GrantEntries {
    GrantEntries {
        services: [("files".to_owned(), "read-only".to_owned())].into(),
        files: vec![FileGrantEntry { principal: Some("bob".into()), ..file_grant("/ä b") }],
        shell: vec![CommandGrantEntry {
            name: "ls".into(),
            program: "/bin/ls".into(),
            arguments: Some(vec!["...".into()]),
            folders: vec![GrantedFolderEntry {
                identity: "7 on 1:2".into(),
                hard_links: true,
                ..folder("/x")
            }],
            environment: vec!["LANG".into()],
            sandbox: "on".into(),
            network: false,
            as_root: false,
            principal: None,
        }],
        logs: vec![
            LogGrantEntry { log: GrantedLogEntry::Name("System".into()), principal: None },
            LogGrantEntry { log: GrantedLogEntry::Folder(folder("/var/log")), principal: None },
        ],
        registry: vec![KeyGrantEntry {
            key: r"HKCU\Software".into(),
            access: "write".into(),
            view: Some("64".into()),
            principal: None,
        }],
        agents: vec![AgentGrantEntry {
            agent: "claude".into(),
            program: "/usr/bin/claude".into(),
            folders: vec![folder("/x")],
            principal: Some("ann".into()),
        }],
        memory: vec![MemoryRoleEntry { role: "reader".into(), principal: "bob".into() }],
    }
}

#[test]
fn grants_are_kept_as_they_were_given() {
    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.places().grants());
    assert_eq!(file.load().unwrap(), GrantEntries::default());
    assert!(!file.path().exists());
    let changed = file.change(|entries| *entries = everything()).unwrap();
    assert_eq!((changed.before, changed.set_aside), (GrantEntries::default(), None));
    assert_eq!(changed.after, everything());
    assert_eq!(file.load().unwrap(), everything());
    let changed = file.change(|entries| entries.files.clear()).unwrap();
    assert_eq!(changed.before, everything());
    assert!(file.load().unwrap().files.is_empty());
    assert_eq!(listing(&scratch.path("state")), ["grants.json", "grants.lock"]);
}

#[cfg(unix)]
#[test]
fn the_file_is_private_and_a_shared_one_grants_nothing() {
    use std::os::unix::fs::PermissionsExt;

    use crate::support::mode;

    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.path("state/grants.json"));
    file.change(|entries| *entries = everything()).unwrap();
    assert_eq!((mode(file.path()), mode(&scratch.path("state"))), (0o600, 0o700));
    for shared in [0o620, 0o602, 0o666] {
        fs::set_permissions(file.path(), fs::Permissions::from_mode(shared)).unwrap();
        assert!(matches!(file.load(), Err(BrokenGrants::Damaged(_))), "{shared:o}");
    }
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(file.load().unwrap(), everything());
}

#[test]
fn what_does_not_change_is_not_written() {
    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.path("grants.json"));
    file.change(|_| {}).unwrap();
    assert!(!file.path().exists());
    file.change(|entries| *entries = everything()).unwrap();
    let before = fs::metadata(file.path()).unwrap().modified().unwrap();
    file.change(|entries| entries.files.retain(|_| true)).unwrap();
    assert_eq!(fs::metadata(file.path()).unwrap().modified().unwrap(), before);
}

#[test]
fn a_broken_file_grants_nothing_and_is_set_aside_by_the_next_grant() {
    for text in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"version": 1}"#,
        r#"{"version": 0, "grants": {}}"#,
        r#"{"version": "1", "grants": {}}"#,
        r#"{"version": 1.5, "grants": {}}"#,
        r#"{"version": 1, "grants": []}"#,
        r#"{"version": 1, "grants": {}, "more": 1}"#,
        r#"{"version": 1, "grants": {"disk": []}}"#,
        r#"{"version": 1, "grants": {"files": [{}]}}"#,
        r#"{"version": 1, "grants": {"registry": [{"key": "k", "access": "read", "x": 1}]}}"#,
        r#"{"version": 1, "grants": {"logs": [{"log": {"name": "a", "folder": "b"}}]}}"#,
        r#"{"version": 1, "grants": {"logs": [{"log": {"other": "a"}}]}}"#,
        r#"{"version": 1, "grants": {"services": {"files": "a", "files": "b"}}}"#,
        r#"{"version": 1, "version": 1, "grants": {}}"#,
        r#"{"version": 1, "grants": {}} trailing"#,
    ] {
        let scratch = Scratch::new();
        let file = GrantsFile::new(&scratch.write("state/grants.json", text));
        let broken = file.load().unwrap_err();
        assert!(matches!(broken, BrokenGrants::Damaged(_)), "{text}: {broken}");
        assert!(broken.to_string().contains("nothing is granted"), "{broken}");
        // Reading it again changes nothing.
        assert!(file.load().is_err());
        assert_eq!(scratch.read("state/grants.json"), text);
        let changed = file.change(|entries| entries.files.push(file_grant("/a"))).unwrap();
        let aside = changed.set_aside.unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), text);
        let name = aside.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("grants.json.broken-2"), "{name}");
        assert_eq!(changed.before, GrantEntries::default());
        assert_eq!(file.load().unwrap().files, [file_grant("/a")]);
    }
}

#[test]
fn files_that_are_set_aside_do_not_replace_each_other() {
    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.path("grants.json"));
    let mut asides = Vec::new();
    for text in ["first", "second", "third"] {
        scratch.write("grants.json", text);
        // Even a change that changes nothing sets the file aside.
        asides.push((file.change(|_| {}).unwrap().set_aside.unwrap(), text));
        assert_eq!(file.load().unwrap(), GrantEntries::default());
    }
    for (aside, text) in asides {
        assert_eq!(fs::read_to_string(aside).unwrap(), text);
    }
}

#[test]
fn a_newer_file_is_left_as_it_is() {
    let scratch = Scratch::new();
    let text = r#"{"version": 2, "rules": {"unknown": true}}"#;
    let file = GrantsFile::new(&scratch.write("grants.json", text));
    let broken = file.load().unwrap_err();
    assert!(matches!(broken, BrokenGrants::Newer(_)), "{broken}");
    assert!(broken.to_string().contains("version 2"), "{broken}");
    let refused = file.change(|entries| *entries = everything());
    assert!(matches!(refused, Err(GrantChangeError::Broken(BrokenGrants::Newer(_)))));
    assert_eq!(scratch.read("grants.json"), text);
}

#[test]
fn an_unreadable_file_is_left_as_it_is() {
    let scratch = Scratch::new();
    // A name that the system refuses stands for any error that may pass by itself.
    let file = GrantsFile::new(&scratch.path(&"x".repeat(300)));
    assert!(matches!(file.load(), Err(BrokenGrants::Unreadable(_))));
    assert!(file.change(|entries| *entries = everything()).is_err());
    // A folder in its place is damage, and is set aside as a whole.
    let file = GrantsFile::new(&scratch.path("grants.json"));
    fs::create_dir(file.path()).unwrap();
    assert!(matches!(file.load(), Err(BrokenGrants::Damaged(_))));
    assert!(file.change(|entries| *entries = everything()).unwrap().set_aside.unwrap().is_dir());
    assert_eq!(file.load().unwrap(), everything());
}

#[test]
fn a_file_that_is_too_large_is_neither_read_nor_written() {
    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.path("grants.json"));
    file.change(|entries| *entries = everything()).unwrap();
    let huge = "x".repeat(5 * 1024 * 1024);
    let refused = file.change(|entries| entries.files.push(file_grant(&huge)));
    assert!(matches!(refused, Err(GrantChangeError::Io(..))));
    assert_eq!(file.load().unwrap(), everything());
    scratch.write("grants.json", &" ".repeat(5_000_000));
    assert!(matches!(file.load(), Err(BrokenGrants::Damaged(_))));
}

#[test]
fn a_process_that_died_while_writing_changes_nothing() {
    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.path("state/grants.json"));
    file.change(|entries| *entries = everything()).unwrap();
    // The leftovers of a process that was killed between writing and renaming: half a text, and a
    // lock file that no process holds.
    let own = format!(".grants.json.{}-0.tmp", std::process::id());
    for leftover in [own.as_str(), ".grants.json.1-0.tmp"] {
        scratch.write(&format!("state/{leftover}"), r#"{"version": 1, "grants": {"fil"#);
    }
    assert_eq!(file.load().unwrap(), everything());
    let changed = file.change(|entries| entries.files.push(file_grant("/a"))).unwrap();
    assert_eq!((changed.set_aside, changed.after.files.len()), (None, 2));
    assert_eq!(file.load().unwrap(), changed.after);
}

/// Adds rows one by one, each with a command of its own.
fn grant_often(file: &Path, name: &str) {
    let file = GrantsFile::new(file);
    for round in 0..5 {
        let row = file_grant(&format!("/{name}-{round}"));
        file.change(|entries| entries.files.push(row)).unwrap();
    }
}

/// The other process of the next test; by itself it does nothing.
#[test]
fn child_that_grants() {
    if let Some(file) = env::var_os(FILE_OF_CHILD) {
        grant_often(Path::new(&file), &std::process::id().to_string());
    }
}

#[test]
fn two_processes_grant_at_once() {
    let scratch = Scratch::new();
    let file = GrantsFile::new(&scratch.path("state/grants.json"));
    let child = || {
        let mut program = Command::new(env::current_exe().unwrap());
        program.args(["--exact", "grants::child_that_grants"]);
        program.env(FILE_OF_CHILD, file.path()).spawn().unwrap()
    };
    let mut children = [child(), child()];
    thread::scope(|scope| {
        for writer in ["a", "b"] {
            let file = &file;
            scope.spawn(move || grant_often(file.path(), writer));
        }
        // A reader sees the old file or the new one, never a mix.
        let seen: Vec<usize> = (0..50).map(|_| file.load().unwrap().files.len()).collect();
        assert!(seen.is_sorted(), "{seen:?}");
    });
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let mut paths: Vec<_> =
        file.load().unwrap().files.into_iter().map(|it| it.folder.path).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 20, "{paths:?}");
}
