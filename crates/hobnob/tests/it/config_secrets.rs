//! Values of variables in entries of servers are shown nowhere: not by a command, not in an error,
//! not in a log, not in what clients may read.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cli_config_home::Home;

/// Variables of the environment, each with a value that is found wherever it leaks to.
const VARIABLES: [(&str, &str); 6] = [
    ("CANARY_COMMAND", "/canary-command"),
    ("CANARY_CWD", "/canary-cwd"),
    ("CANARY_ARG", "canary-arg"),
    ("CANARY_ENV", "canary env with spaces"),
    ("CANARY_URL", "canary-url"),
    ("CANARY_HEADER", "canary-header"),
];

/// Servers that fail in every way in which a value could be repeated.
fn servers() -> Value {
    let says = "echo \"cannot use $0 with $TOKEN\" >&2; exit 3";
    json!({"mcpServers": {
        "program": {"command": "${CANARY_COMMAND}/bin/server", "args": ["x"]},
        "folder": {"command": "sh", "cwd": "${CANARY_CWD}/inside"},
        "says": {"command": "sh", "args": ["-c", says, "${CANARY_ARG}"],
                 "env": {"TOKEN": "${CANARY_ENV}"}},
        "away": {"url": "http://127.0.0.1:1/${CANARY_URL}/mcp?key=${CANARY_URL}",
                 "headers": {"Authorization": "Bearer ${CANARY_HEADER}"}},
        "host": {"url": "http://${CANARY_URL}.invalid:1/mcp"},
        "wrong": {"url": "${CANARY_URL}"},
        "unset": {"command": "${CANARY_COMMAND}", "args": ["${CANARY_MISSING}"]},
    }})
}

fn home() -> Home {
    let home = Home::new();
    home.write("hobnob/config/mcp.json", &servers().to_string());
    home.write("project/.mcp.json", &servers().to_string());
    let settings = "[timeouts]\nconnect = \"1s\"\nhandshake = \"10s\"\n\
                    [[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";
    home.write("hobnob/config/config.toml", settings);
    home
}

fn with_variables(command: &mut Command) -> &mut Command {
    command.envs(VARIABLES).env("RUST_LOG", "debug").env("HOBNOB_NO_REUSE", "1")
}

fn assert_quiet(what: &str, texts: [&[u8]; 2]) {
    for text in texts {
        let text = String::from_utf8_lossy(text);
        let leaked = VARIABLES.iter().find(|(_, value)| text.contains(value));
        assert_eq!(leaked, None, "{what}: {text}");
        // Not even a part of it, or in another spelling.
        assert!(!text.contains("canary-") && !text.contains("canary%20"), "{what}: {text}");
    }
}

#[test]
fn no_command_shows_what_a_variable_holds() {
    let home = home();
    for words in [
        &["list"][..],
        &["status"],
        &["doctor"],
        &["tools"],
        &["call", "mcp__says__x"],
        &["call", "mcp__program__x"],
        &["call", "mcp__folder__x"],
        &["call", "mcp__away__x"],
        &["read", "hobnob://logs/says"],
        &["approve", "--all", "--yes"],
        &["doctor", "program", "says"],
        &["status"],
    ] {
        for json in [&[][..], &["--json"]] {
            let arguments = [json, words].concat();
            let output = with_variables(&mut home.command(&arguments)).output().unwrap();
            assert_quiet(&format!("{arguments:?}"), [&output.stdout, &output.stderr]);
        }
    }
    // The names of the variables are shown instead.
    let output = with_variables(&mut home.command(&["doctor", "program"])).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("${CANARY_COMMAND}/bin/server"), "{text}");
    // And nothing is on the disk either, but for digests.
    let mut folders = vec![home.path("hobnob/state")];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            match file.is_dir() {
                true => folders.push(file),
                false => {
                    assert_quiet(file.to_str().unwrap(), [&std::fs::read(&file).unwrap(), &[]])
                }
            }
        }
    }
}

#[test]
fn no_client_is_shown_what_a_variable_holds() {
    let home = home();
    let mut command = home.command(&["serve"]);
    let mut child = with_variables(&mut command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut send = |id: Option<u32>, method: &str, params: Value| {
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = json!(id);
        }
        writeln!(stdin, "{message}").unwrap();
    };
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}});
    send(Some(1), "initialize", hello);
    send(None, "notifications/initialized", json!({}));
    send(Some(2), "tools/list", json!({}));
    let names = ["program", "folder", "says", "away", "host", "wrong", "unset"];
    for (id, name) in (10..).zip(names) {
        let call = json!({"name": format!("mcp__{name}__x"), "arguments": {}});
        send(Some(id), "tools/call", call);
        let log = json!({"uri": format!("hobnob://logs/{name}")});
        send(Some(id + 100), "resources/read", log);
        send(Some(id + 200), "resources/read", json!({"uri": "hobnob://status"}));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let answered = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(answered.contains("${CANARY_COMMAND}"), "{answered}");
    assert_quiet("serve", [&output.stdout, &output.stderr]);
}
