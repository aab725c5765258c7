//! Two readings compared, broken files on reload, and fingerprints.

use hobnob_config::{Approvals, ChangeKind, Fingerprint, ServerChange, compare};
use hobnob_disk::{FileMode, write_atomic};

use crate::support::{Scratch, name, variables};

fn changed(server: &str, kind: ChangeKind) -> Vec<ServerChange> {
    vec![ServerChange::Changed { name: name(server), kind }]
}

#[test]
fn only_differences_are_mentioned() {
    let base = r#""a": {"command": "a", "timeout": 5}, "b": {"command": "b"}"#;
    let cases = [
        (base, vec![]),
        (r#""b": {"command": "b"}, "a": {"timeout": 5, "command": "a", "other": 1}"#, vec![]),
        (
            r#""a": {"command": "a", "timeout": 6}, "b": {"command": "b"}"#,
            changed("a", ChangeKind::Settings),
        ),
        (
            r#""a": {"command": "a", "timeout": 5}, "b": {"command": "b", "deniedTools": ["x"]}"#,
            changed("b", ChangeKind::Settings),
        ),
        (
            r#""a": {"command": "a", "timeout": 5}, "b": {"command": "b", "args": ["x"]}"#,
            changed("b", ChangeKind::Restart),
        ),
        (
            r#""a": {"command": "a", "timeout": 5}, "b": {"command": "b", "disabled": true}"#,
            changed("b", ChangeKind::Restart),
        ),
        (
            r#""a": {"command": "a", "timeout": 5}, "b": {"command": 2}"#,
            changed("b", ChangeKind::Restart),
        ),
        (
            r#""b": {"command": "b"}, "c": {"command": "c"}"#,
            vec![ServerChange::Removed(name("a")), ServerChange::Added(name("c"))],
        ),
    ];
    for (after, expected) in cases {
        let scratch = Scratch::new();
        scratch.write("home/.mcp.json", &format!(r#"{{"mcpServers": {{{base}}}}}"#));
        let old = scratch.servers();
        scratch.write("home/.mcp.json", &format!(r#"{{"mcpServers": {{{after}}}}}"#));
        let new = old.reload(&scratch.places(), &variables, None);
        assert_eq!(compare(&old, &new), expected, "{after}");
    }
}

#[test]
fn moving_to_the_project_is_a_restart() {
    let scratch = Scratch::new();
    let text = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
    scratch.write("home/.mcp.json", text);
    let old = scratch.servers();
    scratch.write("project/.mcp.json", text);
    assert_eq!(compare(&old, &scratch.servers()), [], "not before it is approved");
    let mut approvals = Approvals::load(&scratch.places().approvals()).unwrap();
    approvals.approve(&scratch.path("project"), &name("a"), old.get("a").unwrap().digest);
    approvals.save().unwrap();
    assert_eq!(compare(&old, &scratch.servers()), changed("a", ChangeKind::Restart));
}

#[test]
fn a_variable_that_changes_is_a_restart() {
    let scratch = Scratch::new();
    scratch.write("home/.mcp.json", r#"{"mcpServers": {"a": {"command": "${TOKEN}"}}}"#);
    let old = scratch.servers();
    let new = old.reload(&scratch.places(), &|_| Some("other".into()), None);
    assert_eq!(compare(&old, &new), changed("a", ChangeKind::Restart));
}

#[test]
fn a_file_that_breaks_keeps_its_servers() {
    let scratch = Scratch::new();
    let text = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
    scratch.write("home/.mcp.json", text);
    scratch.write("project/.mcp.json", r#"{"mcpServers": {"p": {"command": "p"}}}"#);
    let old = scratch.servers();
    scratch.write("home/.mcp.json", "{");
    scratch.write("project/.mcp.json", r#"{"mcpServers": {}}"#);
    let new = old.reload(&scratch.places(), &variables, None);
    assert_eq!(compare(&old, &new), [ServerChange::Removed(name("p"))]);
    assert_eq!(new.problems().len(), 1);
    let again = new.reload(&scratch.places(), &variables, None);
    assert_eq!(compare(&new, &again), []);
    scratch.write("home/.mcp.json", text);
    let repaired = again.reload(&scratch.places(), &variables, None);
    assert_eq!((compare(&again, &repaired), repaired.problems().len()), (vec![], 0));
}

#[test]
fn fingerprints_see_every_write() {
    let scratch = Scratch::new();
    let files = [scratch.path("a"), scratch.path("b")];
    let look = || Fingerprint::of(&files);
    let mut seen = vec![look()];
    for (file, text) in [(&files[0], "x"), (&files[0], "y"), (&files[1], "x")] {
        assert_eq!(look(), seen[seen.len() - 1]);
        write_atomic(file, text.as_bytes(), FileMode::Private).unwrap();
        seen.push(look());
        assert_ne!(seen[seen.len() - 1], seen[seen.len() - 2], "{text}");
    }
    std::fs::remove_file(&files[0]).unwrap();
    assert_ne!(look(), seen[seen.len() - 1]);
}
