//! What a person's work on the page of a hub survives, in a real browser: a slow line, sleep, a
//! restart, a look at another part, a change by another client. `polish.mjs` does it.
//!
//! What must stay true: nothing that was typed is lost unasked, nothing unknown is called empty, and
//! all of it goes by keyboard and on a telephone, without a barrier that axe finds.

use crate::page_setup::{Callers, Stage};
use serde_json::{Value, json};

#[tokio::test]
async fn nothing_typed_is_lost_and_nothing_unknown_is_called_empty() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("polish.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    first_moments(&report);
    forms_and_keys(&report);
    conflicts(&report);
    figures(&report);
    restarts(&report);
    let ordered = stage.ran("order");
    assert_eq!(ordered, [json!({"item": "typed before the restart", "count": 1})], "{report:#}");
}

fn text<'a>(report: &'a Value, name: &str) -> &'a str {
    report[name].as_str().unwrap_or_else(|| panic!("no text `{name}`: {report:#}"))
}

fn first_moments(report: &Value) {
    assert!(!text(report, "first").contains("No call"), "{report:#}");
    for (part, shown) in report["slow"].as_object().unwrap() {
        let shown = shown.as_str().unwrap();
        assert!(shown.contains("Loading"), "{part}: {shown}");
        for words in ["No ", "Nothing", "There are no"] {
            assert!(!shown.contains(words), "{part} says `{words}`: {shown}");
        }
    }
    assert_eq!(report["ownAtFirst"], 0, "{report:#}");
    assert_eq!(report["remembered"], false, "{report:#}");
}

fn forms_and_keys(report: &Value) {
    assert_eq!(report["preset"], "1", "a required default is there");
    assert!(text(report, "problem").contains("item"), "{report:#}");
    assert_eq!(
        (text(report, "title"), text(report, "focusAfterChange")),
        ("Audit · Hobnob", "Audit")
    );
    assert_eq!((text(report, "kept"), text(report, "filterKept")), ("a kettle", "stock"));
    let groups = report["groups"].as_array().unwrap();
    assert!(groups.last().unwrap().as_str().unwrap().starts_with("Hobnob's own"), "{groups:?}");
    assert!(text(report, "firstTool").starts_with("mcp__"), "{report:#}");
    assert!(text(report, "focusAfterDialog").contains("Ada's editor"), "{report:#}");
    assert_eq!((&report["afterBack"], &report["sameLine"]), (&json!("#/now"), &json!(true)));
}

fn conflicts(report: &Value) {
    let conflict = text(report, "conflict");
    for words in ["Somebody changed this memory", "Ring three times", "Keep editing mine"] {
        assert!(conflict.contains(words), "no `{words}` in {conflict}");
    }
    assert_eq!(report["typed"], "Doors open at ten.\nRing twice.");
    assert_eq!(report["saved"]["content"], "Doors open at ten.\nRing twice.");
    assert_eq!(
        report["saved"]["tags"],
        json!(["bell", "door"]),
        "untouched fields follow the newer"
    );
    assert_eq!(report["theirs"], "theirs");
}

fn figures(report: &Value) {
    assert!(text(report, "point").contains("Calls ") && text(report, "point").contains("Errors 0"));
    assert!(text(report, "figures").contains("Calls"), "{report:#}");
    assert!(text(report, "bar").contains("ago: 0 calls"), "{report:#}");
    assert!(report["lineHeight"].as_f64().unwrap() < 48.0, "one line: {}", report["lineHeight"]);
}

fn restarts(report: &Value) {
    assert_eq!(report["away"].as_array().unwrap().len(), 1, "one calm line: {report:#}");
    for name in ["typedWhileAway", "typedAfter"] {
        assert_eq!(report[name], "typed before the restart", "{name}");
    }
    let ended = text(report, "ended");
    assert!(ended.contains("The hub was restarted") && ended.contains("is kept"), "{ended}");
    assert!(!ended.contains("shop"), "a page without a session shows nothing of the hub: {ended}");
    assert_eq!(text(report, "titleAfter"), "mcp__shop__order · Tools · Hobnob");
    for line in report["network"].as_array().unwrap() {
        let line = line.as_str().unwrap();
        assert!(line.starts_with("console: Failed to load") && line.contains("/ui/"), "{line}");
    }
}
