//! Limits for one client: sessions (T70, T71), concurrent requests, bodies, a stream without a
//! reader (T73); and that concurrent clients are never mixed up (T28).

use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::Limits;
use hobnob_mcp_http::{HttpLoad, SessionLimits, UsedHttpLimit};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Connection, TestRequest, wait_for};
use crate::mcp_server::{
    LegacySession, NEWEST_LEGACY, TestOptions, TestServer, ToolEvent, initialize, modern,
    notification, request, said, script,
};

fn hello() -> TestRequest {
    TestRequest::post(initialize(NEWEST_LEGACY, &json!({})).to_string())
}

#[tokio::test]
async fn one_session_too_many_is_refused_while_all_are_in_use() {
    let load: Arc<HttpLoad> = Arc::default();
    assert_eq!(load.read(), None, "no listener has it yet");
    let mut options = TestOptions::sessions(|limits| limits.max_sessions = 3);
    options.http.load = Some(Arc::clone(&load));
    let server = TestServer::with(options).await;
    // In use in every way that counts: a standing stream, a call with and without a stream.
    let listens = LegacySession::open(&server, NEWEST_LEGACY).await;
    let standing = listens.listen().await;
    let streams = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut call = streams.run_steps("a", &["log:1", "wait:a"], "done").await;
    let waits = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut connection = Connection::connect(server.address).await;
    connection.send(&waits.post(&request(1, "tools/call", script("b", &["wait:b"], "done")))).await;
    let mut server = server;
    assert_eq!(
        [server.next_event().await, server.next_event().await],
        ["a", "b"].map(|who| ToolEvent::Began(who.into()))
    );
    for http_request in [hello(), TestRequest::get("/sse")] {
        let refused = http_request.send(server.address).await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
        assert_eq!(refused.json().await["error"]["code"], -31001);
    }
    // A modern client needs no session.
    assert_eq!(modern(1, "tools/list", json!({})).send(server.address).await.status, 200);
    for session in [&listens, &streams, &waits] {
        assert_eq!(said(&session.echo(9, "unharmed").await), "unharmed");
    }
    // The program can tell its operator.
    let used = load.read().unwrap();
    assert_eq!(used.sessions, UsedHttpLimit { used: 3, max: 3 });
    assert_eq!(used.body_bytes, UsedHttpLimit { used: 0, max: 256 << 20 });
    assert!(3 <= used.connections.used && used.connections.max == 10_240, "{used:?}");
    // As soon as a session is idle it makes room, without a restart.
    drop(standing);
    wait_for("room", async { while hello().send(server.address).await.status != 200 {} }).await;
    assert_eq!(server.sessions().await, 3);
    server.open_gate("a", 1);
    server.open_gate("b", 1);
    assert_eq!(said(call.messages().await.last().unwrap()), "done");
    assert_eq!(said(&connection.answer().await.json().await), "done");
}

#[tokio::test]
async fn idle_sessions_make_room() {
    let server = TestServer::with(TestOptions::sessions(|limits| limits.max_sessions = 4)).await;
    let kept = LegacySession::open(&server, NEWEST_LEGACY).await;
    let _standing = kept.listen().await;
    let mut older = Vec::new();
    for _ in 0..20 {
        older.push(LegacySession::open(&server, NEWEST_LEGACY).await);
        assert!(server.sessions().await <= 4);
    }
    let newest = older.pop().unwrap();
    assert_eq!(said(&newest.echo(1, "in").await), "in");
    assert_eq!(said(&kept.echo(1, "still in").await), "still in");
    let mut gone = 0;
    for session in older {
        gone += usize::from(session.request(1, "ping", json!({})).await.status == 404);
    }
    assert_eq!(gone, 17);
}

#[tokio::test]
async fn a_handshake_that_fails_costs_nobody_their_session() {
    let server = TestServer::with(TestOptions::sessions(|limits| limits.max_sessions = 1)).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let bad =
        TestRequest::post(request(1, "initialize", json!({"protocolVersion": 7})).to_string());
    assert_eq!(bad.send(server.address).await.json().await["error"]["code"], -32602);
    assert_eq!(said(&session.echo(1, "still in").await), "still in");
}

#[tokio::test]
async fn silent_sessions_end_by_themselves() {
    // Long enough for a client on a busy machine to send its next request.
    let options = TestOptions::sessions(|limits| limits.idle = Duration::from_secs(1));
    let mut server = TestServer::with(options).await;
    let listens = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = listens.listen().await;
    let works = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut connection = Connection::connect(server.address).await;
    connection.send(&works.post(&request(1, "tools/call", script("a", &["wait:a"], "done")))).await;
    assert_eq!(server.next_event().await, ToolEvent::Began("a".into()));
    for _ in 0..5 {
        assert_eq!(hello().send(server.address).await.status, 200);
    }
    server.until_sessions(2).await;
    server.open_gate("a", 1);
    assert_eq!(said(&connection.answer().await.json().await), "done");
    // The client had no reason to send anything before its answer came.
    assert_eq!(said(&works.echo(2, "again").await), "again");
    server.until_sessions(1).await;
    assert_eq!(said(&listens.echo(1, "received").await), "received");
    server.publish(&hobnob_mcp_engine::Change::Tools);
    standing.message().await;
    drop(standing);
    server.until_sessions(0).await;
    assert_eq!(listens.request(2, "ping", json!({})).await.status, 404);
}

#[tokio::test]
async fn requests_at_once_are_counted_for_each_session_and_for_all() {
    let limits = Limits { in_flight: 2, in_flight_total: 3, ..Limits::default() };
    let mut server =
        TestServer::with(TestOptions { server: limits, ..TestOptions::default() }).await;
    let first = LegacySession::open(&server, NEWEST_LEGACY).await;
    let second = LegacySession::open(&server, NEWEST_LEGACY).await;
    let call = |id: i64| request(id, "tools/call", script("a", &["wait:a"], "done"));
    let mut waiting = Vec::new();
    for id in 0..2 {
        let mut connection = Connection::connect(server.address).await;
        connection.send(&first.post(&call(id))).await;
        server.next_event().await;
        waiting.push(connection);
    }
    let refused = first.send(&call(2)).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    let refused = refused.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(2), &json!(-31001)));
    // One slot is left for other sessions.
    assert_eq!(said(&second.echo(1, "mine").await), "mine");
    let mut connection = Connection::connect(server.address).await;
    connection.send(&second.post(&call(3))).await;
    server.next_event().await;
    waiting.push(connection);
    let modern_call = || modern(4, "tools/call", json!({"name": "echo"}));
    let refused = modern_call().send(server.address).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json().await["id"], 4);
    // A message that needs no slot is still answered.
    assert_eq!(first.request(5, "ping", json!({})).await.status, 200);
    server.open_gate("a", 3);
    for connection in waiting {
        assert_eq!(said(&connection.answer().await.json().await), "done");
    }
    assert_eq!(modern_call().send(server.address).await.status, 200);
    assert_eq!(said(&first.echo(2, "again").await), "again");
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_on_every_path_that_takes_one() {
    let mut options = TestOptions::default();
    options.http.limits.body = 4096;
    let server = TestServer::with(options).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut events = TestRequest::get("/sse").send(server.address).await.events();
    let messages = events.next().await.unwrap().data.unwrap();
    let body = |length: usize| {
        let empty = request(1, "ping", json!({"a": ""})).to_string();
        request(1, "ping", json!({"a": "x".repeat(length - empty.len())})).to_string()
    };
    for path in ["/mcp", "/", &messages] {
        for (length, fits) in [(4096, true), (4097, false), (100_000, false)] {
            let http_request = session.named(TestRequest::post(body(length))).to(path);
            let status = http_request.send(server.address).await.status;
            assert_eq!(status < 300, fits, "{length} bytes to {path}: {status}");
            assert!(fits || status == 413, "{length} bytes to {path}: {status}");
        }
    }
    assert_eq!(said(&session.echo(1, "alive").await), "alive");
}

#[tokio::test]
async fn a_flood_of_notes_is_bounded_and_the_answer_still_comes() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let params = || {
        let mut params = script("a", &["flood:20000"], "done");
        params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
        params
    };
    let http_requests =
        [session.post(&request(1, "tools/call", params())), modern(1, "tools/call", params())];
    for http_request in http_requests {
        let answer = http_request.send(server.address).await;
        assert_eq!(answer.status, 200, "{http_request:?}");
        let messages = answer.events().messages().await;
        let (last, notes) = messages.split_last().unwrap();
        assert_eq!(said(last), "done");
        assert!(notes.len() <= 1024, "{} notes had waited", notes.len());
        // The newest notifications were kept, in order.
        let numbers: Vec<_> =
            notes.iter().map(|note| note["params"]["data"][0].as_u64().unwrap()).collect();
        let newest: Vec<_> = (20_000 - notes.len() as u64..20_000).collect();
        assert_eq!(numbers, newest);
    }
}

#[tokio::test]
async fn what_a_session_keeps_for_resumption_is_bounded() {
    let options = TestOptions::sessions(|limits: &mut SessionLimits| limits.event_bytes = 10_000);
    let server = TestServer::with(options).await;
    let session = LegacySession::open(&server, "2025-06-18").await;
    let events = session.run_steps("a", &["flood:500"], "done").await.rest().await;
    assert_eq!(events.len(), 501);
    let mut kept = 0;
    for event in &events[480..500] {
        kept += usize::from(session.resume(event.id()).await.status == 200);
    }
    // Each event has a little more than a kilobyte.
    assert!((8..=10).contains(&kept), "{kept}");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_and_harms_nobody() {
    let mut options = TestOptions::default();
    options.http.limits.write_stall = Duration::from_millis(50);
    let mut server = TestServer::with(options).await;
    let steps: Vec<String> =
        (0..40).flat_map(|_| ["flood:1000".into(), "wait:more".into()]).collect();
    let steps: Vec<&str> = steps.iter().map(|step| &**step).collect();
    let mut params = script("slow", &steps, "done");
    params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
    let mut connection = Connection::connect(server.address).await;
    connection.send(&modern(1, "tools/call", params)).await;
    assert_eq!(server.next_event().await, ToolEvent::Began("slow".into()));
    // More than any socket's buffers hold, at the pace of another client's requests.
    for _ in 0..38 {
        server.open_gate("more", 1);
        let answer =
            modern(2, "tools/call", json!({"name": "echo", "arguments": {"text": "other"}}));
        assert_eq!(said(&answer.send(server.address).await.json().await), "other");
    }
    assert_eq!(server.next_event().await, ToolEvent::Dropped("slow".into()));
    drop(connection);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_sessions_with_the_same_id_get_their_own_answers() {
    let server = TestServer::start().await;
    let address = server.address;
    let mut clients = JoinSet::new();
    for client in 0..50 {
        clients.spawn(async move {
            let mut connection = Connection::connect(address).await;
            for turn in 0..20 {
                let answer = connection.request(&hello()).await;
                let name = answer.header("mcp-session-id").unwrap().to_owned();
                connection = answer.text_and_connection().await.1;
                let ready = notification("notifications/initialized", json!({})).to_string();
                let named = |body: String| TestRequest::post(body).header("Mcp-Session-Id", &name);
                connection = connection.request(&named(ready)).await.text_and_connection().await.1;
                let token = format!("client {client} turn {turn}");
                let call = json!({"name": "echo", "arguments": {"text": token}});
                let http_request = named(request(1, "tools/call", call).to_string());
                let (text, kept) =
                    connection.request(&http_request).await.text_and_connection().await;
                let answer: Value = serde_json::from_str(&text).unwrap();
                assert_eq!((&answer["id"], said(&answer)), (&json!(1), &*token));
                connection = kept;
            }
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    assert_eq!(server.sessions().await, 1000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_with_the_same_id_at_the_same_time_get_their_own_answers() {
    let mut server = TestServer::start().await;
    let mut waiting = Vec::new();
    for number in 0..64 {
        let session = LegacySession::open(&server, NEWEST_LEGACY).await;
        let token = format!("token {number}");
        let params = script(&token, &["wait:all"], &token);
        let http_request = if number % 2 == 0 {
            session.post(&request(1, "tools/call", params))
        } else {
            modern(1, "tools/call", params)
        };
        let mut connection = Connection::connect(server.address).await;
        connection.send(&http_request).await;
        assert_eq!(server.next_event().await, ToolEvent::Began(token.clone()));
        waiting.push((connection, token));
    }
    server.open_gate("all", 64);
    for (connection, token) in waiting {
        assert_eq!(said(&connection.answer().await.json().await), token);
    }
}
