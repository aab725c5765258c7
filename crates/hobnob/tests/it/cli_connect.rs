//! `connect` and the clients that `import` learned with it: what is asked, shown, written and kept.

use std::fs;

use serde_json::json;

use crate::cli_config_home::{Home, backups, read_json};
use crate::program::PROGRAM;

const CURSOR: &str = "{\n  // mine\n  \"mcpServers\": {\n    \"git\": {\"command\": \"uvx\", \"env\": {\"K\": \"s3cr3t\"}}\n  },\n}\n";

#[test]
fn a_client_is_connected_once_and_disconnected_without_a_trace() {
    let home = Home::new();
    home.write("home/.cursor/mcp.json", CURSOR);
    let file = home.path("home/.cursor/mcp.json");
    let asked = home.run(&["connect", "cursor"]);
    assert_eq!(asked.code, 4, "{}", asked.stderr);
    assert!(asked.stderr.contains("hobnob connect cursor --yes"), "{}", asked.stderr);
    let dry = home.ok(&["connect", "cursor", "--dry-run"]);
    assert!(dry.stdout.contains("+    \"hobnob\": {"), "{}", dry.stdout);
    assert!(!dry.stdout.contains("s3cr3t"), "{}", dry.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), CURSOR);
    let report = home.json(0, &["connect", "cursor", "--yes"]);
    assert_eq!(report["change"], "added");
    assert_eq!(report["written"], true);
    let backup = report["backup"].as_str().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), CURSOR);
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains(PROGRAM) && written.contains("// mine"), "{written}");
    // Its settings are elsewhere, so the client has to know where.
    let folder = home.path("hobnob").display().to_string();
    assert!(written.contains(&format!("\"HOBNOB_HOME\": \"{folder}\"")), "{written}");
    let again = home.ok(&["connect", "cursor", "--yes"]);
    assert!(again.stdout.contains("already"), "{}", again.stdout);
    assert_eq!(backups(&file).len(), 1);
    let listed = home.json(0, &["connect"]);
    let rows = listed.as_array().unwrap();
    let cursor = rows.iter().find(|row| row["client"] == "cursor" && row["scope"] == "user");
    assert_eq!(cursor.unwrap()["state"], "connected");
    home.ok(&["connect", "cursor", "--remove", "--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), CURSOR);
}

#[test]
fn a_project_gets_an_entry_for_everyone() {
    let home = Home::new();
    home.ok(&["connect", "vscode", "--scope", "project", "--yes"]);
    let entry = json!({"type": "stdio", "command": "hobnob", "args": ["serve"]});
    let written = read_json(&home.path("project/.vscode/mcp.json"));
    assert_eq!(written, json!({"servers": {"hobnob": entry}}));
    let run = home.run(&["connect", "windsurf", "--scope", "project"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let run = home.run(&["--project", "../home", "connect", "zed", "--scope", "project"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn a_broken_file_is_named_with_its_place() {
    let home = Home::new();
    home.write("home/.codex/config.toml", "model = \n");
    let run = home.run(&["connect", "codex", "--yes"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains(".codex/config.toml:1:9"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(home.path("home/.codex/config.toml")).unwrap(), "model = \n");
    let listed = home.ok(&["connect"]);
    assert!(listed.stdout.contains("broken"), "{}", listed.stdout);
}

#[test]
fn import_takes_from_the_newer_clients_and_says_what_it_leaves() {
    let home = Home::new();
    home.write(
        "home/.codex/config.toml",
        "[mcp_servers.docs] # codex\ncommand = \"docs\"\nenabled = false\n",
    );
    home.write(
        "home/.claude.json",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://h", "headersHelper": "x"}},
            "projects": {"/elsewhere": {"mcpServers": {"local": {"command": "l"}}}}}"#,
    );
    home.ok(&["connect", "gemini", "--yes"]);
    let run = home.ok(&["import", "--yes"]);
    for words in [
        "docs: is switched off in Codex",
        "web: gets its headers from a program (`headersHelper`)",
        "`local` is not imported: it belongs to the project /elsewhere",
        "`hobnob` is not imported",
    ] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    let servers = &read_json(&home.own())["mcpServers"];
    assert_eq!(servers["docs"], json!({"command": "docs", "enabled": false}));
    assert!(servers.get("web").is_some() && servers.get("local").is_none());
    let report = home.json(0, &["import", "--from", "claude-code"]);
    assert_eq!(report["elsewhere"], json!([{"name": "local", "project": "/elsewhere"}]));
}
