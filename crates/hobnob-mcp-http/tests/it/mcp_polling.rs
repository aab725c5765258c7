//! A tool that sends its client away, which comes back for the rest (2025-11-25); older clients
//! notice nothing.

use serde_json::json;

use crate::mcp_server::{
    LEGACY, LegacySession, NEWEST_LEGACY, TestServer, ToolEvent, modern, request, said, script,
};

#[tokio::test]
async fn a_client_is_sent_away_and_finds_the_rest_when_it_comes_back() {
    let mut server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut stream = session.run_steps("a", &["pause:7", "wait:a"], "done").await;
    let first = stream.next().await.unwrap();
    assert_eq!((first.retry, first.data.as_deref()), (Some(7), Some("")));
    assert_eq!(stream.next().await, None, "the client is sent away");
    // The client may come back before there is anything, or after; the call goes on meanwhile.
    let mut early = session.resume(first.id()).await.events();
    server.open_gate("a", 1);
    let rest = early.rest().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(said(&rest[0].message()), "done");
    assert_eq!(server.next_event().await, ToolEvent::Began("a".into()));
    assert_eq!(server.next_event().await, ToolEvent::Ended("a".into()));
    let late = session.resume(first.id()).await.events().rest().await;
    assert_eq!(late, rest);
    assert_eq!(session.resume(rest[0].id()).await.status, 204);
}

#[tokio::test]
async fn a_client_may_be_sent_away_more_than_once() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let steps = ["log:1", "pause:5", "wait:a", "log:2", "pause:6", "wait:a"];
    let mut stream = session.run_steps("a", &steps, "done").await;
    let mut seen = Vec::new();
    let mut retries = Vec::new();
    let mut last = String::new();
    loop {
        let events = stream.rest().await;
        for event in &events {
            last = event.id().to_owned();
            retries.extend(event.retry);
            match event.data.as_deref() {
                Some("") => {}
                _ => seen.push(event.message()),
            }
        }
        if seen.last().is_some_and(|message| message.get("result").is_some()) {
            break;
        }
        server.open_gate("a", 1);
        stream = session.resume(&last).await.events();
    }
    assert_eq!(retries, [5, 6]);
    let logged: Vec<_> =
        seen.iter().filter_map(|message| message["params"]["data"].as_str()).collect();
    assert_eq!(logged, ["1", "2"]);
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[tokio::test]
async fn older_clients_are_not_sent_away() {
    let server = TestServer::start().await;
    for revision in LEGACY.into_iter().filter(|revision| *revision != NEWEST_LEGACY) {
        let session = LegacySession::open(&server, revision).await;
        let mut stream = session.run_steps("a", &["log:1", "pause:7", "wait:a"], "done").await;
        assert_eq!(stream.next().await.unwrap().message()["params"]["data"], "1", "{revision}");
        server.open_gate("a", 1);
        let rest = stream.rest().await;
        assert_eq!(rest.len(), 1, "{revision}: {rest:?}");
        assert_eq!(rest[0].retry, None, "{revision}");
        assert_eq!(said(&rest[0].message()), "done", "{revision}");
        // A pause alone is no reason to answer with a stream.
        server.open_gate("b", 1);
        let call = request(2, "tools/call", script("b", &["pause:7", "wait:b"], "done"));
        assert_eq!(said(&session.send(&call).await.json().await), "done", "{revision}");
    }
}

#[tokio::test]
async fn those_who_could_not_come_back_are_not_sent_away() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let params = || script("a", &["pause:7", "progress", "wait:a"], "done");
    server.open_gate("a", 2);
    let json_only =
        session.post(&request(1, "tools/call", params())).with("Accept", "application/json");
    assert_eq!(said(&json_only.send(server.address).await.json().await), "done");
    let events = modern(2, "tools/call", params()).send(server.address).await.events().rest().await;
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(events[1].message()["id"], json!(2));
}
