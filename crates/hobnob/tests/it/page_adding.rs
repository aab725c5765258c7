//! Servers are added, approved, logged in to and removed on the page of a hub, in a real browser.
//! `adding.mjs`, `reviewing.mjs` and `logging_in.mjs` do it.
//!
//! What must stay true: only what was shown is written and approved, and what changed meanwhile is
//! refused.

use crate::login_servers::LoginServers;
use crate::page_setup::{Callers, Stage, scripts};
use serde_json::{Value, json};
use std::fs;

fn assert_all(text: &Value, parts: &[&str]) {
    let text = text.as_str().unwrap_or_else(|| panic!("no text: {text}"));
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

/// The servers in Hobnob's own file.
fn servers(stage: &Stage) -> Value {
    let text = fs::read_to_string(stage.path("hobnob/config/mcp.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["mcpServers"].take()
}

/// What the audit log has of changes.
fn audit(stage: &Stage) -> String {
    fs::read_to_string(stage.path("hobnob/state/audit-decisions.jsonl")).unwrap()
}

#[tokio::test]
async fn a_first_server_is_added_and_called_and_others_are_added_and_removed() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let (shop, journal) = (scripts().join("shop.py"), stage.path("shop.journal"));
    let words = json!({"shop": shop, "journal": journal});
    let report = stage.run("adding.mjs", words).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_all(&report["bad"], &["not JSON"]);
    assert_all(&report["prose"], &["finds no program `please`"]);
    assert_all(
        &report["preview"],
        &["python3", "shop.py", "LEVEL=debug", "API_TOKEN=…", "mcp.json"],
    );
    assert!(!report["preview"].to_string().contains("geheim"), "{report:#}");
    assert_all(&report["names"]["../x"], &["cannot name a server"]);
    assert_all(&report["names"]["-x"], &["cannot name a server"]);
    assert!(!report["names"]["proto"].to_string().contains("cannot name"), "{report:#}");
    assert_all(&report["stock"], &["cup", "plate"]);
    assert_all(&report["asked"], &["shop", "edit", "the new_string"]);
    assert_eq!(stage.ran("edit").len(), 1, "{report:#}");
    assert_all(&report["taken"], &["exists already"]);
    assert_eq!(report["polluted"], Value::Null);
    assert_all(&report["removal"], &["mcp.json", "shop.py", "A copy of the file is kept"]);
    let statuses = json!({
        "no token": 403, "other origin": 403, "changed": 409, "taken": 409, "bad name": 409,
        "no such": 409, "long": 413, "remove other": 409, "unknown": 404,
    });
    assert_eq!(report["statuses"], statuses, "{report:#}");
    let expected = json!({"command": "python3", "args": [shop, journal],
                          "env": {"LEVEL": "debug", "API_TOKEN": "geheim"}});
    let left = servers(&stage);
    assert_eq!((&left["shop"], left.get("two")), (&expected, None), "{left:#}");
    let mut names: Vec<&String> = left.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["__proto__", "shop"]);
    let audit = audit(&stage);
    for words in ["servers/add", "servers/remove"] {
        assert!(audit.contains(words), "no {words} in {audit}");
    }
    assert!(!audit.contains("geheim"), "{audit}");
}

#[tokio::test]
async fn exactly_what_is_shown_is_approved() {
    let Some(stage) = Stage::start(Callers::Local).await else { return };
    let upstreams = scripts().join("../../upstreams");
    let (listed, tools) = (upstreams.join("listed.py"), stage.path("tools.json"));
    let tool = |description: &str| json!([{"name": "search", "description": description, "inputSchema": {"type": "object"}}]);
    fs::write(&tools, tool("Finds issues").to_string()).unwrap();
    let entry = json!({"command": "python3", "args": [listed, tools]});
    let mut stage = stage.with_server("issues", entry).await;
    let theirs =
        json!({"command": "python3", "args": [upstreams.join("faulty.py"), "--era", "dual"]});
    let report = stage.run("reviewing.mjs", json!({"theirs": theirs})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_all(&report["server"], &["project/.mcp.json", "faulty.py", "with LEVEL=1"]);
    assert_eq!(report["changedServer"], 409, "{report:#}");
    assert_all(&report["newServer"], &["with LEVEL=2"]);
    assert_all(&report["tool"], &["Finds issues", "Deletes issues", "\\u{200b}", "invisible"]);
    assert_eq!(report["changedTool"], 409, "{report:#}");
    assert_all(&report["newTool"], &["Deletes all issues"]);
    assert_eq!(report["ran"], Value::Null);
    let audit = audit(&stage);
    for words in ["approvals/server", "approvals/tool"] {
        assert_eq!(audit.matches(words).count(), 1, "{words}: {audit}");
    }
}

#[tokio::test]
async fn the_owner_logs_in_to_a_server_and_out() {
    let Some(stage) = Stage::start(Callers::Local).await else { return };
    let login = LoginServers::start().await;
    let mut stage = stage.with_server("private", json!({"url": login.url()})).await;
    let report = stage.run("logging_in.mjs", json!({"origin": login.origin})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_all(&report["link"], &[&login.origin, "/authorize"]);
    assert_all(&report["rel"], &["noopener"]);
    assert_all(&report["said"], &["login 1"]);
    assert_all(&report["out"], &["logged out of private"]);
    assert_all(&report["refused"], &["not"]);
}
