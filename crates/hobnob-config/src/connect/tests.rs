//! Texts before and after, byte for byte: what is added, what stays, and that removing the entry
//! restores the text; and files that are too large to be edited.

use std::fs::{self, File};

use serde_json::{Map, Value, json};

use super::{ConnectChange, ConnectPlan, ConnectRequest, json_text, toml_text};
use crate::clients::ClientProgram;

const PATH: [&str; 2] = ["mcpServers", "hobnob"];
const TOML_PATH: [&str; 2] = ["mcp_servers", "hobnob"];

fn members() -> Map<String, Value> {
    json!({"command": "/bin/hobnob", "args": ["serve"]}).as_object().cloned().unwrap()
}

/// Sets the entry `{"n": 3}`.
fn set_number(before: &str) -> Option<String> {
    let members = Map::from_iter([("n".to_owned(), json!(3))]);
    json_text::set_entry(before, PATH, &members, &[])
}

fn removed(before: &str) -> Option<String> {
    json_text::remove_entry(before, PATH)
}

/// Adds the entry, compares, and removes it again.
fn check_json(before: &str, after: &str, back: &str) {
    let set = |text: &str| json_text::set_entry(text, PATH, &members(), &[]).unwrap();
    let added = set(before);
    assert_eq!(added, after, "from {before:?}");
    assert_eq!(set(&added), after, "twice");
    assert_eq!(removed(&added).unwrap(), back, "back from {after:?}");
}

#[test]
fn members_are_added_in_the_layout_of_the_file() {
    const OURS: &str = "\"hobnob\": {\n      \"command\": \"/bin/hobnob\",\n      \
                        \"args\": [\"serve\"]\n    }";
    let servers = format!("\"mcpServers\": {{\n    {OURS}\n  }}");
    check_json("", &format!("{{\n  {servers}\n}}\n"), "{\n  \"mcpServers\": {}\n}\n");
    check_json("{}", &format!("{{\n  {servers}\n}}"), "{\n  \"mcpServers\": {}\n}");
    // The file has comments, an odd order, and a value that looks like a comment.
    let before = "// \"head\"\n{\n  \"a\": \"//\", /* \"mcpServers\": { */\n  \"mcpServers\": {\n    \
                  // none yet\n    \"x\": {\"command\": \"x\"} // the last\n    // below\n  }\n}\n";
    let after =
        before.replace("\"x\"} // the last\n", &format!("\"x\"}}, // the last\n    {OURS}\n"));
    check_json(before, &after, before);
    // A trailing comma is kept, and the new members have them too.
    let before = "{\n  \"mcpServers\": {\n    \"x\": 1, /* two\n lines */\n  },\n}";
    let ours = OURS.replace("]\n", "],\n");
    let after = before.replace("lines */\n", &format!("lines */\n    {ours},\n"));
    check_json(before, &after, before);
    // One line stays one line.
    let inline = "\"hobnob\": {\"command\": \"/bin/hobnob\", \"args\": [\"serve\"]}";
    check_json(
        "{\"mcpServers\": {\"x\": 1}, \"z\": [ ]}",
        &format!("{{\"mcpServers\": {{\"x\": 1, {inline}}}, \"z\": [ ]}}"),
        "{\"mcpServers\": {\"x\": 1}, \"z\": [ ]}",
    );
    check_json(
        "{\"mcpServers\":{},\"z\":1}",
        "{\"mcpServers\":{\"hobnob\":{\"command\":\"/bin/hobnob\",\"args\":[\"serve\"]}},\"z\":1}",
        "{\"mcpServers\":{},\"z\":1}",
    );
    // The file has tabs, and the line breaks of Windows.
    let tabs = |text: &str| text.replace("    ", "\t\t").replace("  ", "\t").replace('\n', "\r\n");
    let before = tabs("{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n");
    let ours = OURS.replace("      ", "\t\t\t").replace("    ", "\t\t").replace('\n', "\r\n");
    let after = before.replace("{}\r\n", &format!("{{}},\r\n\t\t{ours}\r\n"));
    check_json(&before, &after, &before);
    // Several members are on one line of many.
    let before = "{\n  \"mcpServers\": { \"x\": 1, \"y\": 2 }\n}";
    let added = set_number(before).unwrap();
    assert_eq!(added, "{\n  \"mcpServers\": { \"x\": 1, \"y\": 2, \"hobnob\": {\"n\": 3} }\n}");
    assert_eq!(removed(&added).unwrap(), before);
    // The object is empty, with a comment in it.
    let before = "{\n  \"mcpServers\": { // none\n  }\n}";
    let added = set_number(before).unwrap();
    let ours = "\"hobnob\": {\n      \"n\": 3\n    }";
    assert_eq!(added, before.replace("none\n", &format!("none\n    {ours}\n")));
    assert_eq!(removed(&added).unwrap(), before);
    // An entry on one line gets its new members there, and keeps the order of the others.
    let before = "{\"mcpServers\":{\"hobnob\":{\"url\":\"u\",\"x\":1,\"command\":2}}}";
    let added = json_text::set_entry(before, PATH, &members(), &["url"]).unwrap();
    let ours = "{\"x\":1,\"command\":\"/bin/hobnob\",\"args\":[\"serve\"]}";
    assert_eq!(added, format!("{{\"mcpServers\":{{\"hobnob\":{ours}}}}}"));
}

/// A comment behind a removed member goes with it; all others stay.
#[test]
fn a_member_is_removed_wherever_it_stands() {
    for (before, after) in [
        ("{\"mcpServers\": {\"hobnob\": 1, \"x\": 2}}", "{\"mcpServers\": { \"x\": 2}}"),
        ("{\"mcpServers\": {\"x\": 2 , \"hobnob\": {} }}", "{\"mcpServers\": {\"x\": 2  }}"),
        (
            "{\"mcpServers\": {\n  // ours\n  \"hobnob\": 1,\n  \"x\": 2\n}}",
            "{\"mcpServers\": {\n  // ours\n  \"x\": 2\n}}",
        ),
        (
            "{\"mcpServers\": {\n  \"x\": 2, // x\n  \"hobnob\": 1 // ours\n}}",
            "{\"mcpServers\": {\n  \"x\": 2 // x\n}}",
        ),
        ("{\"mcpServers\": {\"x\": \"hobnob\"}}", "{\"mcpServers\": {\"x\": \"hobnob\"}}"),
        ("{\"hobnob\": 1}", "{\"hobnob\": 1}"),
        ("// nothing", "// nothing"),
    ] {
        assert_eq!(removed(before).unwrap(), after, "{before}");
    }
    assert_eq!(removed("{\"mcpServers\": []}"), None);
    assert_eq!(set_number("{\"mcpServers\": 1}"), None);
}

fn set_table(before: &str) -> String {
    toml_text::set_entry(before, TOML_PATH, &members(), &["url"]).unwrap()
}

fn without_table(before: &str) -> String {
    toml_text::remove_entry(before, TOML_PATH).unwrap()
}

#[test]
fn a_table_is_appended_and_taken_out_again() {
    const OURS: &str = "[mcp_servers.hobnob]\ncommand = \"/bin/hobnob\"\nargs = [\"serve\"]\n";
    for (before, after, removed) in [
        ("", OURS.to_owned(), ""),
        (
            "# c\nmodel = \"o3\" # d\n",
            format!("# c\nmodel = \"o3\" # d\n\n{OURS}"),
            "# c\nmodel = \"o3\" # d\n",
        ),
        (
            "[mcp_servers.x]\ncommand = \"x\"\n\n# last\n[other]\nk = 1",
            format!("[mcp_servers.x]\ncommand = \"x\"\n\n# last\n[other]\nk = 1\n\n{OURS}"),
            "[mcp_servers.x]\ncommand = \"x\"\n\n# last\n[other]\nk = 1\n",
        ),
        // The comments at the end of the file are not ours.
        ("# a\n\n# b\n", format!("# a\n\n# b\n\n{OURS}"), "# a\n\n# b\n"),
    ] {
        let added = set_table(before);
        assert_eq!(added, after);
        assert_eq!(set_table(&added), after, "twice");
        assert_eq!(without_table(&added), removed);
    }
    let windows = set_table("a = 1\r\n");
    assert_eq!(windows, format!("a = 1\r\n\r\n{}", OURS.replace('\n', "\r\n")));
    assert_eq!(without_table(&windows), "a = 1\r\n");
}

#[test]
fn a_table_that_is_there_keeps_what_else_it_says() {
    let before = "[mcp_servers.hobnob] # ours\ncommand = 'old' # c\nargs = [\n  \"x\", # d\n]\n\
                  startup_timeout_sec = 9\n\n[mcp_servers.hobnob.env]\nA = \"1\"\n\n# b\n[b]\n";
    let after = "[mcp_servers.hobnob] # ours\ncommand = \"/bin/hobnob\" # c\nargs = [\"serve\"]\n\
                 startup_timeout_sec = 9\n\n[mcp_servers.hobnob.env]\nA = \"1\"\n\n# b\n[b]\n";
    assert_eq!(set_table(before), after);
    assert_eq!(without_table(before), "\n# b\n[b]\n");
    let inline = "[mcp_servers]\nx = {}\nhobnob = { command = \"old\", args = [] }\n";
    let changed = set_table(inline);
    assert_eq!(
        changed,
        "[mcp_servers]\nx = {}\nhobnob = { command = \"/bin/hobnob\", args = [\"serve\"] }\n"
    );
    assert_eq!(without_table(inline), "[mcp_servers]\nx = {}\n");
    assert_eq!(without_table("a = 1\n"), "a = 1\n");
    // A comment above the table stays where it is.
    let before = "a = 1\n\n# c\n[mcp_servers.hobnob]\nurl = \"u\"\n\n# b\n[b]\n";
    assert_eq!(without_table(before), "a = 1\n\n# c\n\n# b\n[b]\n");
    let ours = "command = \"/bin/hobnob\"\nargs = [\"serve\"]\n";
    assert_eq!(set_table(before), before.replace("url = \"u\"\n", ours));
}

/// The message has the size, the limit, and what to write or delete instead.
#[test]
fn a_file_that_is_too_large_is_changed_by_other_means() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".claude.json");
    let plan = |request| ConnectPlan::new(ClientProgram::ClaudeCode, &file, PATH[1], &request);
    let check = |request, instead: &str| {
        let size = fs::metadata(&file).unwrap().len();
        let failed = plan(request).unwrap_err().to_string();
        let reason = format!("it has {size} bytes, and the limit is 12582912 bytes");
        for part in [&reason, "the client's own command", "by hand", instead] {
            assert!(failed.contains(part), "{part}: {failed}");
        }
    };
    let history = "x".repeat(12 * 1024 * 1024);
    let entry = "in `mcpServers`: \"hobnob\": {\n  \"command\": \"/bin/hobnob\",\n  \"args\": [";
    fs::write(&file, format!("{{\"history\":\"{history}\"}}")).unwrap();
    check(ConnectRequest::Connect(members()), entry);
    let unchanged = plan(ConnectRequest::Remove).unwrap();
    assert_eq!(unchanged.change, ConnectChange::Unchanged);
    let servers = json!({"mcpServers": {"hobnob": members()}, "history": history}).to_string();
    fs::write(&file, &servers).unwrap();
    check(ConnectRequest::Remove, "delete `hobnob` in `mcpServers`");
    let unchanged = plan(ConnectRequest::Connect(members())).unwrap();
    assert_eq!(unchanged.change, ConnectChange::Unchanged);
    assert_eq!(fs::read_to_string(&file).unwrap(), servers);
    // A file of this size is not even read.
    File::create(&file).unwrap().set_len(64 * 1024 * 1024 + 1).unwrap();
    check(ConnectRequest::Remove, "delete `hobnob` in `mcpServers`");
}
