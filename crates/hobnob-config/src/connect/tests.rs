//! Texts before and after, byte for byte: what is added, what stays, and that removing the entry
//! restores the text.

use serde_json::{Map, Value, json};

use super::json_text::{remove_member, set_member};
use super::toml_text::{remove_table, set_table};

const PATH: [&str; 2] = ["mcpServers", "hobnob"];

fn entry() -> Value {
    json!({"command": "/bin/hobnob", "args": ["serve"]})
}

/// Adds the entry, compares, and removes it again.
fn check_json(before: &str, after: &str, removed: &str) {
    let added = set_member(before, &PATH, &entry()).unwrap();
    assert_eq!(added, after, "from {before:?}");
    assert_eq!(set_member(&added, &PATH, &entry()).unwrap(), after, "twice");
    assert_eq!(remove_member(&added, &PATH).unwrap(), removed, "back from {after:?}");
}

#[test]
fn members_are_added_in_the_layout_of_the_file() {
    const OURS: &str = "\"hobnob\": {\n      \"command\": \"/bin/hobnob\",\n      \
                        \"args\": [\"serve\"]\n    }";
    let servers = format!("\"mcpServers\": {{\n    {OURS}\n  }}");
    check_json("", &format!("{{\n  {servers}\n}}\n"), "{\n  \"mcpServers\": {\n  }\n}\n");
    check_json("{}", &format!("{{\n  {servers}\n}}"), "{\n  \"mcpServers\": {\n  }\n}");
    // The file has comments, an odd order, and a value that looks like a comment.
    let before = "// \"head\"\n{\n  \"a\": \"//\", /* \"mcpServers\": { */\n  \"mcpServers\": {\n    \
                  // none yet\n    \"x\": {\"command\": \"x\"} // the last\n    // below\n  }\n}\n";
    let after =
        before.replace("\"x\"} // the last\n", &format!("\"x\"}}, // the last\n    {OURS}\n"));
    check_json(before, &after, before);
    // A trailing comma is kept, and the new member has one too.
    let before = "{\n  \"mcpServers\": {\n    \"x\": 1, /* two\n lines */\n  },\n}";
    let after = before.replace("lines */\n", &format!("lines */\n    {OURS},\n"));
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
    let added = set_member(before, &PATH, &json!(3)).unwrap();
    assert_eq!(added, "{\n  \"mcpServers\": { \"x\": 1, \"y\": 2, \"hobnob\": 3 }\n}");
    assert_eq!(remove_member(&added, &PATH).unwrap(), before);
    // The object is empty, with a comment in it.
    let added = set_member("{\n  \"mcpServers\": { // none\n  }\n}", &PATH, &json!(3)).unwrap();
    assert_eq!(added, "{\n  \"mcpServers\": {\n    \"hobnob\": 3 // none\n  }\n}");
}

#[test]
fn a_member_is_removed_wherever_it_stands() {
    for (before, after) in [
        ("{\"mcpServers\": {\"hobnob\": 1, \"x\": 2}}", "{\"mcpServers\": {\"x\": 2}}"),
        ("{\"mcpServers\": {\"x\": 2 , \"hobnob\": {} }}", "{\"mcpServers\": {\"x\": 2  }}"),
        (
            "{\"mcpServers\": {\n  // ours\n  \"hobnob\": 1,\n  \"x\": 2\n}}",
            "{\"mcpServers\": {\n  // ours\n  \"x\": 2\n}}",
        ),
        (
            "{\"mcpServers\": {\n  \"x\": 2, // x\n  \"hobnob\": 1 // ours\n}}",
            "{\"mcpServers\": {\n  \"x\": 2 // x\n   // ours\n}}",
        ),
        ("{\"mcpServers\": {\"x\": \"hobnob\"}}", "{\"mcpServers\": {\"x\": \"hobnob\"}}"),
        ("{\"hobnob\": 1}", "{\"hobnob\": 1}"),
        ("// nothing", "// nothing"),
    ] {
        assert_eq!(remove_member(before, &PATH).unwrap(), after, "{before}");
    }
    assert_eq!(remove_member("{\"mcpServers\": []}", &PATH), None);
    assert_eq!(set_member("{\"mcpServers\": 1}", &PATH, &json!(1)), None);
}

fn members() -> Map<String, Value> {
    entry().as_object().cloned().unwrap()
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
    ] {
        let added = set_table(before, "mcp_servers", "hobnob", &members());
        assert_eq!(added, after);
        assert_eq!(set_table(&added, "mcp_servers", "hobnob", &members()), after, "twice");
        assert_eq!(remove_table(&added, "mcp_servers", "hobnob"), removed);
    }
    let windows = set_table("a = 1\r\n", "mcp_servers", "hobnob", &members());
    assert_eq!(windows, format!("a = 1\r\n\r\n{}", OURS.replace('\n', "\r\n")));
}

#[test]
fn a_table_that_is_there_keeps_what_else_it_says() {
    let before = "[mcp_servers.hobnob] # ours\ncommand = 'old' # c\nargs = [\n  \"x\", # d\n]\n\
                  startup_timeout_sec = 9\n\n[mcp_servers.hobnob.env]\nA = \"1\"\n\n# b\n[b]\n";
    let after = "[mcp_servers.hobnob] # ours\ncommand = \"/bin/hobnob\" # c\nargs = [\"serve\"]\n\
                 startup_timeout_sec = 9\n\n[mcp_servers.hobnob.env]\nA = \"1\"\n\n# b\n[b]\n";
    assert_eq!(set_table(before, "mcp_servers", "hobnob", &members()), after);
    assert_eq!(remove_table(before, "mcp_servers", "hobnob"), "\n# b\n[b]\n");
    let inline = "[mcp_servers]\nx = {}\nhobnob = { command = \"old\", args = [] }\n";
    let changed = set_table(inline, "mcp_servers", "hobnob", &members());
    assert_eq!(
        changed,
        "[mcp_servers]\nx = {}\nhobnob = { command = \"/bin/hobnob\", args = [\"serve\"] }\n"
    );
    assert_eq!(remove_table(inline, "mcp_servers", "hobnob"), "[mcp_servers]\nx = {}\n");
    assert_eq!(remove_table("a = 1\n", "mcp_servers", "hobnob"), "a = 1\n");
}
