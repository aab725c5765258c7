//! What people paste, and the entries that come of it.

use super::read_paste;
use serde_json::{Value, json};

fn check(text: &str, name: &str, entry: Value) {
    let found = read_paste(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    let [server] = found.as_slice() else { panic!("{text}: {found:?}") };
    assert_eq!((&*server.name, &server.entry), (name, &entry), "{text}");
}

fn refused(text: &str, words: &str) {
    match read_paste(text) {
        Err(problem) => assert!(problem.to_string().contains(words), "{text}: {problem}"),
        Ok(found) => panic!("{text}: {found:?}"),
    }
}

#[test]
fn command_lines_become_entries() {
    check(
        "npx -y @modelcontextprotocol/server-everything",
        "everything",
        json!({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"]}),
    );
    check(
        "```sh\n$ TOKEN=abc LEVEL='a b' uvx mcp-server-git==1.0 --repository \"$HOME/my repo\"\n```",
        "git",
        json!({"command": "uvx", "args": ["mcp-server-git==1.0", "--repository", "${HOME}/my repo"],
               "env": {"TOKEN": "abc", "LEVEL": "a b"}}),
    );
    check(
        "docker run -i --rm \\\n  ghcr.io/github/github-mcp-server:latest # the image",
        "github",
        json!({"command": "docker",
               "args": ["run", "-i", "--rm", "ghcr.io/github/github-mcp-server:latest"]}),
    );
    check(
        "export API_KEY=x\npython3 /srv/weather/server.py",
        "weather",
        json!({"command": "python3", "args": ["/srv/weather/server.py"], "env": {"API_KEY": "x"}}),
    );
    check("/opt/tools/notes", "notes", json!({"command": "/opt/tools/notes"}));
    check("https://mcp.linear.app/mcp", "linear", json!({"url": "https://mcp.linear.app/mcp"}));
    check("http://127.0.0.1:4000/notes", "notes", json!({"url": "http://127.0.0.1:4000/notes"}));
}

#[test]
fn lines_that_add_a_server_elsewhere_are_read() {
    check(
        "claude mcp add airtable --env KEY=v OTHER=w -- npx -y airtable-mcp-server --flag",
        "airtable",
        json!({"command": "npx", "args": ["-y", "airtable-mcp-server", "--flag"],
               "env": {"KEY": "v", "OTHER": "w"}}),
    );
    check(
        "claude mcp add --transport http stripe https://mcp.stripe.com -H 'Authorization: Bearer x'",
        "stripe",
        json!({"type": "http", "url": "https://mcp.stripe.com",
               "headers": {"Authorization": "Bearer x"}}),
    );
    check(
        "claude mcp add-json w '{\"command\": \"x\"}' --scope user",
        "w",
        json!({"command": "x"}),
    );
    check(
        "hobnob add git --timeout 30s -- uvx mcp-server-git",
        "git",
        json!({"command": "uvx", "args": ["mcp-server-git"], "timeout": "30s"}),
    );
    check(
        "codex mcp add docs --url https://example.com/mcp",
        "docs",
        json!({"url": "https://example.com/mcp"}),
    );
    refused("claude mcp add x --mystery y -- z", "--mystery");
    refused("claude mcp add", "no name");
}

#[test]
fn json_of_any_client_is_read() {
    let entry = json!({"command": "npx", "args": ["x"]});
    check(r#"{"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}"#, "a", entry.clone());
    check(r#"{"a": {"command": "npx", "args": ["x"]}}"#, "a", entry.clone());
    check(r#"{"command": "npx", "args": ["x"]}"#, "x", entry.clone());
    check(r#""a": {"command": "npx", "args": ["x"]},"#, "a", entry.clone());
    check(
        "// settings\n{\"servers\": {\"a\": {\"command\": \"npx\", \"args\": [\"x\",]}}}",
        "a",
        entry.clone(),
    );
    check(
        r#"{"mcpServers": {"a": {"serverUrl": "https://h", "headers": {"K": "${env:KEY}"}}}}"#,
        "a",
        json!({"url": "https://h", "headers": {"K": "${KEY}"}}),
    );
    check("[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"x\"]\n", "a", entry.clone());
    check(r#"{"__proto__": {"command": "npx", "args": ["x"]}}"#, "__proto__", entry);
    let two = read_paste(r#"{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://h"}}}"#);
    assert_eq!(two.unwrap().len(), 2);
}

#[test]
fn what_is_no_server_is_refused_in_words() {
    refused("", "paste a command");
    refused("```\n```", "paste a command");
    refused("{\"mcpServers\": {", "not JSON");
    refused("{\"mcpServers\": {}}", "no server");
    refused("{\"a\": 1}", "no server");
    refused("[1]", "no server");
    refused("{\"a\": {\"command\": \"x\"}, \"a\": {\"command\": \"y\"}}", "not JSON");
    refused("npx x | sh", "`|`");
    refused("npx $(id)", "`$`");
    refused("npx `id`", "``");
    refused("npx a && npx b", "`&`");
    refused("npx 'x", "does not end");
    refused("npx a\nnpx b", "several commands");
    refused("KEY=value", "no command");
    refused("https://h/mcp --header x", "stands alone");
    refused(&"x".repeat(70_000), "64 KiB");
}
