//! Files of other clients in their documented forms: connected, connected again, and disconnected.

use std::fs;
use std::path::{Path, PathBuf};

use hobnob_config::clients::{ClientFolders, ClientProgram, ClientScope, HostSystem};
use hobnob_config::connect::{
    ClientEditError, ConnectChange, ConnectPlan, ConnectRequest, is_connected,
};
use hobnob_config::import::{Source, read};
use serde_json::{Map, Value, json};

use crate::support::{Scratch, listing, mode};

const NAME: &str = "hobnob";

fn request(client: ClientProgram) -> ConnectRequest {
    let entry = client.entry("/usr/bin/hobnob", &["serve".into()], &[]);
    ConnectRequest::Connect(entry.as_object().cloned().unwrap())
}

fn plan(client: ClientProgram, file: &Path, request: &ConnectRequest) -> ConnectPlan {
    ConnectPlan::new(client, file, NAME, request).unwrap()
}

/// A file of each client as its documentation shows it, with details that an edit might lose.
fn documented(client: ClientProgram) -> &'static str {
    match client {
        ClientProgram::ClaudeCode => {
            "{\n  \"numStartups\": 3,\n  \"projects\": {\"/p\": {\"mcpServers\": {}}},\n  \
             \"mcpServers\": {\n    \"git\": {\n      \"type\": \"stdio\",\n      \"command\": \"uvx\",\n      \
             \"args\": [\n        \"mcp-server-git\"\n      ],\n      \"env\": {}\n    }\n  },\n  \"zebra\": 1.50\n}"
        }
        ClientProgram::ClaudeDesktop => {
            "\u{feff}{\r\n    \"mcpServers\": {\r\n        \"files\": {\r\n            \"command\": \"npx\",\r\n            \
             \"args\": [\"-y\", \"files\"]\r\n        }\r\n    }\r\n}\r\n"
        }
        ClientProgram::Cursor => {
            "{\n\t\"mcpServers\": {\n\t\t// remote\n\t\t\"web\": { \"url\": \"https://h/mcp\", \"headers\": { \"K\": \"${env:K}\" } },\n\t}\n}\n"
        }
        ClientProgram::VsCode => {
            "{\n  // See https://example.com\n  \"inputs\": [\n    { \"type\": \"promptString\", \"id\": \"key\", \"password\": true }\n  ],\n  \
             \"servers\": {\n    /* one */ \"fetch\": { \"type\": \"stdio\", \"command\": \"uvx\", \"env\": { \"K\": \"${input:key}\" } }\n  }\n}"
        }
        ClientProgram::Codex => {
            "# Codex\nmodel = \"gpt-5\"\n\n[mcp_servers.docs]\ncommand = 'npx'          # spaces\nargs = [\"-y\", \"docs\"]\n\n\
             [mcp_servers.docs.env]\nA = \"1\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
        }
        ClientProgram::Windsurf => {
            "{\"mcpServers\": {\"web\": {\"serverUrl\": \"https://h/mcp\"}, \"off\": {\"command\": \"x\", \"disabled\": true}}}"
        }
        ClientProgram::Zed => {
            "// Zed settings\n//\n{\n  \"theme\": {\n    \"mode\": \"system\", // follows\n  },\n  \"context_servers\": {\n    \
             \"local\": {\n      \"command\": \"a\",\n      \"args\": [\"b\"],\n      \"env\": {},\n    },\n  },\n}\n"
        }
        ClientProgram::Gemini => "{\n  \"theme\": \"Dracula\",\n  \"mcp\": {\"excluded\": []}\n}\n",
    }
}

#[test]
fn every_client_keeps_all_other_bytes() {
    for client in ClientProgram::ALL {
        let scratch = Scratch::new();
        let before = documented(client);
        let file = scratch.write("client/file", before);
        let connect = plan(client, &file, &request(client));
        assert_eq!(connect.change, ConnectChange::Added, "{client}");
        let backup = connect.write().unwrap().unwrap();
        assert_eq!(fs::read_to_string(backup).unwrap(), before, "{client}");
        let after = scratch.read("client/file");
        assert_eq!(after, connect.after, "{client}");
        assert_added_lines_only(client, before, &after);
        assert!(is_connected(client, &file, NAME).unwrap(), "{client}");
        // The import stands in for the client's own reader.
        let found = read(&Source::at(client, &file)).unwrap();
        let ours = found.iter().find(|it| it.name == NAME).unwrap();
        let entry: Value = serde_json::from_str(&ours.entry).unwrap();
        assert_eq!(entry["command"], "/usr/bin/hobnob", "{client}");
        assert_eq!(entry["args"], json!(["serve"]), "{client}");
        let again = plan(client, &file, &request(client));
        assert_eq!(again.change, ConnectChange::Unchanged, "{client}");
        assert_eq!(again.write().unwrap(), None, "{client}");
        assert_eq!(listing(&scratch.path("client")).len(), 2, "{client}: one backup");
        let remove = plan(client, &file, &ConnectRequest::Remove);
        assert_eq!(remove.change, ConnectChange::Removed, "{client}");
        remove.write().unwrap();
        assert!(!is_connected(client, &file, NAME).unwrap(), "{client}");
        match client {
            // Its file had no table for servers.
            ClientProgram::Gemini => {}
            _ => assert_eq!(scratch.read("client/file"), before, "{client}"),
        }
        let gone = plan(client, &file, &ConnectRequest::Remove);
        assert_eq!(gone.change, ConnectChange::Unchanged, "{client}");
    }
}

/// Checks that the new text without the added bytes is the old one: no old text is missing, and the
/// new text is one piece besides a comma.
fn assert_added_lines_only(client: ClientProgram, before: &str, after: &str) {
    let same_start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let rest = &before[same_start..];
    let mut added = after[same_start..].to_owned();
    // Skip the comma after the member that was the last one.
    if added.starts_with(',') && !rest.starts_with(',') {
        added.remove(0);
    }
    let shared = rest.bytes().zip(added.bytes()).take_while(|(a, b)| a == b).count();
    let (rest, added) = (&rest[shared..], &added[shared..]);
    assert!(added.ends_with(rest), "{client}: {added:?} does not end with {rest:?}");
}

#[test]
fn a_missing_file_is_created_for_its_owner() {
    for client in ClientProgram::ALL {
        let scratch = Scratch::new();
        let file = scratch.path("a/b/file");
        let connect = plan(client, &file, &request(client));
        assert_eq!(connect.write().unwrap(), None, "{client}");
        assert!(is_connected(client, &file, NAME).unwrap(), "{client}");
        assert_eq!(mode(&file), 0o600, "{client}");
        let remove = plan(client, &scratch.path("none"), &ConnectRequest::Remove);
        assert_eq!(remove.change, ConnectChange::Unchanged, "{client}");
        remove.write().unwrap();
        assert!(!scratch.path("none").exists(), "{client}");
    }
}

#[test]
fn another_entry_of_the_name_is_changed_where_it_stands() {
    let scratch = Scratch::new();
    let before = "{\n  \"mcpServers\": {\n    \"hobnob\": {\n      \"url\": \"http://127.0.0.1:4815/mcp\", // http\n      \
                  \"timeout\": 5\n    },\n    \"x\": {}\n  }\n}";
    let file = scratch.write("mcp.json", before);
    let connect = plan(ClientProgram::Cursor, &file, &request(ClientProgram::Cursor));
    assert_eq!(connect.change, ConnectChange::Updated);
    let after = "{\n  \"mcpServers\": {\n    \"hobnob\": {\n      \
                 \"timeout\": 5,\n      \"command\": \"/usr/bin/hobnob\",\n      \"args\": [\"serve\"]\n    },\n    \"x\": {}\n  }\n}";
    assert_eq!(connect.after, after);
    let codex = "[mcp_servers.hobnob]\ncommand = \"old\" # c\nargs = []\nstartup_timeout_sec = 3\n";
    let file = scratch.write("config.toml", codex);
    let connect = plan(ClientProgram::Codex, &file, &request(ClientProgram::Codex));
    assert_eq!(connect.change, ConnectChange::Updated);
    let after = codex.replace("\"old\"", "\"/usr/bin/hobnob\"").replace("[]", "[\"serve\"]");
    assert_eq!(connect.after, after);
}

#[test]
fn what_cannot_be_read_is_not_written() {
    for (client, text, line) in [
        (ClientProgram::Cursor, "{\n  \"mcpServers\": {\"a\" 1}\n}", Some(2)),
        (ClientProgram::ClaudeCode, "{\n// no comments here\n}", Some(2)),
        (ClientProgram::VsCode, "{\n  \"servers\": {},\n  \"servers\": {}\n}", Some(3)),
        (ClientProgram::Zed, "[]", None),
        (ClientProgram::Gemini, "{\"mcpServers\": []}", None),
        (ClientProgram::Cursor, "{\"mcpServers\": {\"hobnob\": 1}}", None),
        (ClientProgram::Codex, "a = 1\nb = = 2\n", Some(2)),
    ] {
        let scratch = Scratch::new();
        let file = scratch.write("file", text);
        let failed = ConnectPlan::new(client, &file, NAME, &request(client)).unwrap_err();
        let ClientEditError::Broken(problem) = &failed else { panic!("{client}: {failed}") };
        assert_eq!(problem.position.map(|it| it.line), line, "{client}: {failed}");
        assert!(failed.to_string().starts_with(file.to_str().unwrap()), "{failed}");
        assert_eq!(scratch.read("file"), text);
    }
    // An inline table cannot get another line.
    let scratch = Scratch::new();
    let file = scratch.write("config.toml", "mcp_servers = { a = { command = \"a\" } }\n");
    let failed =
        ConnectPlan::new(ClientProgram::Codex, &file, NAME, &request(ClientProgram::Codex));
    let failed = failed.unwrap_err().to_string();
    assert!(failed.contains("by hand") && failed.contains("[mcp_servers.hobnob]"), "{failed}");
    // Another program writes the file first.
    let file = scratch.write("mcp.json", "{}");
    let connect = plan(ClientProgram::Cursor, &file, &request(ClientProgram::Cursor));
    scratch.write("mcp.json", "{\"a\": 1}");
    assert!(matches!(connect.write(), Err(ClientEditError::Moved(_))));
    assert_eq!(scratch.read("mcp.json"), "{\"a\": 1}");
}

#[test]
fn entries_name_variables_and_types_as_each_client_wants() {
    let env = [("HOBNOB_HOME".to_owned(), "/h".to_owned())];
    for client in ClientProgram::ALL {
        let entry = client.entry("hobnob", &["serve".into()], &env);
        assert_eq!(entry["env"], json!({"HOBNOB_HOME": "/h"}), "{client}");
        let typed = matches!(client, ClientProgram::ClaudeCode | ClientProgram::VsCode);
        assert_eq!(entry.get("type").is_some(), typed, "{client}");
        let scratch = Scratch::new();
        let file = scratch.path("file");
        let members: Map<_, _> = entry.as_object().cloned().unwrap();
        let connect = plan(client, &file, &ConnectRequest::Connect(members.clone()));
        connect.write().unwrap();
        let again = plan(client, &file, &ConnectRequest::Connect(members));
        assert_eq!(again.change, ConnectChange::Unchanged, "{client}");
    }
}

#[test]
fn each_system_has_its_folders() {
    let scratch = Scratch::new();
    let places = scratch.places();
    let none = |_: &str| None;
    let moved = |name: &str| match name {
        "XDG_CONFIG_HOME" | "APPDATA" | "CODEX_HOME" | "CLAUDE_CONFIG_DIR" => {
            Some(PathBuf::from("/moved").join(name))
        }
        _ => None,
    };
    let home = |rest: &str| places.home.join(rest);
    let user = |client: ClientProgram, folders: &ClientFolders| {
        client.file(ClientScope::User, folders).unwrap()
    };
    let linux = ClientFolders::detect_from(&places, HostSystem::Linux, &none);
    let mac = ClientFolders::detect_from(&places, HostSystem::Mac, &none);
    let windows = ClientFolders::detect_from(&places, HostSystem::Windows, &none);
    for (client, on_linux, on_mac, on_windows) in [
        (ClientProgram::ClaudeCode, ".claude.json", ".claude.json", ".claude.json"),
        (
            ClientProgram::ClaudeDesktop,
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        (ClientProgram::Cursor, ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
        (
            ClientProgram::VsCode,
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ),
        (ClientProgram::Codex, ".codex/config.toml", ".codex/config.toml", ".codex/config.toml"),
        (
            ClientProgram::Windsurf,
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
        ),
        (
            ClientProgram::Zed,
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "AppData/Roaming/Zed/settings.json",
        ),
        (
            ClientProgram::Gemini,
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".gemini/settings.json",
        ),
    ] {
        assert_eq!(user(client, &linux), home(on_linux), "{client}");
        assert_eq!(user(client, &mac), home(on_mac), "{client}");
        assert_eq!(user(client, &windows), home(on_windows), "{client}");
    }
    let moved = ClientFolders::detect_from(&places, HostSystem::Linux, &moved);
    let at = |client| user(client, &moved);
    assert_eq!(at(ClientProgram::Zed), PathBuf::from("/moved/XDG_CONFIG_HOME/zed/settings.json"));
    assert_eq!(at(ClientProgram::Codex), PathBuf::from("/moved/CODEX_HOME/config.toml"));
    let claude = PathBuf::from("/moved/CLAUDE_CONFIG_DIR/.claude.json");
    assert_eq!(at(ClientProgram::ClaudeCode), claude);
    let of_project = |client: ClientProgram| client.file(ClientScope::Project, &linux);
    assert_eq!(of_project(ClientProgram::ClaudeCode), Some(places.project.join(".mcp.json")));
    assert_eq!(of_project(ClientProgram::Codex), Some(places.project.join(".codex/config.toml")));
    assert_eq!(of_project(ClientProgram::Windsurf), None);
}

#[test]
fn only_our_entry_is_shown() {
    let secret = "s3cret";
    for (client, text) in [
        (
            ClientProgram::Zed,
            "{\n  \"key\": \"s3cret\", // note\n  \"context_servers\": {\"x\": {\"command\": \"s3cret\\\"\", \"n\": 1}}}",
        ),
        (
            ClientProgram::Windsurf,
            "{\"mcpServers\":{\"x\":{\"args\":[\"s3cret\"]},\"hobnob\":{\"env\":{\"K\":\"s3cret\"}}}}",
        ),
        (
            ClientProgram::Codex,
            "key = \"\"\"\ns3cret\n\"\"\"\nlist = ['s3cret', { a = \"s3cret\" }]\n[mcp_servers.hobnob]\ncommand = \"old\"\nargs = []\n[mcp_servers.hobnob.env]\nK = \"s3cret\"\n",
        ),
    ] {
        let scratch = Scratch::new();
        let file = scratch.write("file", text);
        let connect = ConnectPlan::new(client, &file, NAME, &request(client)).unwrap();
        let (before, after) = connect.shown();
        assert!(!before.contains(secret) && !after.contains(secret), "{client}: {after}");
        assert!(after.contains("/usr/bin/hobnob"), "{client}: {after}");
        assert!(before.contains('…') && before != after, "{client}: {before}");
    }
}
