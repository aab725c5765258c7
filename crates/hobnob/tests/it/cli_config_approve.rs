//! `approve`: servers of a project, and tools that are not what they were.

use serde_json::{Value, json};

use crate::cli_config_home::{Home, mode, read_json};

fn project(home: &Home, servers: &Value) {
    home.write("project/.mcp.json", &json!({"mcpServers": servers}).to_string());
}

fn state(home: &Home, name: &str) -> Value {
    let listed = home.json(0, &["list"]);
    let rows = listed["servers"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap()["state"].clone()
}

#[test]
fn nobody_is_asked_without_a_terminal() {
    let home = Home::new();
    project(&home, &json!({"a": {"command": "x"}}));
    for words in [&["approve"][..], &["approve", "a"], &["approve", "--all"]] {
        let run = home.run(words);
        assert_eq!(run.code, 4, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains("--yes"), "{words:?}: {}", run.stderr);
        // It is shown all the same.
        assert!(run.stderr.contains("would start:\n    x\n"), "{words:?}: {}", run.stderr);
    }
    assert_eq!(state(&home, "a"), "needs-approval");
    assert_eq!(home.run(&["approve", "--yes"]).code, 2);
    assert_eq!(home.run(&["approve", "a", "--all"]).code, 2);
    let run = home.run(&["approve", "nobody", "--yes"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("configured: a"), "{}", run.stderr);
}

#[test]
fn a_name_that_a_project_chose_is_one_word_of_the_command_to_copy() {
    let home = Home::new();
    project(&home, &json!({"x; rm -r ~": {"command": "x"}, "--yes": {"command": "x"}}));
    let command = "hobnob approve 'x; rm -r ~'";
    for words in
        [&["list"][..], &["status"], &["login", "x; rm -r ~"], &["sandbox", "learn", "x; rm -r ~"]]
    {
        let run = home.run(words);
        let said = run.stdout + &run.stderr;
        assert!(said.contains(command) && !said.contains("approve x"), "{words:?}: {said}");
        // This one would be an option.
        assert!(!said.contains("approve --yes"), "{words:?}: {said}");
    }
    let hint = home.json(0, &["status"])["servers"][0]["hint"].clone();
    assert_eq!(hint, command);
}

#[test]
fn what_is_misconfigured_is_not_to_be_approved() {
    let home = Home::new();
    project(&home, &json!({"a": {"command": "x", "env": {"T": "${HOBNOB_TEST_UNSET}"}}}));
    assert_eq!(state(&home, "a"), "misconfigured");
    let status = home.json(0, &["status"]);
    assert_eq!(status["servers"][0]["phase"], "misconfigured", "{status}");
    for words in [&["status"][..], &["tools"], &["call", "a/x"]] {
        let run = home.run(words);
        let said = run.stdout + &run.stderr;
        assert!(!said.contains("hobnob approve"), "{words:?}: {said}");
    }
}

#[test]
fn exactly_what_was_shown_is_approved() {
    let home = Home::new();
    let entry = json!({"command": "x", "args": ["a b"], "env": {"T": "${T:-1}"}});
    project(&home, &json!({"a": entry, "b": {"command": "y"}}));
    let report = home.json(0, &["approve", "a", "--yes"]);
    assert_eq!(report["servers"][0]["lines"], json!(["x 'a b'", "with T=${T:-1}"]));
    assert_eq!(report["servers"][0]["decision"], "approved");
    assert_eq!(state(&home, "a"), "on");
    assert_eq!(state(&home, "b"), "needs-approval");
    assert_eq!(mode(&home.path("hobnob/state/approvals.json")), 0o600);
    let run = home.ok(&["approve", "a", "--yes"]);
    assert!(run.stdout.contains("nothing waits"), "{}", run.stdout);
    // A changed command needs a new approval.
    project(&home, &json!({"a": {"command": "z"}, "b": {"command": "y"}}));
    assert_eq!(state(&home, "a"), "needs-approval");
    let run = home.ok(&["approve", "--all", "--yes"]);
    assert!(run.stdout.contains("approved: a\napproved: b\n"), "{}", run.stdout);
    assert!(run.stderr.contains("    z\n"), "{}", run.stderr);
    assert_eq!(state(&home, "b"), "on");
}

#[test]
fn what_cannot_be_shown_is_not_approved() {
    let home = Home::new();
    project(&home, &json!({"a": {"command": "${HOBNOB_TEST_UNSET}"}}));
    let run = home.run(&["approve", "a", "--yes"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("HOBNOB_TEST_UNSET"), "{}", run.stderr);
    home.write("hobnob/state/approvals.json", "{");
    let run = home.run(&["approve", "--all", "--yes"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("approvals.json:1:"), "{}", run.stderr);
}

#[test]
fn tools_that_changed_are_shown_and_approved() {
    let home = Home::new();
    home.ok(&["add", "one", "--", "server"]);
    let digest = home.identity("project", "one");
    let old = "0".repeat(64);
    let tools = json!([
        {"name": "same", "description": "as ever"},
        {"name": "new", "description": "<IMPORTANT>do it</IMPORTANT>"},
        {"name": "changed", "inputSchema": {"type": "object"}},
    ]);
    let lists = json!({"server": "s 1", "revision": "2025-11-25", "completes": false,
        "tools": tools, "resources": [], "templates": [], "prompts": []});
    home.write(&format!("hobnob/state/catalogues/{digest}.json"), &lists.to_string());
    let approvals = json!({"pins": {format!("one/{digest}"): {"changed": old}}});
    home.write("hobnob/state/approvals.json", &approvals.to_string());
    let run = home.run(&["approve", "one"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert!(run.stderr.contains("tool `same` of server `one` is new"), "{}", run.stderr);
    let report = home.json(0, &["approve", "one", "--yes"]);
    let tools: Vec<_> = report["tools"].as_array().unwrap().iter().collect();
    let shown = |at: usize| (tools[at]["name"].clone(), tools[at]["why"].clone());
    assert_eq!(shown(0), ("same".into(), "new".into()));
    assert_eq!(shown(1), ("new".into(), "new".into()));
    assert_eq!(shown(2), ("changed".into(), "changed".into()));
    assert_eq!(tools[1]["suspicions"], json!(["instructions"]));
    let run = home.ok(&["approve", "one", "--yes"]);
    assert!(run.stdout.contains("nothing waits"), "{}", run.stdout);
    let pins = read_json(&home.path("hobnob/state/approvals.json"))["pins"].clone();
    assert_eq!(pins[format!("one/{digest}")].as_object().unwrap().len(), 3);
}
