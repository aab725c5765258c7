//! Editing `.mcp.json`: other content stays, broken files stay, backups are made.

use std::path::PathBuf;

use hobnob_config::{
    Backup, EditError, Existing, Switch, add_server, remove_server, servers_in, switch_server,
};
use serde_json::json;

use crate::support::{Scratch, listing, name};

/// The folder for copies.
fn copies(scratch: &Scratch) -> PathBuf {
    scratch.path("state/backups")
}

const BEFORE: &str = r#"{"z": 1, "mcpServers": {"m": {"url": "http://h", "x": [1.50, 123456789012345678901234, [ ], {}, "a\u00fc{,: ü"]}, "b": {"command": "b"}}, "a": null}"#;

#[test]
fn adding_keeps_everything_else() {
    let scratch = Scratch::new();
    let file = scratch.write(".mcp.json", BEFORE);
    let entry = json!({"command": "new", "args": ["${X}"]});
    let edited = add_server(&file, &name("a"), entry, Existing::Refuse, Backup::Skip).unwrap();
    assert_eq!(edited.backup, None);
    let expected = BEFORE.replace(
        r#"{"command": "b"}"#,
        r#"{"command": "b"}, "a": {"command": "new", "args": ["${X}"]}"#,
    );
    assert_eq!(scratch.read(".mcp.json"), expected);
}

#[test]
fn the_layout_of_the_file_stays() {
    for (before, after) in [
        (
            "{\n\t\"mcpServers\": {\n\t\t\"b\": {\"command\": \"b\"},\n\n\t\t\"c\": {}\n\t}\n}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"b\": {\"command\": \"b\"},\n\n\t\t\"c\": {},\n\t\t\"a\": {\n\t\t\t\"command\": \"a\"\n\t\t}\n\t}\n}\n",
        ),
        (
            "{\r\n    \"mcpServers\": {\r\n    }\r\n}",
            "{\r\n    \"mcpServers\": {\r\n        \"a\": {\r\n            \"command\": \"a\"\r\n        }\r\n    }\r\n}",
        ),
    ] {
        let scratch = Scratch::new();
        let file = scratch.write(".mcp.json", before);
        let entry = json!({"command": "a"});
        add_server(&file, &name("a"), entry, Existing::Refuse, Backup::Skip).unwrap();
        assert_eq!(scratch.read(".mcp.json"), after);
    }
}

#[test]
fn comments_and_trailing_commas_stay() {
    let before = "// ours\n{\n  \"mcpServers\": {\n    // b\n    \"b\": {\"command\": \"b\", /* c */},\n  },\n}\n";
    let scratch = Scratch::new();
    let file = scratch.write(".mcp.json", before);
    let entry = json!({"command": "a"});
    add_server(&file, &name("a"), entry.clone(), Existing::Refuse, Backup::Skip).unwrap();
    let after = scratch.read(".mcp.json");
    for comment in ["// ours", "// b", "/* c */"] {
        assert!(after.contains(comment), "{comment}: {after}");
    }
    let servers = servers_in(&file).unwrap();
    assert_eq!((&servers["a"], &servers["b"]), (&entry, &json!({"command": "b"})), "{after}");
    remove_server(&file, &name("a"), Backup::Skip).unwrap();
    assert_eq!(scratch.read(".mcp.json").matches("//").count(), 2);
    assert_eq!(servers_in(&file).unwrap().len(), 1);
}

#[test]
fn every_text_is_written_so_that_it_is_read_again() {
    let odd = "\"\\/\u{0}\u{8}\u{c}\n\r\t\u{1f}\u{7f}\u{2028}\u{fffd}ü😀//*";
    let entry = json!({"command": "c", "args": [odd], "x": {odd: [[], {}, 1.5, -3, null, true]}});
    let scratch = Scratch::new();
    let file = scratch.write(".mcp.json", BEFORE);
    add_server(&file, &name("c"), entry.clone(), Existing::Refuse, Backup::Skip).unwrap();
    assert_eq!(servers_in(&file).unwrap()["c"], entry);
    switch_server(&file, &name("c"), Switch::Off, Backup::Skip).unwrap();
    switch_server(&file, &name("c"), Switch::On, Backup::Skip).unwrap();
    assert_eq!(servers_in(&file).unwrap()["c"], entry);
    remove_server(&file, &name("c"), Backup::Skip).unwrap();
    assert_eq!(servers_in(&file).unwrap().len(), 2);
}

#[test]
fn adding_to_nothing_creates_the_file() {
    let scratch = Scratch::new();
    let file = scratch.path("config/mcp.json");
    let entry = json!({"command": "c"});
    let edited = add_server(
        &file,
        &name("c"),
        entry.clone(),
        Existing::Refuse,
        Backup::Into(copies(&scratch)),
    );
    assert_eq!(edited.unwrap().backup, None);
    assert_eq!(servers_in(&file).unwrap().get("c"), Some(&entry));
    let taken = add_server(&file, &name("c"), entry, Existing::Refuse, Backup::Skip);
    assert!(matches!(taken, Err(EditError::Taken(..))));
    let other = json!({"command": "d"});
    add_server(&file, &name("c"), other.clone(), Existing::Replace, Backup::Skip).unwrap();
    assert_eq!(servers_in(&file).unwrap().get("c"), Some(&other));
    let bad = add_server(&file, &name("e"), json!({}), Existing::Refuse, Backup::Skip);
    assert!(matches!(bad, Err(EditError::Entry(_))));
}

#[test]
fn removing_keeps_order_and_makes_backups() {
    let scratch = Scratch::new();
    let file = scratch.write("project/.mcp.json", BEFORE);
    let keep = || Backup::Into(copies(&scratch));
    let first = remove_server(&file, &name("m"), keep()).unwrap().backup.unwrap();
    assert_eq!(std::fs::read_to_string(&first).unwrap(), BEFORE);
    let second = remove_server(&file, &name("b"), keep()).unwrap().backup.unwrap();
    assert_ne!(first, second);
    assert_eq!(scratch.read("project/.mcp.json"), r#"{"z": 1, "mcpServers": {}, "a": null}"#);
    assert!(matches!(remove_server(&file, &name("b"), keep()), Err(EditError::Unknown(..))));
    assert_eq!(listing(file.parent().unwrap()), [".mcp.json"]);
    let names = listing(&copies(&scratch));
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|it| it.starts_with("project-mcp.json.bak-")), "{names:?}");
}

#[test]
fn switching() {
    let scratch = Scratch::new();
    let file = scratch.write(
        ".mcp.json",
        r#"{"mcpServers": {"a": {"command": "a", "enabled": false}, "b": {"command": "b"}}}"#,
    );
    switch_server(&file, &name("a"), Switch::On, Backup::Skip).unwrap();
    switch_server(&file, &name("b"), Switch::Off, Backup::Skip).unwrap();
    let servers = servers_in(&file).unwrap();
    assert_eq!(servers["a"], json!({"command": "a"}));
    assert_eq!(servers["b"], json!({"command": "b", "disabled": true}));
    switch_server(&file, &name("b"), Switch::On, Backup::Skip).unwrap();
    assert_eq!(servers_in(&file).unwrap()["b"], json!({"command": "b"}));
    assert!(switch_server(&file, &name("c"), Switch::On, Backup::Skip).is_err());
}

#[test]
fn broken_files_are_not_touched() {
    let editors = r#"{"servers": {"a": {"command": "a"}}}"#;
    for text in ["{", "[]", r#"{"mcpServers": 1}"#, r#"{"a": 1, "a": 2}"#, "", "// none", editors] {
        let scratch = Scratch::new();
        let file = scratch.write(".mcp.json", text);
        let entry = json!({"command": "c"});
        let refused =
            add_server(&file, &name("c"), entry, Existing::Replace, Backup::Into(copies(&scratch)));
        assert!(matches!(refused, Err(EditError::Broken(_))), "{text}");
        assert_eq!(scratch.read(".mcp.json"), text);
        assert_eq!(listing(file.parent().unwrap()).len(), 1);
    }
}
