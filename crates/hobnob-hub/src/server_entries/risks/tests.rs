//! Which entries `hobnob add` warns about.

use super::of_entry;
use serde_json::json;

#[test]
fn packages_without_a_version_are_named() {
    let check = |command: &str, args: &[&str], warned: bool| {
        let found = of_entry(&json!({"command": command, "args": args}));
        assert_eq!(!found.is_empty(), warned, "{command} {args:?}: {found:?}");
    };
    check("npx", &["-y", "@scope/server"], true);
    check("npx", &["-y", "@scope/server@latest"], true);
    check("npx", &["-y", "@scope/server@1.2.3"], false);
    check("npx", &["-y", "server@2"], false);
    check("/usr/bin/npx", &["--package=server", "run"], true);
    check("npx", &["-p", "server@1.0", "run"], false);
    check("npx", &["./server"], false);
    check("uvx", &["mcp-server-git"], true);
    check("uvx", &["mcp-server-git==1.0"], false);
    check("uvx", &["--from", "git+https://host/repo", "run"], false);
    check("uvx", &["mcp-server-git@2025.1"], false);
    check("node", &["server.js"], false);
    check("npx", &[], false);
}

#[test]
fn cleartext_to_other_machines_is_named() {
    let check = |url: &str, warned: bool| {
        let found = of_entry(&json!({"url": url}));
        assert_eq!(!found.is_empty(), warned, "{url}: {found:?}");
    };
    check("https://example.com/mcp", false);
    check("http://example.com/mcp", true);
    check("http://127.0.0.1:4815/mcp", false);
    check("http://[::1]:1/mcp", false);
    check("http://localhost/mcp", false);
    check("http://localhost.example.com/mcp", true);
    check("http://127.0.0.1@example.com/", true);
    check("http://192.168.0.1/", true);
}
