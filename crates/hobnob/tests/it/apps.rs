//! MCP Apps through the hub, with a published server: a tool that is for its user interface alone is
//! offered to no model, and the interface calls it by the server's own name.

use crate::faults_client::{Client, MODERN, text_of};
use crate::faults_setup::{ALLOW, Setup};
use crate::peers::Peer;
use serde_json::{Value, json};

/// What models and the user interface call, and what the interface alone calls.
const SHOWN: &str = "mcp__monitor__get-system-info";
const FOR_APP: &str = "mcp__monitor__poll-system-stats";

async fn setup(name: &str, rules: &str) -> Option<Setup> {
    let peer = Peer::find("system-monitor")?;
    let mut setup = Setup::new(name).await?;
    let program = peer.npm_file("@modelcontextprotocol/server-system-monitor/dist/index.js");
    let [node, _] = &peer.node_words("")[..] else { return None };
    setup.settings(rules).upstream("one", &[]);
    setup.server("monitor", json!({"command": node, "args": [program, "--stdio"]}));
    Some(setup)
}

fn renders() -> Value {
    let types = json!(["text/html;profile=mcp-app"]);
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": types}}})
}

#[tokio::test]
async fn tools_of_user_interfaces_are_offered_to_no_model() {
    for revision in ["2025-11-25", MODERN] {
        let Some(setup) = setup(&format!("apps-models{revision}"), ALLOW).await else { return };
        let mut host = Client::begin(&setup, revision, renders()).await;
        let listed = host.tools().await;
        for tool in [SHOWN, FOR_APP] {
            assert!(listed.iter().any(|name| name == tool), "{revision} {tool}: {listed:?}");
        }
        host.end().await;
        let mut plain = Client::begin(&setup, revision, json!({})).await;
        let listed = plain.tools().await;
        let has = |tool| listed.iter().any(|name| name == tool);
        assert!(has(SHOWN) && !has(FOR_APP), "{revision}: {listed:?}");
        let found = plain.text("find_tools", json!({"query": "poll system stats"})).await;
        assert!(!found.contains(FOR_APP), "{revision}: {found}");
        let described = plain.call("describe_tools", json!({"names": [FOR_APP]})).await;
        assert!(!described.to_string().contains("inputSchema"), "{revision}: {described}");
        plain.end().await;
    }
}

#[tokio::test]
async fn a_user_interface_names_the_tools_of_its_server_as_the_server_does() {
    for revision in ["2025-11-25", MODERN] {
        let Some(setup) = setup(&format!("apps-calls{revision}"), ALLOW).await else { return };
        let mut host = Client::begin(&setup, revision, renders()).await;
        host.tools().await;
        for name in [FOR_APP, "poll-system-stats"] {
            let stats = host.call(name, json!({})).await;
            assert!(text_of(&stats).contains("memory"), "{revision} {name}: {stats}");
        }
        host.end().await;
        // Clients without user interfaces see what they saw before.
        let mut plain = Client::begin(&setup, revision, json!({})).await;
        plain.tools().await;
        let unknown = plain.call("poll-system-stats", json!({})).await.to_string();
        assert!(unknown.contains("Unknown tool: poll-system-stats"), "{revision}: {unknown}");
        plain.end().await;
    }
}

#[tokio::test]
async fn a_call_of_a_user_interface_needs_the_permission_of_any_call() {
    let deny = "[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n\
                [[permissions]]\nserver = \"monitor\"\ntool = \"poll*\"\naction = \"deny\"\n";
    let Some(mut setup) = setup("apps-denied", deny).await else { return };
    let mut host = Client::begin(&setup, MODERN, renders()).await;
    let listed = host.tools().await;
    assert!(!listed.iter().any(|name| name == FOR_APP), "{listed:?}");
    let refused = host.call("poll-system-stats", json!({})).await.to_string();
    assert!(refused.contains("Unknown tool"), "{refused}");
    host.end().await;
    // Two servers with one name: the call could be for either.
    let entry = setup.entry("two", &[]);
    setup.server("two", entry);
    let mut host = Client::begin(&setup, MODERN, renders()).await;
    host.tools().await;
    let refused = host.call("echo", json!({"message": "hi"})).await.to_string();
    assert!(refused.contains("Unknown tool: echo"), "{refused}");
    let said = host.text("mcp__two__echo", json!({"message": "hi"})).await;
    assert_eq!(said, "hi");
    host.end().await;
}
