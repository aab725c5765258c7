//! Previews and additions of servers in an empty home.

use super::{add, preview};
use crate::change_log::ChangeLog;
use crate::test_places::places;
use hobnob_config::servers_in;
use hobnob_ui::{AddServers, NotDone, ServerPaste, WantedServer};
use serde_json::json;

fn paste(text: &str) -> ServerPaste {
    ServerPaste { text: text.into(), names: Vec::new() }
}

fn wanted(name: &str, replace: bool, digest: &str) -> WantedServer {
    WantedServer { at: 0, name: name.into(), replace, digest: digest.into() }
}

#[test]
fn what_is_shown_is_written_and_secrets_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let (places, log) = (places(folder.path()), ChangeLog::of(None));
    places.create().unwrap();
    let text = "API_TOKEN=geheim LEVEL=1 /opt/tools/notes --password hunter2 --verbose";
    let shown = preview(&places, &paste(text));
    let server = &shown.servers[0];
    assert_eq!((&*server.name, &server.problem), ("notes", &None));
    assert_eq!(server.words, ["/opt/tools/notes", "--password", "…", "--verbose"]);
    let pairs: Vec<_> = server.pairs.iter().map(|it| (&*it.name, &*it.value)).collect();
    assert_eq!(pairs, [("API_TOKEN", "…"), ("LEVEL", "1")]);
    let all = format!("{shown:?}");
    assert!(!all.contains("geheim") && !all.contains("hunter2"), "{all}");
    assert!(!places.own_mcp_json().exists(), "a preview writes nothing");

    let request = |server| AddServers { text: text.into(), servers: vec![server] };
    let other = wanted("other", false, &server.digest);
    assert!(matches!(add(&places, &log, &request(other)), Err(NotDone::Failed(_))));
    let added = add(&places, &log, &request(wanted("notes", false, &server.digest)));
    assert_eq!(added, Ok(vec!["notes".to_owned()]));
    let written = servers_in(&places.own_mcp_json()).unwrap();
    let expected = json!({
        "command": "/opt/tools/notes", "args": ["--password", "hunter2", "--verbose"],
        "env": {"API_TOKEN": "geheim", "LEVEL": "1"},
    });
    assert_eq!(written["notes"], expected);
}

#[test]
fn a_server_is_replaced_only_if_the_person_saw_it_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let (places, log) = (places(folder.path()), ChangeLog::of(None));
    places.create().unwrap();
    let adding = |text: &str, server| {
        add(&places, &log, &AddServers { text: text.into(), servers: vec![server] })
    };
    let before = preview(&places, &paste("notes --new")).servers.remove(0);
    let old = preview(&places, &paste("notes --old")).servers.remove(0);
    assert!(adding("notes --old", wanted("notes", false, &old.digest)).is_ok());
    // It was shown while there was no such server.
    assert!(adding("notes --new", wanted("notes", true, &before.digest)).is_err());
    let now = preview(&places, &paste("notes --new")).servers.remove(0);
    assert!(now.replaces.as_ref().unwrap().contains("--old"), "{now:?}");
    assert!(adding("notes --new", wanted("notes", false, &now.digest)).is_err());
    assert!(adding("notes --new", wanted("notes", true, &now.digest)).is_ok());
    assert_eq!(servers_in(&places.own_mcp_json()).unwrap()["notes"]["args"], json!(["--new"]));
}

#[test]
fn names_and_files_that_cannot_be_used_are_problems() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    places.create().unwrap();
    for name in ["../x", "-x", "", "a\u{1b}b"] {
        let paste = ServerPaste { text: format!("{}: {{}}", json!(name)), names: Vec::new() };
        let shown = preview(&places, &paste);
        assert!(shown.servers[0].problem.is_some(), "{name:?}: {shown:?}");
    }
    let two = r#"{"a": {"command": "x"}, "b": {"command": "x"}}"#;
    let same = ServerPaste { text: two.into(), names: vec![String::new(), "a".into()] };
    let shown = preview(&places, &same);
    assert_eq!(shown.servers[0].problem, None);
    assert!(shown.servers[1].problem.as_ref().unwrap().contains("two servers"), "{shown:?}");
    std::fs::write(places.own_mcp_json(), "{").unwrap();
    assert!(preview(&places, &paste("notes")).problem.is_some(), "a broken file stays as it is");
}
