//! Chats with a local provider: event order, history, branches, faults and cancellation.

use crate::cone_server::{ConeServer, Events, answer, end, failure, piece, text};
use crate::model_server::{LINES, ModelServer, Step};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

/// The provider waits for the test, so an event that arrives early was not buffered.
#[tokio::test]
async fn events_come_as_the_model_speaks() {
    let gate = Arc::new(Notify::new());
    let thought = json!({"message": {"thinking": "hm"}, "done": false});
    let mut steps = vec![Step::Head(LINES), Step::Piece(format!("{thought}\n").into_bytes())];
    steps.extend([piece("Grüße "), Step::Wait(Arc::clone(&gate)), piece("😀!")]);
    steps.extend(end());
    let provider = ModelServer::start(vec![steps]).await;
    let cone = ConeServer::new(Some(&provider));
    let session = cone.create("work").await;
    let events = Arc::new(Events::default());
    let (result, ()) = tokio::join!(cone.chat("work", "Hallo", &events), async {
        events.until("content").await;
        assert_eq!(events.kinds(), ["start", "thinking", "content"]);
        // The question is stored, and the head stays until the answer is complete.
        let question = text(&events.all()[0]["node_id"]);
        assert_eq!(cone.path(&session, &question).await, ["system: ", "user: Hallo"]);
        assert_eq!(cone.head("work").await, text(&session["head"]));
        gate.notify_one();
    });
    assert_eq!(events.kinds(), ["start", "thinking", "content", "content", "complete"]);
    let events = events.all();
    assert_eq!(events[0]["model"], "test/m");
    assert_eq!(events[1]["text"], "hm");
    let last = events.last().unwrap();
    let head = cone.head("work").await;
    assert_eq!((&last["head"], &last["node_id"]), (&json!(head), &json!(head)));
    assert_eq!((&last["session"], &last["stop_reason"]), (&json!("work"), &json!("end")));
    assert_eq!(last["usage"]["output"], 5, "{last}");
    assert_eq!(result["content"], json!([{"type": "text", "text": "Grüße 😀!"}]));
    assert_eq!(result["structuredContent"]["head"], head);
    let said = cone.path(&session, &head).await;
    assert_eq!(said, ["system: ", "user: Hallo", "assistant: Grüße 😀!"]);
}

#[tokio::test]
async fn the_model_gets_the_path_to_the_head() {
    let answers = ["one", "two", "three", "four"].map(|it| answer(&[it]));
    let provider = ModelServer::start(answers.to_vec()).await;
    let cone = ConeServer::new(Some(&provider));
    let session = json!({"name": "work", "system_prompt": "be brief", "max_tokens": 7,
        "temperature": 0.5, "metadata": {"a": 1}});
    let session = cone.data("create", session).await;
    let first = cone.data("chat", json!({"name": "work", "prompt": "1?"})).await;
    let second = cone.data("chat", json!({"name": "work", "prompt": "2?"})).await;
    // Move back to the first answer; the conversation branches from there.
    let moved = cone.data("set_head", json!({"name": "work", "node": first["head"]})).await;
    assert_eq!(moved["head"], first["head"]);
    cone.data("chat", json!({"name": "work", "prompt": "3?"})).await;
    // Move back to the root.
    cone.data("set_head", json!({"name": "work", "node": "root"})).await;
    cone.data("chat", json!({"name": "work", "prompt": "4?"})).await;
    let asked: Vec<Value> = provider.seen().into_iter().map(|it| it.body).collect();
    let said = |body: &Value| -> Vec<String> {
        let messages = body["messages"].as_array().unwrap();
        messages.iter().map(|it| text(&it["content"])).collect()
    };
    assert_eq!(said(&asked[0]), ["be brief", "1?"]);
    assert_eq!(said(&asked[1]), ["be brief", "1?", "one", "2?"]);
    assert_eq!(said(&asked[2]), ["be brief", "1?", "one", "3?"]);
    assert_eq!(said(&asked[3]), ["be brief", "4?"]);
    assert_eq!(asked[0]["model"], "m");
    assert_eq!(asked[0]["options"], json!({"num_predict": 7, "temperature": 0.5}));
    // The nodes of an abandoned branch stay.
    assert_eq!(cone.size(&session).await, (9, 3));
    let old = cone.path(&session, second["head"].as_str().unwrap()).await;
    assert_eq!(old.last().unwrap(), "assistant: two");
}

#[tokio::test]
async fn one_session_has_one_chat_at_a_time() {
    let gate = Arc::new(Notify::new());
    let mut steps = vec![Step::Head(LINES), piece("a"), Step::Wait(Arc::clone(&gate))];
    steps.extend(end());
    let provider = ModelServer::start(vec![steps, answer(&["b"])]).await;
    let cone = ConeServer::new(Some(&provider));
    let session = cone.create("work").await;
    cone.create("other").await;
    let events = Arc::new(Events::default());
    let (first, ()) = tokio::join!(cone.chat("work", "one", &events), async {
        events.until("content").await;
        let refusal = "a chat is running in session work: wait until it ends, or cancel it";
        for (tool, arguments) in [
            ("chat", json!({"name": "work", "prompt": "two"})),
            ("set_head", json!({"name": "work", "node": "root"})),
            ("delete", json!({"name": "work"})),
        ] {
            assert_eq!(cone.failure(tool, arguments).await, refusal);
        }
        // Other sessions are not blocked.
        cone.data("chat", json!({"name": "other", "prompt": "two"})).await;
        gate.notify_one();
    });
    assert_eq!(first["content"][0]["text"], "a");
    assert_eq!(cone.size(&session).await, (3, 1), "what was refused left no node");
    cone.data("chat", json!({"name": "work", "prompt": "two"})).await;
}

#[tokio::test]
async fn an_answer_that_fails_leaves_the_head_where_it_was() {
    let error = Step::Piece(b"{\"error\":\"Busy\"}\n".to_vec());
    let cut = vec![Step::Head(LINES), piece("half"), error];
    let silent = answer(&[]);
    let provider = ModelServer::start(vec![cut, silent, answer(&["whole"])]).await;
    let cone = ConeServer::new(Some(&provider));
    let session = cone.create("work").await;
    let events = Arc::new(Events::default());
    let said = failure(&cone.chat("work", "one", &events).await);
    assert_eq!(events.kinds(), ["start", "content", "error"]);
    assert!(said.starts_with("half\n"), "{said}");
    assert!(said.contains("Busy") && said.contains("goes on from its head as before"), "{said}");
    assert_eq!(cone.head("work").await, text(&session["head"]));
    let said = cone.failure("chat", json!({"name": "work", "prompt": "two"})).await;
    assert!(said.contains("without any text"), "{said}");
    // The questions stay as leaves, and the session continues from its head.
    assert_eq!(cone.size(&session).await, (3, 2));
    let last = cone.data("chat", json!({"name": "work", "prompt": "three"})).await;
    let path = cone.path(&session, last["head"].as_str().unwrap()).await;
    assert_eq!(path, ["system: ", "user: three", "assistant: whole"]);
}

#[tokio::test]
async fn a_cancelled_chat_closes_the_connection() {
    let held = vec![Step::Head(LINES), piece("half"), Step::Hold];
    let mut provider = ModelServer::start(vec![held, answer(&["whole"])]).await;
    let cone = ConeServer::new(Some(&provider));
    let session = cone.create("work").await;
    let events = Arc::new(Events::default());
    tokio::select! {
        result = cone.chat("work", "one", &events) => panic!("{result}"),
        () = events.until("content") => {}
    }
    provider.client_gone().await;
    assert_eq!(cone.head("work").await, text(&session["head"]));
    assert_eq!(cone.size(&session).await, (2, 1), "the question, and no half of an answer");
    cone.data("chat", json!({"name": "work", "prompt": "two"})).await;
}

#[tokio::test]
async fn credentials_reach_neither_the_provider_nor_the_store() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let provider = ModelServer::start(vec![answer(&["use ", &secret, " now"])]).await;
    let cone = ConeServer::new(Some(&provider));
    let session = cone.create("work").await;
    let refused = cone.failure("chat", json!({"name": "work", "prompt": secret})).await;
    assert!(refused.starts_with("Content blocked: prompt: "), "{refused}");
    assert!(provider.seen().is_empty());
    let done = cone.data("chat", json!({"name": "work", "prompt": "which token?"})).await;
    let path = cone.path(&session, done["head"].as_str().unwrap()).await;
    let stored = path.last().unwrap();
    assert!(stored.starts_with("assistant: use ") && stored.ends_with(" now"), "{stored}");
    assert!(!stored.contains(&secret), "{stored}");
}
