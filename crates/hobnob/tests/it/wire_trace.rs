//! The trace of the wire: what switches it on, what it shows, and that it never shows a value.

use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::cli_call_setup::{ALLOW, Setup};
use crate::cli_config_home::Home;

const CANARY: &str = "canary";

/// Lines of the log under the trace's target.
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stderr);
    let parsed = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed.filter(|line| line["target"] == "hobnob::wire").collect()
}

fn said<'a>(lines: &'a [Value], message: &str) -> Vec<&'a Value> {
    lines.iter().map(|line| &line["fields"]).filter(|it| it["message"] == message).collect()
}

fn message(id: Value, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A conversation full of secrets.
fn talk(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = home.command(arguments);
    command.envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let secret = format!("{CANARY} value");
    let client = json!({"name": secret, "version": secret});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client,
        "_meta": {"token": secret}});
    let create = json!({"name": "tasks_create", "arguments": {"description": secret}});
    let unfit = json!({"name": "tasks_create", "arguments": {"description": {"canary key": secret},
        "canary other key": 1}});
    let unknown = json!({"name": secret, "arguments": {"password": secret}});
    for message in [
        message(json!(1), "initialize", &hello),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        message(json!(2), "tools/call", &create),
        message(json!(3), "tools/call", &unfit),
        message(json!(secret), "tools/call", &unknown),
        message(json!(5), &secret, &json!({})),
        json!({"jsonrpc": "2.0", "id": {"canary": 1}, "method": "ping"}),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    writeln!(stdin, "{{{CANARY}").unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn the_trace_shows_messages_handlers_problems_and_times_but_no_values() {
    let home = Home::new();
    let output = talk(&home, &["serve", "--trace"], &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains(CANARY), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(CANARY), "the talk is full of them");
    let lines = lines(&output);
    let messages = said(&lines, "message");
    let shapes: Vec<(&str, &str)> = messages
        .iter()
        .map(|it| (it["direction"].as_str().unwrap(), it["shape"].as_str().unwrap()))
        .collect();
    let create = r#"{"id":2,"method":"tools/call","params":{"name":string(12),"arguments":{"description":string(12)}}}"#;
    assert!(shapes.contains(&("received", create)), "{shapes:?}");
    let answered = |(way, shape): &&(&str, &str)| *way == "sent" && shape.contains(r#""id":2,"#);
    assert_eq!(shapes.iter().filter(answered).count(), 1, "{shapes:?}");
    let handlers = said(&lines, "handler");
    assert_eq!(handlers.len(), 1, "{handlers:?}");
    assert_eq!(handlers[0]["tool"], "tasks_create");
    let unfit = said(&lines, "unfit argument");
    let paths: Vec<&Value> = unfit.iter().map(|it| &it["path"]).collect();
    assert!(paths.contains(&&json!("arguments.description")), "{paths:?}");
    assert!(paths.contains(&&json!("arguments.key(16)")), "{paths:?}");
    let ended = said(&lines, "call ended");
    assert!(ended.iter().all(|it| it["microseconds"].is_u64()), "{ended:?}");
    // What is no method of MCP may be one of a service, so the tools are listed once.
    let methods: Vec<&Value> = ended.iter().map(|it| &it["method"]).collect();
    let count = |method: &str| methods.iter().filter(|it| **it == method).count();
    assert_eq!((count("tools/call"), count("tools/list")), (3, 1), "{ended:?}");
    assert_eq!(ended.len(), 4, "{ended:?}");
    assert!(!said(&lines, "a message cannot be read").is_empty(), "{lines:?}");
}

#[test]
fn the_level_switches_it_on_and_off() {
    let home = Home::new();
    type Variables = &'static [(&'static str, &'static str)];
    let cases: [(&[&str], Variables, bool); 7] = [
        (&["serve"], &[], false),
        (&["serve", "-v"], &[], false),
        (&["serve"], &[("LOG_LEVEL", "debug")], true),
        (&["serve"], &[("LOG_LEVEL", "info")], false),
        (&["serve"], &[("LOG_LEVEL", "debug"), ("RUST_LOG", "error")], false),
        (&["serve", "--trace"], &[("LOG_LEVEL", "error")], true),
        (&["serve", "--trace"], &[("RUST_LOG", "error")], true),
    ];
    for (arguments, variables, traced) in cases {
        let output = talk(&home, arguments, variables);
        assert_eq!(!lines(&output).is_empty(), traced, "{arguments:?} {variables:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains(CANARY), "{arguments:?} {variables:?}: {text}");
    }
}

#[test]
fn one_server_can_be_traced_alone() {
    let call = ["call", "script/typed", "text=canary"];
    let traced = [
        (Setup::new(&format!("{ALLOW}[servers.script]\ntrace = true\n")), &call[..], true, false),
        (Setup::new(ALLOW), &call[..], false, false),
        (Setup::new(ALLOW), &["call", "--trace", "script/typed", "text=canary"], true, true),
        (Setup::new(ALLOW), &["doctor", "--trace", "script"], true, false),
    ];
    for (setup, arguments, script, hub) in traced {
        let mut command = setup.home.command(arguments);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains(CANARY), "{arguments:?}: {text}");
        let lines = lines(&output);
        let seen = |peer: &str| said(&lines, "message").iter().any(|it| it["peer"] == peer);
        assert_eq!((seen("script"), seen("hub")), (script, hub), "{arguments:?}: {text}");
    }
}
