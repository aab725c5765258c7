//! What a server writes, and how it fails, for one principal is shown to no other, by no address
//! and no way to read it; the owner and admins see it.

use crate::cli_config_home::Home;
use crate::program::HttpServer;
use crate::tokens::{ask, create, home, serve};
use serde_json::{Value, json};

/// A server as a shell script: `cases` are its answers beside the list of its one tool.
pub(crate) fn script(name: &str, tool: &str, cases: &str) -> String {
    format!(
        r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    {cases}
    *'"method":"initialize"'*)
      result='{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"{name}","version":"1"}}}}' ;;
    *'"method":"tools/list"'*)
      result='{{"tools":[{{"name":"{tool}","inputSchema":{{"type":"object"}}}}]}}' ;;
    *)
      printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"unknown"}}}}\n' "$id"; continue ;;
  esac
  printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$result"
done
"#
    )
}

/// A tool that writes the request to standard error.
const LOUD: &str = r#"*'"method":"tools/call"'*)
      printf '%s\n' "$line" >&2
      result='{"content":[{"type":"text","text":"said"}]}' ;;"#;

/// A server that says why it does not start.
const BROKEN: &str = "echo canary-broken >&2; exit 3";

/// A home with both servers, whose tools may be called.
pub(crate) fn home_with_servers() -> Home {
    let home = home();
    let shell = |script: &str| json!({"command": "sh", "args": ["-c", script]});
    let servers = json!({"mcpServers": {"loud": shell(&script("loud", "say", LOUD)), "broken": shell(BROKEN)}});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    let settings = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    let rules = "[[permissions]]\ntool = \"*\"\naction = \"allow\"\n";
    home.write("hobnob/config/config.toml", &format!("{settings}{rules}"));
    home
}

/// Every way to read one of Hobnob's own resources.
fn ways(uri: &str) -> Vec<(&'static str, Value)> {
    let arguments = json!({"server": "hobnob", "uri": uri});
    let through = json!({"name": "ReadMcpResource", "arguments": arguments});
    vec![
        ("resources/read", json!({"uri": uri})),
        ("tools/call", through.clone()),
        ("tools/call", json!({"name": "call_tool", "arguments": through})),
        ("hobnob.ReadMcpResource", arguments),
    ]
}

/// Everything that the bearer of a token reads at an address, by all ways together.
async fn everything_read(server: &HttpServer, token: &str, uri: &str) -> String {
    let mut all = String::new();
    for (method, params) in ways(uri) {
        all += &ask(server, "/mcp", Some(token), method, params).await.body;
    }
    all
}

#[tokio::test]
async fn what_servers_write_for_one_principal_is_shown_to_no_other() {
    let home = home_with_servers();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let admin = create(&home, &["root", "--scope", "admin"]);
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    for (token, canary) in [(&ann, "canary-ann"), (&bob, "canary-bob")] {
        let say = json!({"name": "mcp__loud__say", "arguments": {"text": canary}});
        let said = ask(&server, "/mcp", Some(token), "tools/call", say).await;
        assert!(said.body.contains("said"), "{}", said.body);
    }
    let (own, of_all) = ("hobnob://logs/loud", "hobnob://logs/loud?of=all");
    let cases = [
        (&ann, own, true, false),
        (&bob, own, false, true),
        (&ann, of_all, false, false),
        (&bob, of_all, false, false),
        (&admin, own, false, false),
        (&admin, of_all, true, true),
    ];
    for (token, uri, sees_ann, sees_bob) in cases {
        let read = everything_read(&server, token, uri).await;
        let seen = (read.contains("canary-ann"), read.contains("canary-bob"));
        assert_eq!(seen, (sees_ann, sees_bob), "{uri}: {read}");
    }
    // A refusal of the status of all principals names the scope that it takes.
    let read = json!({"uri": of_all});
    let refused = ask(&server, "/mcp", Some(&ann), "resources/read", read).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.head.to_lowercase().contains("admin"), "{}", refused.head);
}

#[tokio::test]
async fn how_a_server_fails_for_one_principal_is_told_to_no_other() {
    let home = home_with_servers();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let admin = create(&home, &["root", "--scope", "admin"]);
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (own, of_all) = ("hobnob://status", "hobnob://status?of=all");
    // The hub itself has started the servers for its lists, and the owner learns why one failed.
    ask(&server, "/mcp", Some(&ann), "tools/list", json!({})).await;
    for token in [&ann, &bob] {
        for uri in [own, of_all, "hobnob://logs/broken"] {
            let read = everything_read(&server, token, uri).await;
            assert!(!read.contains("canary-broken"), "{uri}: {read}");
        }
        let status = ask(&server, "/mcp", Some(token), "resources/read", json!({"uri": own})).await;
        assert!(status.body.contains("it failed for another user"), "{}", status.body);
        let running = r#"\"connections\":1"#;
        assert!(!status.body.contains(running), "nobody has called yet: {}", status.body);
    }
    let all = everything_read(&server, &admin, of_all).await;
    assert!(all.contains("canary-broken"), "{all}");
    // The person at the terminal is the owner.
    let status = home.json(0, &["status"]).to_string();
    assert!(status.contains("canary-broken"), "{status}");
}
