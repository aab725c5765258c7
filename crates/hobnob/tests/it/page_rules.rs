//! "Grants and rules" in a real browser: what decides is shown, changes count for the very next call
//! of a client, and nothing is taken back that the person did not see.

use crate::page_setup::{Callers, Stage};
use serde_json::{Value, json};

#[tokio::test]
async fn what_decides_is_shown_and_taken_back_at_once() {
    let Some(mut stage) = Stage::start(Callers::Member).await else { return };
    let report = stage.run("rules.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    has(&report["start"], &["mcp__shop__edit", "ask the owner", "config.toml", "token:ann"]);
    has(&report["start"], &["3 calls, last", "no call yet", "counted since this hub started"]);
    has(&report["decided"], &["ask the owner", "shop/edit", "rule 2"]);
    has(&report["unknown"], &["no tool"]);
    has(&report["mistyped"], &["shop/stock"]);
    has(&report["preview"], &["shop/stock deny for token:ann", "allow", "deny"]);
    has(&report["denied"], &["denied by rule"]);
    has(&report["removing"], &["shop/stock deny for token:ann", "deny", "allow"]);
    has(&report["allowed"], &["cup"]);
    has(&report["remembered"], &["cup"]);
    has(&report["held"], &["mcp__shop__stock", "token:ann"]);
    assert_eq!(report["askedAgain"], "input_required", "{report:#}");
    has(&report["conflict"], &["changed meanwhile"]);
    assert_eq!(report["forged"], json!({"status": 403, "same": true}));
    has(&report["readable"], &["what the file says"]);
    assert!(!report["revoked"].to_string().contains("what the file says"), "{report:#}");
    assert!(!report["grants"].to_string().contains("token:ann"), "{report:#}");
    has(&report["approved"], &["cup"]);
    has(&report["trusted"], &["cup"]);
    has(&report["distrusted"], &["is held back"]);
    has(&report["users"], &["ops", "member", "in a terminal only"]);
    assert!(!report["withdrawn"].to_string().contains("cup"), "{report:#}");
    has(&report["hostile"], &["onerror="]);
    has(&report["hostileDialog"], &["onerror="]);
    assert_eq!(report["ranScript"], Value::Null);
    assert!(report["wider"].as_i64().unwrap() <= 0, "{report:#}");
    assert_eq!(report["locked"], 401);
    let changes = [
        "rules/write",
        "rules/remove",
        "rules/withdraw-answer",
        "grants/revoke",
        "approvals/distrust",
        "approvals/revoke",
        "tokens/revoke",
    ];
    has(&report["audit"], &changes);
    // The browser itself tells of answers that are errors: those that belong here, no others.
    let refusals = report["network"].as_array().unwrap();
    assert_eq!(refusals.len(), 4, "{refusals:#?}");
}

fn has(text: &Value, parts: &[&str]) {
    let text = text.as_str().unwrap_or_else(|| panic!("no text: {text}"));
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}
