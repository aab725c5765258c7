//! The recorder of the page in a real browser, on a real hub: recordings begin on open connections of
//! both eras, have both sides of calls without secrets, and leave nothing. `page_setup` has the stage.

use crate::page_setup::{Callers, Stage, scripts};
use serde_json::{Value, json};

#[tokio::test]
async fn exact_messages_are_recorded_shown_as_text_and_gone() {
    let Some(stage) = Stage::start(Callers::Local).await else { return };
    let words = [scripts().join("hostile.py").to_str().unwrap().to_owned()];
    let beacon = "http://127.0.0.1:9".to_owned();
    let entry = json!({"command": "python3", "args": [&words[0], &beacon]});
    let mut stage = stage.with_server("hostile", entry).await;
    let report = stage.run("recorder.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_eq!((&report["before"], &report["tooWide"]), (&json!(0), &json!(0)));
    assert_all(&report["list"], &["Ada's editor", "Bob's terminal", "Hobnob → server", "answer"]);
    assert!(!report["list"].to_string().contains("elsewhere"), "only the shop: {report:#}");
    let sides = ["CLIENT AND HOBNOB", "HOBNOB AND SERVER"];
    for name in ["call", "legacy"] {
        let shown = report[name].as_str().unwrap().to_uppercase();
        for side in sides {
            assert!(shown.contains(side), "{name}: {shown}");
        }
    }
    assert_all(&report["call"], &["a cup", "2026-07-28", "mcp__shop__order", "ordered"]);
    assert_all(&report["legacy"], &["a plate", "2025-06-18", "ordered"]);
    assert_all(&report["filtered"], &["a plate"]);
    assert_all(&report["hostile"], &["onerror="]);
    assert_eq!((&report["foreign"], &report["ran"]), (&json!(0), &Value::Null));
    // Masked everywhere, in what is shown and in what is downloaded.
    let token = report["token"].as_str().unwrap().to_owned();
    for name in ["list", "call", "export"] {
        assert!(!report[name].as_str().unwrap().contains(&token), "{name}: {report:#}");
    }
    assert_all(&report["export"], &["[redacted: ", "\"method\":"]);
    let lines: Vec<Value> = lines_of(&report["export"]);
    assert!(lines.iter().all(|line| line["text"].is_string()), "{report:#}");
    assert_eq!((&report["gone"], &report["lights"]), (&json!(404), &json!(0)));
    let network = report["network"].as_array().unwrap();
    assert!(network.len() == 1 && network[0].to_string().contains("404"), "{network:?}");
}

fn lines_of(text: &Value) -> Vec<Value> {
    text.as_str().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn assert_all(text: &Value, parts: &[&str]) {
    let text = text.as_str().unwrap_or_else(|| panic!("no text: {text}"));
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}
