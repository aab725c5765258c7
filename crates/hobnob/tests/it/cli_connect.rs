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

/// A folder with a `systemctl` of its own, which says that everything runs.
#[cfg(target_os = "linux")]
fn with_systemctl(home: &Home) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    home.write("bin/systemctl", "#!/bin/sh\necho active\n");
    let file = home.path("bin/systemctl");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    home.path("bin").display().to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_a_file_that_comes_and_goes() {
    let home = Home::new();
    let unit = home.path("home/.config/systemd/user/hobnob.service");
    let run = |path: &str, words: &[&str]| {
        let output = home.command(words).env("PATH", path).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let noted = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said, noted)
    };
    let (code, _, noted) = run("/nowhere", &["service", "install"]);
    assert_eq!(code, 5, "{noted}");
    assert!(noted.contains("there is no `systemctl`"), "{noted}");
    assert_eq!(run("/nowhere", &["service", "status"]).0, 5);
    let (code, said, _) = run("/nowhere", &["service", "install", "--dry-run"]);
    assert!(code == 0 && said.contains("ExecStart="), "{said}");
    assert!(!unit.exists());
    let bin = with_systemctl(&home);
    let (code, _, noted) = run(&bin, &["service", "install", "--http", "127.0.0.1:4999"]);
    assert_eq!(code, 0, "{noted}");
    assert!(noted.contains("systemctl --user enable --now hobnob.service"), "{noted}");
    let text = fs::read_to_string(&unit).unwrap();
    assert!(text.contains(PROGRAM) && text.contains("127.0.0.1:4999"), "{text}");
    let (_, said, _) = run(&bin, &["service", "install", "--http", "127.0.0.1:4999"]);
    assert!(said.contains("unchanged"), "{said}");
    let (code, said, _) = run(&bin, &["service", "status"]);
    assert!(code == 0 && said.contains("installed") && said.contains("active"), "{said}");
    let wants = home.path("home/.config/systemd/user/default.target.wants");
    fs::create_dir_all(&wants).unwrap();
    std::os::unix::fs::symlink(&unit, wants.join("hobnob.service")).unwrap();
    let (code, said, _) = run(&bin, &["service", "uninstall"]);
    assert!(code == 0 && said.contains("removed"), "{said}");
    assert!(!unit.exists() && !wants.join("hobnob.service").is_symlink());
    let (code, said, _) = run(&bin, &["service", "uninstall"]);
    assert!(code == 0 && said.contains("not installed"), "{said}");
}

#[test]
fn both_commands_take_the_same_names_of_clients() {
    let home = Home::new();
    home.write("home/.claude.json", r#"{"mcpServers": {"web": {"command": "w"}}}"#);
    for word in ["claude", "claude-code"] {
        let report = home.json(0, &["import", "--from", word, "--dry-run"]);
        assert_eq!(report["added"], json!(["web"]), "{word}");
        assert_eq!(home.json(0, &["connect", word, "--dry-run"])["client"], "claude");
    }
    let named = |words: &[&str]| {
        let help = home.ok(words).stdout;
        let clients = "claude claude-desktop cursor vscode codex windsurf zed gemini";
        let is_value = |name: &str| help.contains(&format!("- {name}:"));
        clients.split(' ').all(is_value) && !is_value("claude-code")
    };
    assert!(named(&["connect", "--help"]) && named(&["import", "--help"]));
    for words in [&["connect", "cusor"][..], &["import", "--from", "cusor"]] {
        let run = home.run(words);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("'cursor'"), "{}", run.stderr);
    }
}
