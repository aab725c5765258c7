//! `doctor`: every kind of broken server gets a finding of its own, and a good one gets none.

use std::fs;

use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::program::PROGRAM;

/// The program itself is a good server.
fn good(home: &Home) -> Value {
    json!({"command": PROGRAM, "args": ["serve"],
        "env": {"HOBNOB_HOME": home.path("inner").to_str().unwrap()}})
}

fn configure(home: &Home, servers: &Value) {
    home.write("hobnob/config/mcp.json", &json!({"mcpServers": servers}).to_string());
}

fn server<'a>(report: &'a Value, name: &str) -> &'a Value {
    let servers = report["servers"].as_array().unwrap();
    servers.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}

#[test]
fn a_machine_without_servers_is_well() {
    let home = Home::new();
    let report = home.json(0, &["doctor"]);
    assert_eq!(report["ok"], true);
    assert_eq!(report["servers"], json!([]));
    let checks = report["checks"].as_array().unwrap();
    for what in ["folder", "servers", "settings", "rules", "supervisor", "sandbox", "memory limit"]
    {
        assert!(checks.iter().any(|check| check["what"] == what), "{what}: {report}");
    }
    let run = home.ok(&["doctor"]);
    assert!(run.stdout.contains("no problems found"), "{}", run.stdout);
    assert_eq!(home.run(&["doctor", "nobody"]).code, 2);
}

#[test]
fn each_server_is_judged_by_itself() {
    let home = Home::new();
    home.write("hobnob/config/config.toml", "[timeouts]\nhandshake = \"3s\"\n");
    let good = good(&home);
    let mut noisy = json!({"command": "sh", "env": good["env"]});
    noisy["args"] = json!(["-c", format!("echo Welcome; exec '{PROGRAM}' serve")]);
    configure(
        &home,
        &json!({
            "good": good,
            "noisy": noisy,
            "missing": {"command": "npx-that-is-not-there"},
            "path": {"command": "/nowhere/server"},
            "unset": {"command": "x", "env": {"A": "${HOBNOB_TEST_UNSET}"}},
            "crash": {"command": "sh", "args": ["-c", "echo no database >&2; exit 3"]},
            "hang": {"command": "sh", "args": ["-c", "cat >/dev/null"]},
            "deaf": {"command": "sleep", "args": ["60"]},
            "off": {"command": "x", "disabled": true},
        }),
    );
    let report = home.json(1, &["doctor"]);
    assert_eq!(report["ok"], false);
    let verdict = |name: &str| server(&report, name)["verdict"].clone();
    assert_eq!(verdict("good"), "ok", "{report:#}");
    assert!(text(server(&report, "good"), "server").starts_with("hobnob "));
    assert!(server(&report, "good")["tools"].as_u64().unwrap() > 0);
    assert!(server(&report, "good")["took_ms"].is_u64());
    assert_eq!(verdict("noisy"), "warning", "{report:#}");
    assert!(server(&report, "noisy")["warnings"][0].as_str().unwrap().contains("standard output"));
    for (name, reason, hint) in [
        ("missing", "no program `npx-that-is-not-there`", "full path"),
        ("path", "no program `/nowhere/server`", "path"),
        ("unset", "HOBNOB_TEST_UNSET", "mcp.json"),
        ("crash", "no database", "run the command yourself"),
        ("hang", "no greeting within", "handshake"),
        ("deaf", "no greeting within", "handshake"),
    ] {
        assert_eq!(verdict(name), "broken", "{name}: {report:#}");
        let found = server(&report, name);
        assert!(text(found, "reason").contains(reason), "{name}: {found}");
        assert!(text(found, "hint").contains(hint), "{name}: {found}");
    }
    assert_eq!(verdict("off"), "note");
    // What was learned is kept, and nothing else is left.
    let left = fs::read_dir(home.path("hobnob/state")).unwrap();
    let mut left: Vec<_> = left.map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["catalogues", "failures"]);
    // A report on healthy servers only is a success.
    let report = home.json(0, &["doctor", "good", "off"]);
    assert_eq!(report["servers"].as_array().unwrap().len(), 2);
    let run = home.run(&["doctor", "missing"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("1 problem found"), "{}", run.stdout);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn a_project_is_not_started_before_it_is_approved() {
    let home = Home::new();
    let touched = home.path("touched");
    let entry = json!({"command": "touch", "args": [touched.to_str().unwrap()]});
    home.write("project/.mcp.json", &json!({"mcpServers": {"mine": entry}}).to_string());
    let report = home.json(0, &["doctor"]);
    assert_eq!(server(&report, "mine")["verdict"], "warning");
    assert_eq!(server(&report, "mine")["hint"], "hobnob approve mine");
    assert!(!touched.exists());
    home.ok(&["approve", "mine", "--yes"]);
    let report = home.json(1, &["doctor"]);
    assert_eq!(server(&report, "mine")["verdict"], "broken");
    assert!(touched.exists());
}

#[test]
fn broken_files_are_named_with_their_places() {
    let home = Home::new();
    home.write("home/.mcp.json", "{\n  \"mcpServers\": oops\n}");
    home.write("hobnob/config/config.toml", "[[permissions]]\ntool = \"a\"\naction = \"maybe\"\n");
    home.write("hobnob/config/profiles/mine.toml", "nonsense = 1\n");
    home.write("hobnob/state/approvals.json", "[]");
    let report = home.json(1, &["doctor"]);
    let broken: Vec<String> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["verdict"] == "broken")
        .map(|check| text(check, "message").to_owned())
        .collect();
    for place in [".mcp.json:2:", "config.toml:3:", "mine.toml:1:", "approvals.json"] {
        assert!(broken.iter().any(|it| it.contains(place)), "{place}: {broken:?}");
    }
    assert_eq!(broken.len(), 4, "{broken:?}");
}
