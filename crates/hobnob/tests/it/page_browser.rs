//! What a person sees and does on the page of a hub, in a real browser: Chromium, on a real hub with
//! real servers. `page_setup` has the stage; the scripts are in `tests/peers/page`.
//!
//! The page must never: report an error, violate its own policy, ask for anything of another origin,
//! open a dialog of the browser's, or run what a server wrote. Every script notes if it does.

use crate::faults_setup::until;
use crate::page_setup::{Callers, Stage, scripts};
use crate::program::TIMEOUT;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::TcpListener;

/// Otherwise the other tests could not fail.
#[tokio::test]
async fn what_a_page_does_wrong_is_noted() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("watch.mjs", json!({})).await;
    let lines = |name: &str| report[name].to_string();
    for words in ["an error", "elsewhere", "error: Error: thrown", "a dialog", "CSP script-src"] {
        assert!(lines("seen").contains(words), "{words}: {report:#}");
    }
    for rule in ["color-contrast", "image-alt", "html-has-lang", "landmark-one-main"] {
        assert!(lines("found").contains(rule), "{rule}: {report:#}");
    }
    assert!(7_000 < report["wide"].as_u64().unwrap(), "{report:#}");
}

/// Opens every part in a window of this size, and fails for every barrier that axe finds there.
async fn open_parts(size: &str) -> Option<Value> {
    let mut stage = Stage::start(Callers::Local).await?;
    let report = stage.run("parts.mjs", json!({"size": size})).await;
    assert!(10 <= report["parts"].as_array().unwrap().len(), "{report}");
    assert_eq!(report["found"], json!([]), "{report:#}");
    Some(report)
}

#[tokio::test]
async fn every_part_opens_light_and_dark() {
    open_parts("wide").await;
}

#[tokio::test]
async fn every_part_opens_on_a_telephone_and_by_hand() {
    let Some(report) = open_parts("narrow").await else { return };
    assert_eq!(report["menuIsOpen"], false, "a choice closes the menu");
    let skipped = (&report["skip"], &report["focus"]);
    assert_eq!(skipped, (&json!("Skip to the content"), &json!("main")));
    assert_all(&report["dark"], &["dark"]);
}

#[tokio::test]
async fn calls_are_seen_as_they_run_and_one_is_cancelled() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("live.mjs", json!({})).await;
    assert_all(&report["said"], &["Ada's editor", "shop", "wait"]);
    assert_eq!((&report["stillThere"], report["listed"].as_u64()), (&json!(1), Some(99)));
    assert_all(&report["freed"], &["went on"]);
    assert!(!report["cancelled"].to_string().contains("went on"), "{report}");
    assert_all(&report["slow"], &["seen slowly", "stock"]);
    // The server has heard of it too.
    let heard = || stage.journal("cancelled").len() == 1;
    until("the server's notice", TIMEOUT, heard).await;
}

#[tokio::test]
async fn the_owner_answers_on_the_page_and_the_call_runs_once() {
    let Some(mut stage) = Stage::start(Callers::Member).await else { return };
    let report = stage.run("questions.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_all(
        &report["shown"],
        &[
            "token:ann",
            "edit",
            "shop",
            "notes.md",
            "<img src=x onerror=window.__xss=1>",
            "ask-owner",
            "config.toml",
        ],
    );
    for name in ["waited", "again"] {
        assert_all(&report[name], &["not run yet"]);
    }
    assert_eq!(report["ran"], "edited notes.md");
    assert_all(&report["refused"], &["refused by the owner"]);
    assert_all(&report["conflict"], &["answered already"]);
    let refusals = report["network"].as_array().unwrap();
    assert!(refusals.len() == 1 && refusals[0].to_string().contains("409"), "{refusals:?}");
    assert_eq!(report["ran_script"], Value::Null);
    let new = "one\n<img src=x onerror=window.__xss=1>\nthree";
    let given = json!({"path": "notes.md", "old_string": "one\ntwo\nthree", "new_string": new});
    assert_eq!(stage.ran("edit"), [given], "a yes is for one call");
}

#[tokio::test]
async fn a_server_is_restarted_and_turned_off_and_on() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("servers.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_all(&report["list"], &["shop", "faulty", "broken"]);
    assert_eq!((&report["before"], &report["after"]), (&json!("1"), &json!("2")), "{report}");
    assert_all(&report["asked"], &["One call is waiting"]);
    assert_eq!(report["runsOn"], 1);
    assert_all(&report["whileOff"], &["Unknown tool"]);
    assert_all(&report["whenOn"], &["cup"]);
    assert_all(&report["interrupted"], &["was lost during the call"]);
    assert_eq!(stage.journal("start").len(), 4, "at first, restarted twice, and after it was off");
}

#[tokio::test]
async fn a_tool_is_called_from_its_form() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("tools.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    let order = json!({
        "item": "a \"cup\" & <saucer>", "count": 3, "price": 2.5, "gift": true, "size": "large",
        "colours": ["red", "blue"], "address": {"street": "Elm Road", "number": 7},
    });
    assert_eq!(stage.ran("order"), [order], "{report:#}");
    assert_all(&report["ordered"], &["ordered", "Elm Road"]);
    assert_all(&report["stock"], &["cup", "plate"]);
    assert_eq!(report["picture"], 10, "the picture's own width");
}

#[tokio::test]
async fn a_memory_is_changed_and_nothing_is_overwritten() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("memory.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_eq!(report["edited"]["content"], "We release on Thursdays.");
    assert_all(&report["history"], &["Fridays", "Thursdays"]);
    assert_eq!(report["kept"]["content"], "We release on Mondays.");
    assert_all(&report["refused"], &["Somebody changed this memory"]);
}

#[tokio::test]
async fn links_work_once_and_ended_sessions_say_what_to_do() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("sessions.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    for name in ["without", "guessed", "used", "left", "expired", "away", "restarted"] {
        assert_all(&report[name]["text"], &["hobnob ui"]);
        let url = &report[name]["url"];
        assert!(!url.to_string().contains("link="), "{name}: {url}");
        // The browser itself tells of answers that are errors: those that belong here, no others.
        for line in report[name]["network"].as_array().unwrap() {
            let line = line.as_str().unwrap();
            let is_ours = ["/ui/api/session", "/ui/api/mcp", "/ui/events"]
                .iter()
                .any(|it| line.ends_with(it));
            assert!(is_ours && line.starts_with("console: Failed to load"), "{name}: {line}");
        }
    }
    // A page without a session shows nothing of the hub.
    for name in ["without", "guessed", "used", "left", "expired", "restarted"] {
        assert!(!report[name]["text"].to_string().contains("shop"), "{name}: {report:#}");
    }
    for name in ["address", "before"] {
        assert!(!report[name].to_string().contains("link="), "{report:#}");
    }
    assert_eq!((&report["readable"], &report["opened"]), (&json!("{}{}"), &json!([])));
}

#[tokio::test]
async fn what_servers_and_clients_write_is_text_and_nothing_else() {
    let Some(stage) = Stage::start(Callers::Local).await else { return };
    let beacon = TcpListener::bind("127.0.0.1:0").unwrap();
    beacon.set_nonblocking(true).unwrap();
    let address = format!("http://{}", beacon.local_addr().unwrap());
    let words = [scripts().join("hostile.py").to_str().unwrap().to_owned(), address];
    let entry = json!({"command": "python3", "args": words});
    let mut stage = stage.with_server("hostile", entry).await;
    let report = stage.run("hostile.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_eq!(report["ran"], Value::Null);
    let asked = beacon.accept().map(drop);
    assert_eq!(asked.unwrap_err().kind(), ErrorKind::WouldBlock, "something was loaded");
    // It was really shown, as text.
    for name in
        ["now", "tools-found", "audit", "memory-opened", "tasks-opened", "trees-opened", "call"]
    {
        assert_all(&report["texts"][name], &["onerror="]);
    }
    for name in ["server-Log", "result-results", "result-fails", "result-refuses"] {
        assert_all(&report["texts"][name], &["onerror="]);
    }
}

fn assert_all(text: &Value, parts: &[&str]) {
    let text = text.as_str().unwrap_or_else(|| panic!("no text: {text}"));
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}
