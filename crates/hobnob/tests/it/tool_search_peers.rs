//! A long list of recorded tools, searched by third-party clients: each finds a tool, describes it
//! and calls it, in every era and transport it has.
//!
//! What must stay true: a tool that a rule denies or asks about, that is held back or that does not
//! exist is answered through `call_tool` exactly as it is directly.

use std::path::Path;

use serde_json::{Value, json};

use crate::faults_client::Client;
use crate::faults_setup::{Setup, until};
use crate::peers::{Peer, peer_tests, report_of};
use crate::program::{PROGRAM, listening};

/// The recorded servers behind the hub: 59 tools, and with the built-ins about 12,000 tokens.
const SERVERS: [&str; 3] = ["github", "playwright", "slack"];

const RULES: &str = "[gateway]\ntool_budget = 1000\n[[permissions]]\ntool = \"mcp__github__create_issue\"\naction = \"allow\"\n\
     [[permissions]]\ntool = \"mcp__github__fork_repository\"\naction = \"deny\"\n\
     [[permissions]]\ntool = \"mcp__slack__refresh\"\naction = \"allow\"\n";

/// Allowed, denied, asked about, held back and unknown.
const CALLS: [&str; 5] = [
    "mcp__github__create_issue",
    "mcp__github__fork_repository",
    "mcp__playwright__browser_close",
    "mcp__slack__added_later",
    "mcp__github__creat_issue",
];

/// The recorded tools of one server.
fn recorded(server: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/tools/tools.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    let tools = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut tools: Vec<Value> = tools.filter(|tool| tool["server"] == server).collect();
    tools.iter_mut().for_each(|tool| drop(tool.as_object_mut().unwrap().remove("server")));
    tools
}

/// A home in which one tool of `slack` is held back.
async fn setup(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upstreams/listed.py");
    setup.settings(RULES);
    for server in SERVERS {
        let file = format!("{server}.json");
        setup.put(&file, &json!(recorded(server)).to_string());
        let entry = json!({"command": "python3", "args": [script, setup.file(&file)]});
        setup.server(server, entry);
    }
    let mut client = Client::legacy(&setup).await;
    client.tools().await;
    let mut tools = recorded("slack");
    tools.push(json!({"name": "added_later", "inputSchema": {"type": "object"}}));
    setup.put("slack.json", &json!(tools).to_string());
    client.text("mcp__slack__refresh", json!({})).await;
    let stored = || setup.stored_catalogues().contains("added_later");
    until("the new tool is known", std::time::Duration::from_secs(30), stored).await;
    client.end().await;
    Some(setup)
}

async fn check(library: &str, era: &str, transport: &str) {
    let Some(peer) = Peer::find(library) else { return };
    let Some(setup) = setup(&format!("search-{library}-{era}-{transport}")).await else { return };
    let mut command = match library {
        "sdk" | "client" => peer.script("search.mjs"),
        _ => peer.python("search.py"),
    };
    let plan = json!({"query": "create a new issue on github", "calls": CALLS}).to_string();
    command.args([library, era, transport, &plan]);
    command.env("HOBNOB_HOME", &setup.home).current_dir(setup.home.join("project"));
    let server = match transport {
        "stdio" => {
            command.args([PROGRAM, "serve"]);
            None
        }
        _ => {
            let server = listening(setup.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
            command.arg(&server.url);
            Some(server)
        }
    };
    let seen = report_of(&mut command).await;
    drop(server);
    assert_eq!(seen["tools"], json!(["call_tool", "describe_tools", "find_tools"]), "{seen}");
    let found = &seen["found"][0];
    assert_eq!(found["name"], "mcp__github__create_issue", "{seen}");
    assert_eq!(found["server"], "github");
    assert_eq!(found["required"], json!(["owner", "repo", "title"]));
    let all = seen["found"].to_string();
    assert!(!all.contains("fork_repository") && !all.contains("added_later"), "{all}");
    let described = &seen["described"][0];
    assert_eq!(described["name"], found["name"]);
    assert!(described["inputSchema"]["properties"]["title"].is_object(), "{described}");
    assert_eq!(seen["result"]["content"][0]["text"], "ran create_issue", "{seen}");
    let words = ["ran create_issue", "denied by", "not run yet", "held back", "did you mean"];
    let pairs = seen["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), words.len());
    for (pair, words) in pairs.iter().zip(words) {
        assert_eq!(pair[1], pair[2], "{}", pair[0]);
        assert!(pair[1].to_string().contains(words), "{pair}");
    }
}

peer_tests! {
    sdk_legacy_stdio: check("sdk", "legacy", "stdio");
    sdk_legacy_http: check("sdk", "legacy", "http");
    client_legacy_stdio: check("client", "legacy", "stdio");
    client_modern_stdio: check("client", "modern", "stdio");
    client_modern_http: check("client", "modern", "http");
    mcp_legacy_stdio: check("mcp", "legacy", "stdio");
    mcp_modern_stdio: check("mcp", "modern", "stdio");
    mcp_modern_http: check("mcp", "modern", "http");
}
