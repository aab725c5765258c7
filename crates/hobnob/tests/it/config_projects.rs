//! Servers of projects: an unapproved server hides no other, and projects do not share approvals.

use serde_json::{Value, json};

use crate::cli_config_home::{Home, read_json};

/// An entry of a program that is never started here.
fn entry(command: &str) -> Value {
    json!({"mcpServers": {"tool": {"command": command}}})
}

fn row(home: &Home) -> Value {
    home.json(0, &["list"])["servers"][0].clone()
}

#[test]
fn a_projects_entry_takes_the_users_place_only_once_it_is_approved() {
    let home = Home::new();
    home.write("home/.mcp.json", &entry("mine").to_string());
    home.write("project/.mcp.json", &entry("theirs").to_string());
    let mine = row(&home);
    assert_eq!((&mine["target"], &mine["origin"]), (&json!("mine"), &json!("user")));
    assert_eq!(mine["state"], "on", "{mine}");
    assert_eq!(mine["waiting"]["target"], "theirs", "{mine}");
    // Every command that lists or examines says that another one waits.
    let listed = home.ok(&["list"]);
    assert!(listed.stderr.contains("hobnob approve tool"), "{}", listed.stderr);
    let status = home.json(0, &["status"]);
    let warnings = status["servers"][0]["warnings"].to_string();
    assert!(warnings.contains("hobnob approve tool"), "{status}");
    let shown = home.run(&["approve", "tool"]);
    assert_eq!(shown.code, 4);
    assert!(shown.stderr.contains("    theirs\n  It would replace your own"), "{}", shown.stderr);

    // `disable` and `enable` change the entry in use, not the one that waits.
    home.ok(&["disable", "tool"]);
    assert_eq!(read_json(&home.path("home/.mcp.json"))["mcpServers"]["tool"]["disabled"], true);
    home.ok(&["enable", "tool"]);
    assert_eq!(row(&home)["target"], "mine");

    let report = home.json(0, &["approve", "tool", "--yes"]);
    assert_eq!(report["servers"][0]["decision"], "approved", "{report}");
    let theirs = row(&home);
    assert_eq!((&theirs["target"], &theirs["hides"]), (&json!("theirs"), &json!(["user"])));
    assert!(theirs["waiting"].is_null(), "{theirs}");
    // Changed, it waits again, and the user's own is back.
    home.write("project/.mcp.json", &entry("other").to_string());
    assert_eq!(row(&home)["target"], "mine");
}

#[test]
fn the_same_entry_in_two_projects_has_two_catalogues() {
    let home = Home::new();
    home.write("project/.mcp.json", &entry("./serve").to_string());
    home.write("second/.mcp.json", &entry("./serve").to_string());
    let second = home.path("second");
    let second = second.to_str().unwrap();
    home.json(0, &["approve", "tool", "--yes"]);
    // An approval is for one project.
    let listed = home.json(0, &["--project", second, "list"]);
    assert_eq!(listed["servers"][0]["state"], "needs-approval", "{listed}");
    home.json(0, &["--project", second, "approve", "tool", "--yes"]);

    let lists = |tool: &str| {
        json!({"server": "s 1", "revision": "2025-11-25", "completes": false, "resources": [],
            "templates": [], "prompts": [],
            "tools": [{"name": tool, "inputSchema": {"type": "object"}}]})
    };
    for (folder, tool) in [("project", "of-first"), ("second", "of-second")] {
        let identity = home.identity(folder, "tool");
        let file = format!("hobnob/state/catalogues/{identity}.json");
        home.write(&file, &lists(tool).to_string());
    }
    let tools = |project: &[&str]| {
        let listed = home.json(0, &[project, &["status"]].concat());
        (listed["servers"][0]["tools"].clone(), listed["servers"][0]["quarantined"].clone())
    };
    // Each has its own, and neither takes the other's for a change.
    assert_eq!(tools(&[]), (json!(1), Value::Null));
    assert_eq!(tools(&["--project", second]), (json!(1), Value::Null));
    assert_eq!(tools(&[]), (json!(1), Value::Null));
    let pins = read_json(&home.path("hobnob/state/approvals.json"))["pins"].clone();
    assert_eq!(pins.as_object().map(serde_json::Map::len), Some(2), "{pins}");
}
