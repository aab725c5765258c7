//! One JSON answer or a stream of events: chosen by what the call does and what the client accepts.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use std::time::Duration;

use hobnob_mcp_engine::Change;
use serde_json::{Value, json};

use crate::client::TestRequest;
use crate::mcp_server::{
    LEGACY, LegacySession, NEWEST_LEGACY, TestOptions, TestServer, modern, request, said, script,
};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";

/// The content type of the answer and the methods of its messages; a result counts as "".
async fn shape(http_request: TestRequest, server: &TestServer) -> (String, Vec<String>) {
    let answer = http_request.send(server.address).await;
    assert_eq!(answer.status, 200, "{http_request:?}");
    let kind = answer.header("content-type").unwrap().to_owned();
    let messages = if answer.is_stream() {
        let mut events = answer.events();
        assert_eq!(events.header("cache-control"), Some("no-cache"));
        assert_eq!(events.header("x-accel-buffering"), Some("no"));
        events.messages().await
    } else {
        vec![answer.json().await]
    };
    let last = messages.last().unwrap();
    assert_eq!(said(last), "done", "{messages:?}");
    let method = |message: &Value| message["method"].as_str().unwrap_or_default().to_owned();
    (kind, messages.iter().map(method).collect())
}

/// The steps of a call, what its client accepts, and what the server sends.
const SHAPES: [(&[&str], &str, &str, &[&str]); 9] = [
    (&[], BOTH, JSON, &[""]),
    (&[], "text/event-stream, application/json", JSON, &[""]),
    (&[], "*/*", JSON, &[""]),
    (&[], JSON, JSON, &[""]),
    (&[], EVENTS, EVENTS, &[""]),
    (&["progress"], BOTH, EVENTS, &["notifications/progress", ""]),
    (&["progress"], EVENTS, EVENTS, &["notifications/progress", ""]),
    (
        &["progress", "log:a"],
        BOTH,
        EVENTS,
        &["notifications/progress", "notifications/message", ""],
    ),
    // A client that accepts no streams gets the answer all the same.
    (&["progress", "log:a"], JSON, JSON, &[""]),
];

#[tokio::test]
async fn legacy_answers_take_the_form_their_messages_need() {
    let server = TestServer::start().await;
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        for (steps, accept, kind, methods) in SHAPES {
            let http_request = session.post(&request(1, "tools/call", script("a", steps, "done")));
            let found = shape(http_request.with("Accept", accept), &server).await;
            assert_eq!(
                (&*found.0, found.1),
                (kind, methods.iter().map(|m| m.to_string()).collect())
            );
        }
    }
}

#[tokio::test]
async fn modern_answers_take_the_form_their_messages_need() {
    let server = TestServer::start().await;
    for (steps, accept, kind, methods) in SHAPES {
        let mut params = script("a", steps, "done");
        params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
        let http_request = modern(1, "tools/call", params).with("Accept", accept);
        let found = shape(http_request, &server).await;
        assert_eq!((&*found.0, found.1), (kind, methods.iter().map(|m| m.to_string()).collect()));
    }
}

#[tokio::test]
async fn nobody_receives_what_nobody_asked_for() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut quiet = script("a", &["progress", "log:a"], "done");
    quiet.as_object_mut().unwrap().remove("_meta");
    let found = shape(modern(1, "tools/call", quiet.clone()), &server).await;
    assert_eq!(found, (JSON.into(), vec![String::new()]), "a modern request must ask for either");
    let found = shape(session.post(&request(1, "tools/call", quiet.clone())), &server).await;
    assert_eq!(found.1, ["notifications/message", ""], "progress needs a token");
    let level =
        session.request(2, "logging/setLevel", json!({"level": "error"})).await.json().await;
    assert_eq!(level["result"], json!({}));
    let found = shape(session.post(&request(3, "tools/call", quiet)), &server).await;
    assert_eq!(found.0, JSON);
}

#[tokio::test]
async fn modern_events_have_no_ids_and_every_one_is_a_message() {
    let server = TestServer::start().await;
    let http_request =
        modern("x", "tools/call", script("token", &["progress", "progress"], "done"));
    let events = http_request.send(server.address).await.events().rest().await;
    for event in &events {
        assert_eq!((&event.id, event.retry, &event.event), (&None, None, &None), "{event:?}");
    }
    let messages: Vec<_> = events.iter().map(|event| event.message()).collect();
    let progress = |number: u64| json!({"progressToken": "token", "progress": number});
    assert_eq!(messages[0]["params"], progress(1));
    assert_eq!(messages[1]["params"], progress(2));
    assert_eq!((messages.len(), &messages[2]["id"]), (3, &json!("x")));
}

#[tokio::test]
async fn only_newer_legacy_clients_are_primed() {
    let server = TestServer::start().await;
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        let mut stream = session.run_steps("a", &["progress"], "done").await;
        let first = stream.next().await.unwrap();
        let primed = revision == NEWEST_LEGACY;
        assert_eq!(first.data.as_deref() == Some(""), primed, "{revision}: {first:?}");
        let rest = stream.rest().await;
        assert_eq!(rest.len(), if primed { 2 } else { 1 }, "{revision}");
        // All of these clients can resume, so every event has an id, and no two are the same.
        let mut ids: Vec<_> =
            rest.iter().chain([&first]).map(|event| event.id().to_owned()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), rest.len() + 1, "{revision}");
    }
}

#[tokio::test]
async fn silent_streams_give_signs_of_life() {
    let options = TestOptions::sessions(|limits| limits.keep_alive = Duration::from_millis(10));
    let server = TestServer::with(options).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let listen = json!({"notifications": {"toolsListChanged": true}});
    let streams = [
        ("standing", session.listen().await),
        ("call", session.run_steps("a", &["progress", "wait:never"], "done").await),
        (
            "modern call",
            modern(1, "tools/call", script("b", &["progress", "wait:never"], "done"))
                .send(server.address)
                .await
                .events(),
        ),
        ("listen", modern(2, "subscriptions/listen", listen).send(server.address).await.events()),
        ("HTTP+SSE", TestRequest::get("/sse").send(server.address).await.events()),
    ];
    for (name, mut stream) in streams {
        let mut signs = 0;
        while signs < 3 {
            let block = stream.block().await.unwrap_or_else(|| panic!("{name} has ended"));
            signs += usize::from(block.comment.is_some());
            assert!(block.comment.is_none() || block.data.is_none(), "{name}: {block:?}");
        }
    }
}

#[tokio::test]
async fn a_sign_of_life_does_not_delay_messages() {
    let options = TestOptions::sessions(|limits| limits.keep_alive = Duration::from_millis(1));
    let server = TestServer::with(options).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = session.listen().await;
    for _ in 0..20 {
        while standing.block().await.unwrap().comment.is_none() {}
        server.publish(&Change::Tools);
        assert_eq!(standing.message().await["method"], "notifications/tools/list_changed");
    }
}
