//! Graceful shutdown with open streams and calls (T81): listeners get a last message, calls finish,
//! and nothing is left behind.

use std::time::Duration;

use hobnob_mcp_http::Served;
use serde_json::json;

use crate::client::{Connection, TestRequest, wait_for};
use crate::mcp_server::{
    LegacySession, NEWEST_LEGACY, TestOptions, TestServer, ToolEvent, modern, request, said, script,
};

#[tokio::test]
async fn streams_end_and_calls_finish() {
    let mut server = TestServer::start().await;
    let mut standing = Vec::new();
    let mut calls = Vec::new();
    for number in 0..10 {
        let session = LegacySession::open(&server, NEWEST_LEGACY).await;
        standing.push(session.listen().await);
        let params = || script("call", &["wait:all"], "done");
        for http_request in [
            session.post(&request(number, "tools/call", params())),
            modern(number, "tools/call", params()),
        ] {
            let mut connection = Connection::connect(server.address).await;
            connection.send(&http_request).await;
            assert_eq!(server.next_event().await, ToolEvent::Began("call".into()));
            calls.push(connection);
        }
    }
    let mut streams = Vec::new();
    for number in 0..10 {
        let session = LegacySession::open(&server, NEWEST_LEGACY).await;
        streams.push(session.run_steps("stream", &["log:1", "wait:all"], "done").await);
        let http_request =
            modern(number, "tools/call", script("stream", &["progress", "wait:all"], "done"));
        streams.push(http_request.send(server.address).await.events());
    }
    let mut listens = Vec::new();
    for number in 0..10 {
        let params = json!({"notifications": {"toolsListChanged": true}});
        let mut events =
            modern(number, "subscriptions/listen", params).send(server.address).await.events();
        events.message().await;
        listens.push(events);
    }
    let mut old = TestRequest::get("/sse").send(server.address).await.events();
    old.next().await;

    let address = server.address;
    let gate = server.gate_opener("all", calls.len() + streams.len());
    let (mut serving, _events) = server.stop();
    for mut events in standing {
        assert_eq!(events.next().await, None);
    }
    assert_eq!(old.next().await, None);
    for mut events in listens {
        let rest = events.messages().await;
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0]["result"]["resultType"], "complete");
    }
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "nobody else is let in");
    gate();
    for connection in calls {
        assert_eq!(said(&connection.answer().await.json().await), "done");
    }
    for mut events in streams {
        assert_eq!(said(events.messages().await.last().unwrap()), "done");
    }
    let served = wait_for("the server's end", serving.join_next()).await;
    assert_eq!(served.unwrap().unwrap().unwrap(), Served { cut: 0 });
}

#[tokio::test]
async fn a_stream_that_was_taken_up_again_may_finish_too() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut stream = session.run_steps("a", &["pause:1", "wait:a"], "done").await;
    let first = stream.next().await.unwrap();
    let mut resumed = session.resume(first.id()).await.events();
    let mut standing = session.listen().await;
    let gate = server.gate_opener("a", 1);
    let (mut serving, _events) = server.stop();
    assert_eq!(standing.next().await, None, "the server has begun to stop");
    gate();
    assert_eq!(said(&resumed.message().await), "done");
    assert_eq!(resumed.next().await, None);
    let served = wait_for("the server's end", serving.join_next()).await;
    assert_eq!(served.unwrap().unwrap().unwrap(), Served { cut: 0 });
}

#[tokio::test]
async fn what_does_not_finish_is_cut_and_dropped() {
    let mut options = TestOptions::default();
    options.http.limits.shutdown_grace = Duration::from_millis(50);
    let mut server = TestServer::with(options).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut kept = Vec::new();
    for (who, http_request) in [
        ("legacy", session.post(&request(1, "tools/call", script("legacy", &["wait:never"], "")))),
        ("modern", modern(1, "tools/call", script("modern", &["wait:never"], ""))),
        ("left", session.post(&request(2, "tools/call", script("left", &["wait:never"], "")))),
    ] {
        let mut connection = Connection::connect(server.address).await;
        connection.send(&http_request).await;
        assert_eq!(server.next_event().await, ToolEvent::Began(who.into()));
        kept.push(connection);
    }
    // This call's client has gone; the call would go on for ever.
    drop(kept.pop());
    let (mut serving, mut events) = server.stop();
    let served = wait_for("the server's end", serving.join_next()).await;
    let cut = served.unwrap().unwrap().unwrap().cut;
    assert!((2..=3).contains(&cut), "{cut}");
    let mut dropped = Vec::new();
    while let Ok(event) = events.try_recv() {
        dropped.push(event);
    }
    dropped.sort_by_key(|event| format!("{event:?}"));
    assert_eq!(dropped, ["left", "legacy", "modern"].map(|who| ToolEvent::Dropped(who.into())));
}
