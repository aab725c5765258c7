//! Facts that change, copies, and questions that name a time: captured and recalled through the
//! tools, on a real store.

use crate::calls::{call_of, pipe, result_of};
use crate::memory_order::{call, server};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use serde_json::{Value, json};

async fn capture(server: &Server, content: &str) -> Value {
    let arguments = json!({"content": content, "namespace": "context"});
    call(server, &pipe(), "memory_capture", arguments).await
}

async fn recall(server: &Server, query: &str) -> Value {
    call(server, &pipe(), "memory_recall", json!({"query": query})).await
}

fn passages(found: &Value) -> Vec<&str> {
    let hits = found["memories"].as_array().unwrap();
    hits.iter().map(|hit| hit["snippet"].as_str().unwrap()).collect()
}

const OLD: &str = "The upload limit of the media endpoint is 25 MB per file.";
const NEW: &str = "The upload limit of the media endpoint is 80 MB per file.";

#[tokio::test]
async fn a_new_value_comes_before_the_old_one_until_that_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let old = capture(&server, OLD).await;
    capture(&server, "The download limit of the media endpoint is 900 MB per day.").await;
    let new = capture(&server, NEW).await;
    let replaced = json!([{"id": old["id"], "urn": old["urn"]}]);
    assert_eq!(new["replaces"], replaced, "{new}");
    let question = "What is the upload limit of the media endpoint, 25 MB?";
    let found = recall(&server, question).await;
    assert_eq!(passages(&found)[..2], [NEW, OLD], "{found}");
    let by = &found["memories"][1]["replaced_by"];
    assert_eq!(by["id"], new["id"], "{found}");
    assert_eq!(by["created_at"], found["memories"][0]["created_at"], "{found}");
    let past = recall(&server, "Which upload limit of 25 MB did the endpoint have before?").await;
    assert_eq!(passages(&past)[0], OLD, "{past}");

    let one = json!({"id": old["id"]});
    call(&server, &pipe(), "memory_delete", json!({"id": new["id"]})).await;
    let whole = call(&server, &pipe(), "memory_get", one.clone()).await;
    assert_eq!(whole.get("superseded_by"), None, "{whole}");
    call(&server, &pipe(), "memory_restore", json!({"id": new["id"]})).await;
    let whole = call(&server, &pipe(), "memory_get", one.clone()).await;
    assert_eq!(whole["superseded_by"], new["id"], "{whole}");
    let whole = call(&server, &pipe(), "memory_restore", one).await;
    assert_eq!(whole.get("superseded_by"), None, "{whole}");
}

#[tokio::test]
async fn a_caller_can_say_what_a_memory_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let old = capture(&server, "Ask Helga about vacations.").await;
    let content = "Vacations are entered in PeopleDesk by everybody.";
    let arguments = |replaces: Value, scope: &str| json!({"content": content, "namespace": "context", "replaces": replaces, "scope": scope});
    let asked = arguments(json!([old["id"]]), "project");
    let new = call(&server, &pipe(), "memory_capture", asked).await;
    assert_eq!(new["replaces"][0]["id"], old["id"]);
    // The newer one does not have the word, but follows from the older one.
    let found = recall(&server, "Helga").await;
    assert_eq!(passages(&found), [content, "Ask Helga about vacations."], "{found}");
    let params =
        json!({"name": "memory_capture", "arguments": arguments(json!([old["id"]]), "user")});
    let elsewhere = call_of(&pipe(), Method::ToolsCall, &params);
    let elsewhere = result_of(&server, elsewhere, Notes::silent()).await.unwrap().to_string();
    assert!(elsewhere.contains("another scope or project"), "{elsewhere}");

    capture(&server, OLD).await;
    let none = json!({"content": NEW, "namespace": "context", "replaces": []});
    let none = call(&server, &pipe(), "memory_capture", none).await;
    assert_eq!(none.get("replaces"), None, "{none}");
}

#[tokio::test]
async fn copies_are_one_hit_with_a_count() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let text = "The nightly import of the price list starts at two and takes ten minutes";
    for end in [".", "!", ", as planned.", " or so."] {
        capture(&server, &format!("{text}{end}")).await;
    }
    capture(&server, "The import of the stock list starts at noon.").await;
    let asked = json!({"query": "When does the import of the price list start?", "limit": 2});
    let found = call(&server, &pipe(), "memory_recall", asked).await;
    let first = &found["memories"][0];
    assert_eq!((found["count"].as_u64(), first["copies"].as_u64()), (Some(2), Some(3)), "{found}");
    assert_eq!(first["copy_ids"].as_array().map(Vec::len), Some(3), "{found}");
    assert!(passages(&found)[1].contains("stock"), "{found}");
}

#[tokio::test]
async fn a_question_for_a_time_finds_what_was_captured_then() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let ago = |days: u64| {
        let day = std::time::Duration::from_hours(24 * days);
        let time = std::time::SystemTime::now() - day;
        jiff::Timestamp::try_from(time).unwrap().to_string()
    };
    let notes = [
        ("We decided to cache the tiles in memory.", 400),
        ("We decided to shard the queue by customer.", 40),
        ("We decided to drop support for the old client.", 1),
        ("We decided to write the importer in Rust.", 14),
    ];
    let lines = notes.map(|(content, days)| {
        json!({"namespace": "decisions", "content": content, "created_at": ago(days)}).to_string()
    });
    call(&server, &pipe(), "memory_import", json!({"data": lines.join("\n")})).await;
    for (question, expected) in [
        ("What did we decide yesterday?", 2),
        ("What did we decide two weeks ago?", 3),
        ("Was haben wir gestern decided?", 2),
        ("What did we decide last year?", 0),
    ] {
        // A year ago is last year only while 400 days lie in it.
        let last_year = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year() - 1;
        if question.contains("year") && !ago(400).starts_with(&last_year.to_string()) {
            continue;
        }
        let found = recall(&server, question).await;
        assert_eq!(passages(&found)[0], notes[expected].0, "{question}: {found}");
    }
}
