//! Among equally good matches, the search puts tools that were used first.

use serde_json::json;

use crate::harness::{Harness, entry, home, python, write_servers};

#[tokio::test]
async fn what_was_called_comes_before_what_fits_as_well() {
    let Some(python) = python() else { return };
    let home = home("uses");
    let [one, two] = ["one", "two"].map(|name| entry(&python, &home, name, &["--only", "echo"]));
    write_servers(&home, &json!({"mcpServers": {"one": one, "two": two}}).to_string());
    let harness = Harness::open(&home);
    assert_eq!(harness.found("an echo").await[..2], ["mcp__one__echo", "mcp__two__echo"]);
    for _ in 0..3 {
        harness.plain.tool("mcp__two__echo", json!({"text": "hello"})).await.unwrap();
    }
    assert_eq!(harness.found("an echo").await[..2], ["mcp__two__echo", "mcp__one__echo"]);
    harness.close().await;
}
