//! `add`, `remove`, `enable`, `disable` and `list`: what they write, show and refuse.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli_config_home::{Home, mode, read_json};

#[test]
fn a_command_is_written_as_typed() {
    let home = Home::new();
    let added = home.json(
        0,
        &[
            "add",
            "files",
            "--env",
            "TOKEN=${TOKEN:-x}",
            "--cwd",
            "/srv",
            "--timeout",
            "30s",
            "--allow-tools",
            "read_*",
            "--deny-tools",
            "write",
            "--",
            "server",
            "--root",
            "a b",
        ],
    );
    let expected = json!({
        "command": "server", "args": ["--root", "a b"], "env": {"TOKEN": "${TOKEN:-x}"},
        "cwd": "/srv", "timeout": "30s", "allowedTools": ["read_*"], "deniedTools": ["write"],
    });
    assert_eq!(read_json(&home.own())["mcpServers"]["files"], expected);
    assert_eq!(mode(&home.own()), 0o600);
    let starts = json!(["server --root 'a b'", "in /srv", "with TOKEN=${TOKEN:-x}"]);
    assert_eq!(added["starts"], starts);
    assert_eq!(added["scope"], "own");
    assert_eq!(added["approval"], "not-needed");
    assert_eq!(added["replaced"], false);
}

#[test]
fn an_address_is_written_with_its_headers() {
    let home = Home::new();
    let words =
        ["add", "far", "https://host/mcp", "--type", "http", "-H", "Authorization: Bearer ${T:-t}"];
    let run = home.ok(&words);
    assert!(run.stdout.contains("https://host/mcp"), "{}", run.stdout);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let expected = json!({
        "type": "http", "url": "https://host/mcp",
        "headers": {"Authorization": "Bearer ${T:-t}"},
    });
    assert_eq!(read_json(&home.own())["mcpServers"]["far"], expected);
    let run = home.ok(&["add", "clear", "http://example.com/mcp"]);
    assert!(run.stderr.contains("unencrypted"), "{}", run.stderr);
    let run = home.ok(&["add", "loose", "--", "npx", "-y", "@scope/pkg"]);
    assert!(run.stderr.contains("pin a version"), "{}", run.stderr);
}

#[test]
fn each_scope_has_its_file() {
    let home = Home::new();
    for (scope, file) in [
        ("own", "hobnob/config/mcp.json"),
        ("user", "home/.mcp.json"),
        ("project", "project/.mcp.json"),
    ] {
        home.ok(&["add", "same", "--scope", scope, "--", "server", scope]);
        let entry = read_json(&home.path(file))["mcpServers"]["same"].clone();
        assert_eq!(entry["args"], json!([scope]));
    }
    let run = home.run(&["remove", "same"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("--scope project|own|user"), "{}", run.stderr);
    let listed = home.json(0, &["list"]);
    // The project's server is not approved yet.
    assert_eq!(listed["servers"][0]["origin"], "own");
    assert_eq!(listed["servers"][0]["hides"], json!(["user"]));
    home.ok(&["approve", "same", "--yes"]);
    let listed = home.json(0, &["list"]);
    assert_eq!(listed["servers"][0]["origin"], "project");
    assert_eq!(listed["servers"][0]["hides"], json!(["user", "own"]));
    assert_eq!(listed["servers"][0]["state"], "on");
    let removed = home.ok(&["remove", "same", "--scope", "project"]).stdout;
    assert_eq!(home.json(0, &["list"])["servers"][0]["origin"], "own");
    // The copy is not in the project, whose repository would get it.
    let files = fs::read_dir(home.path("project")).unwrap();
    let names: Vec<_> = files.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, [".mcp.json"]);
    let [copy] = &home.copies("mcp.json")[..] else { panic!("one copy: {removed}") };
    assert!(removed.contains(copy.to_str().unwrap()), "{removed}");
    assert!(copy.file_name().unwrap().to_str().unwrap().starts_with("project-mcp.json.bak-"));
    assert_eq!(read_json(copy)["mcpServers"]["same"]["args"], json!(["project"]));
}

#[test]
fn an_existing_name_needs_force_and_leaves_a_copy() {
    let home = Home::new();
    home.ok(&["add", "one", "--", "first"]);
    let run = home.run(&["add", "one", "--", "second"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
    assert!(home.copies("mcp.json").is_empty());
    let added = home.json(0, &["add", "one", "--force", "--", "second"]);
    assert_eq!(added["replaced"], true);
    let copies = home.copies("mcp.json");
    assert_eq!(copies.len(), 1);
    assert_eq!(read_json(&copies[0])["mcpServers"]["one"]["command"], "first");
    assert_eq!(mode(&copies[0]), 0o600);
    assert_eq!(read_json(&home.own())["mcpServers"]["one"]["command"], "second");
}

#[test]
fn allow_adds_a_rule_and_keeps_the_text() {
    let home = Home::new();
    let before = "# mine\n[timeouts]\ncall = \"1m\" # short";
    home.write("hobnob/config/config.toml", before);
    home.ok(&["add", "one", "--allow", "--", "first"]);
    let after = fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    let rule = "[[permissions]]\nserver = \"one\"\ntool = \"*\"\naction = \"allow\"\n";
    assert_eq!(after, format!("{before}\n\n{rule}"));
    // Adding the server again writes no second rule.
    home.ok(&["add", "one", "--allow", "--force", "--", "first"]);
    assert_eq!(fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap(), after);
    // Invalid settings stop the command before it writes anything.
    home.write("hobnob/config/config.toml", "[oops");
    assert_eq!(home.run(&["add", "two", "--allow", "--", "second"]).code, 1);
    assert_eq!(read_json(&home.own())["mcpServers"].get("two"), None);
    home.write("hobnob/config/config.toml", "permissions = []\n");
    assert_eq!(home.run(&["add", "two", "--allow", "--", "second"]).code, 1);
    assert_eq!(read_json(&home.own())["mcpServers"].get("two"), None);
}

#[test]
fn what_makes_no_sense_is_a_mistake_of_use() {
    let home = Home::new();
    let cases: [&[&str]; 13] = [
        &["add"],
        &["add", "x"],
        &["add", "x", "program"],
        &["add", "x", "https://h", "--", "program"],
        &["add", "a/b", "--", "program"],
        &["add", "x", "--env", "nonsense", "--", "program"],
        &["add", "x", "--env", "A=1", "https://h"],
        &["add", "x", "-H", "A: 1", "--", "program"],
        &["add", "x", "https://h", "-H", "nonsense"],
        &["add", "x", "--timeout", "soon", "--", "program"],
        &["add", "x", "--timeout", "0s", "--", "program"],
        &["remove", "a/b"],
        &["list", "--nonsense"],
    ];
    for words in cases {
        let run = home.run(words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.stderr);
        assert!(run.stdout.is_empty(), "{words:?}: {}", run.stdout);
        assert!(!run.stderr.is_empty(), "{words:?}");
    }
    assert!(!home.own().exists());
    let run = home.run(&["add", "x", "program"]);
    assert!(run.stderr.contains("hobnob add x -- program"), "{}", run.stderr);
}

#[test]
fn removing_leaves_the_others_and_a_copy() {
    let home = Home::new();
    home.write(
        "hobnob/config/mcp.json",
        "{\"other\": 1, \"mcpServers\": {\"a\": {\"command\": \"x\"}, \"b\": {\"command\": \"y\"}}}",
    );
    let removed = home.json(0, &["remove", "a"]);
    let root = read_json(&home.own());
    assert_eq!(root, json!({"other": 1, "mcpServers": {"b": {"command": "y"}}}));
    let copy = removed["backup"].as_str().unwrap();
    assert!(fs::read_to_string(copy).unwrap().contains("\"a\""));
    let run = home.run(&["remove", "a"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("configured: b"), "{}", run.stderr);
}

#[test]
fn a_switch_is_seen_in_the_list() {
    let home = Home::new();
    home.ok(&["add", "one", "--", "first"]);
    let state = |home: &Home| home.json(0, &["list"])["servers"][0]["state"].clone();
    assert_eq!(state(&home), "on");
    assert_eq!(home.json(0, &["disable", "one"])["state"], "off");
    assert_eq!(state(&home), "off");
    assert_eq!(home.json(0, &["enable", "one"])["state"], "on");
    assert_eq!(state(&home), "on");
    assert_eq!(home.run(&["enable", "nobody"]).code, 2);
    assert_eq!(home.run(&["disable", "one", "--scope", "user"]).code, 1);
}

#[test]
fn the_list_tells_states_and_starts_nothing() {
    let home = Home::new();
    let touched = home.path("touched");
    let touch = touched.to_str().unwrap();
    let servers = json!({"mcpServers": {
        "good": {"command": "touch", "args": [touch]},
        "off": {"command": "touch", "args": [touch], "disabled": true},
        "unset": {"command": "server", "env": {"A": "${HOBNOB_TEST_UNSET}"}},
        "evil": {"command": "x\u{1b}[2J"},
        "web": {"url": "https://host/mcp", "type": "sse"},
    }});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    home.write("project/.mcp.json", &json!({"mcpServers": {"mine": {"command": "p"}}}).to_string());
    home.write("home/.mcp.json", "{\n  \"mcpServers\": oops\n}");
    let listed = home.json(0, &["list"]);
    let rows = listed["servers"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    let states = ["good", "off", "unset", "web", "mine"].map(|name| row(name)["state"].clone());
    assert_eq!(states, ["on", "off", "misconfigured", "on", "needs-approval"].map(Value::from));
    assert!(row("unset")["reason"].as_str().unwrap().contains("HOBNOB_TEST_UNSET"));
    assert_eq!(row("web")["transport"], "sse");
    assert_eq!(row("good")["transport"], "stdio");
    assert_eq!(row("good")["target"], format!("touch {touch}"));
    assert_eq!(row("good")["file"], home.own().to_str().unwrap());
    assert_eq!(listed["problems"][0]["line"], 2);
    let run = home.ok(&["list"]);
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(run.stdout.starts_with("NAME "), "{}", run.stdout);
    assert!(run.stderr.contains(".mcp.json:2:"), "{}", run.stderr);
    assert!(run.stderr.contains("hobnob approve mine"), "{}", run.stderr);
    assert!(!touched.exists());
}

#[test]
fn an_empty_list_says_what_to_do() {
    let home = Home::new();
    let run = home.ok(&["list"]);
    assert!(run.stdout.is_empty() && run.stderr.contains("hobnob add"), "{}", run.stderr);
    assert_eq!(home.json(0, &["list"]), json!({"servers": [], "problems": []}));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let home = Home::new();
    let many: serde_json::Map<String, Value> =
        (0..3000).map(|at| (format!("s{at}"), json!({"command": "x".repeat(200)}))).collect();
    home.write("hobnob/config/mcp.json", &json!({"mcpServers": many}).to_string());
    let mut command = home.command(&["list"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 4];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn exit_codes_are_in_the_help() {
    let help = Home::new().ok(&["--help"]).stdout;
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "124 ", "130 "] {
        assert!(help.contains(&format!("\n  {code}")), "{code}: {help}");
    }
}

/// A variable that is not set stops only the commands that need it.
#[test]
fn without_the_key_of_an_embedding_endpoint_the_rest_works() {
    let home = Home::new();
    home.write(
        "hobnob/config/config.toml",
        "[embeddings]\nprovider = \"endpoint\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n\
         key_variable = \"HOBNOB_TEST_NO_SUCH_KEY\"\n",
    );
    home.ok(&["tasks", "list"]);
    home.ok(&["memory", "capture", "Use PostgreSQL", "-n", "decisions"]);
    let found = home.ok(&["memory", "recall", "postgresql"]);
    assert!(found.stdout.contains("Use PostgreSQL"), "{}", found.stdout);
    let doctor = home.json(0, &["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    let shown = checks.iter().find(|check| check["what"] == "embeddings").unwrap();
    assert_eq!(shown["verdict"], "warning", "{shown}");
    assert!(shown["message"].as_str().unwrap().contains("HOBNOB_TEST_NO_SUCH_KEY"), "{shown}");
}

#[test]
fn a_broken_file_is_reported_on_standard_error_whoever_reads_the_answer() {
    let home = Home::new();
    home.write("project/.mcp.json", "{\n  \"mcpServers\": {,}\n}");
    for words in [
        &["list"][..],
        &["status"],
        &["tools"],
        &["resources"],
        &["prompts"],
        &["call", "health_check"],
        &["doctor"],
        &["approve", "--all", "--yes"],
        &["import", "--dry-run"],
        &["audit"],
        &["add", "x", "--", "x"],
        &["disable", "x"],
        &["enable", "x"],
        &["remove", "x"],
        &["memory", "list"],
        &["tasks", "list"],
    ] {
        for json in [&[][..], &["--json"]] {
            let run = home.run(&[json, words].concat());
            let shown = match (words, json) {
                // A person reads it in the report.
                (["doctor"], []) => &run.stdout,
                _ => &run.stderr,
            };
            assert!(shown.contains(".mcp.json:2:"), "{json:?} {words:?}: {shown}");
        }
    }
    home.write("hobnob/config/config.toml", "[gateway]\nstart = 1");
    let run = home.run(&["--json", "list"]);
    assert!(run.stderr.contains("config.toml:2:"), "{}", run.stderr);
}
