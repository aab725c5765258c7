//! `hobnob sandbox learn`: what is proposed, when it is written, and that a server can do in it
//! what it did, and nothing else; and what is said of sandboxes that cannot be.

use std::fs;
use std::path::Path;

use hobnob_mcp_process::SandboxLevel;
use hobnob_mcp_process::supervisor::sandbox_support;
use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::program::PROGRAM;

/// A server that reads one file and adds to another one before it answers.
const SERVER: &str = r#"
import json, os, sys
home = os.path.expanduser("~")
print(open(home + "/data/settings").read(), file=sys.stderr)
open(home + "/log/file", "a").write("started")
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    match message["method"]:
        case "initialize":
            answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                "serverInfo": {"name": "s", "version": "1"}}
        case "tools/list":
            answer["result"] = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
        case "tools/call":
            text = open(home + message["params"]["arguments"]["path"]).read()
            answer["result"] = {"content": [{"type": "text", "text": text}]}
        case _:
            answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
"#;

fn home() -> Home {
    let home = Home::new();
    home.write("home/server.py", SERVER);
    home.write("home/data/settings", "some");
    home.write("home/log/file", "");
    home.write("home/data/more", "more");
    home.write("home/secret", "secret");
    let server = home.path("home/server.py");
    // Not what `PATH` may have in its place: a script that needs a whole home.
    let entry = json!({"command": "/usr/bin/python3", "args": [server]});
    let servers = json!({"mcpServers": {"s": entry, "far": {"url": "http://127.0.0.1:9/mcp"}}});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    home
}

fn has_full_sandbox() -> bool {
    sandbox_support(Path::new(PROGRAM)).level == SandboxLevel::Full
}

fn finding(home: &Home, code: i32) -> Value {
    let report = home.json(code, &["doctor", "s"]);
    report["servers"][0].clone()
}

#[test]
fn what_was_learnt_is_enough_and_no_more() {
    let home = home();
    let settings = home.path("hobnob/config/config.toml");
    let shown = home.ok(&["sandbox", "learn", "s"]);
    let proposal = "[servers.s]\nsandbox = { read = [\n    \"~/data/settings\",\n    \"~/server.py\",\n\
                    ], write = [\"~/log/file\"], network = false }\n";
    assert_eq!(shown.stdout, proposal);
    // Without a terminal, no person could be asked.
    assert!(!settings.exists() && shown.stderr.contains("nothing was written"), "{}", shown.stderr);
    let learnt = home.json(0, &["sandbox", "learn", "s", "--yes"]);
    assert_eq!((&learnt["written"], &learnt["network"]), (&json!(true), &json!(false)));
    assert_eq!(fs::read_to_string(&settings).unwrap(), proposal);
    let call = r#"t {"path": "/data/more"}"#;
    let called = home.json(0, &["sandbox", "learn", "s", "--call", call]);
    assert_eq!(called["read"], json!(["~/data/more", "~/data/settings", "~/server.py"]));
    assert_eq!(home.run(&["sandbox", "learn", "s", "--call", "t more"]).code, 2);
    if !has_full_sandbox() {
        return;
    }
    let found = finding(&home, 0);
    assert_eq!((&found["sandbox"], &found["tools"]), (&json!("full"), &json!(1)), "{found}");
    assert!(home.ok(&["show", "s"]).stdout.contains("writes ~/log/file"));
    home.write("home/server.py", &SERVER.replace("/data/settings", "/secret"));
    let found = finding(&home, 1);
    assert!(found["reason"].as_str().unwrap().contains("FileNotFoundError"), "{found}");
}

#[test]
fn a_sandbox_that_cannot_be_is_an_error_that_says_what_to_do() {
    let home = home();
    if !has_full_sandbox() {
        return;
    }
    for (sandbox, wrong) in [
        (r#"{ read = ["~/gone"] }"#, "`sandbox.read[0]` (`~/gone`) cannot be used"),
        (r#"{ read = ["~/data"], write = ["~/../"] }"#, "contains `..`"),
    ] {
        home.write("hobnob/config/config.toml", &format!("[servers.s]\nsandbox = {sandbox}\n"));
        let report = home.json(1, &["doctor", "s"]).to_string();
        assert!(report.contains(wrong), "{sandbox}: {report}");
    }
}

#[test]
fn only_a_person_learns_and_only_programs_have_a_sandbox() {
    let home = home();
    let mut command = home.command(&["sandbox", "learn", "s", "--yes"]);
    let output = command.env("HOBNOB_INSTANCES", "1").output().unwrap();
    assert!(!output.status.success());
    let far = home.run(&["sandbox", "learn", "far"]);
    assert!(far.stderr.contains("only programs have a sandbox"), "{}", far.stderr);
    assert_eq!(home.run(&["sandbox", "learn", "nobody"]).code, 2);
}
