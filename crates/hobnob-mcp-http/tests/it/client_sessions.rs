//! Legacy sessions from the client's side: the id in the headers, the standing stream, the end.

use hobnob_mcp_transport::Carrier as _;
use hobnob_mcp_types::Revision;

use crate::client_raw::{RawServer, STREAM};
use crate::client_recorder::{TestClient, assert_line};
use crate::mcp_server::NEWEST_LEGACY;

const NEWEST: Revision = Revision::NEWEST_LEGACY;

/// A handshake with a server that creates a session.
async fn greet(raw: &mut RawServer, client: &mut TestClient) {
    client.initialize(0, NEWEST_LEGACY);
    let hello = raw.next().await;
    assert_eq!(hello.header("mcp-session-id"), None);
    hello.result("Mcp-Session-Id: s-1\r\n").await;
    assert_line(&client.received.next().await, "answer 0 ");
}

#[tokio::test]
async fn the_session_goes_with_everything_after_the_greeting() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    greet(&mut raw, &mut client).await;
    client.initialized(NEWEST);
    client.carrier.greeted(NEWEST);
    let first = raw.next().await;
    assert_eq!(first.message()["method"], "notifications/initialized");
    for name in [("mcp-session-id", "s-1"), ("mcp-protocol-version", NEWEST_LEGACY)] {
        assert_eq!(first.header(name.0), Some(name.1));
    }
    first.reply(202, "", "").await;
    let standing = raw.next().await;
    assert_eq!(standing.method(), "GET");
    assert_eq!(standing.header("mcp-session-id"), Some("s-1"));
    assert_eq!(standing.header("mcp-protocol-version"), Some(NEWEST_LEGACY));
    assert_eq!(standing.header("last-event-id"), None);
    standing.reply(405, "", "").await;
    client.call(1);
    let call = raw.next().await;
    assert_eq!(call.header("mcp-session-id"), Some("s-1"));
    call.result("").await;
    assert_eq!(client.received.next().await, "answer 1 {}, on 1");
    client.carrier.close();
    let farewell = raw.next().await;
    assert_eq!(farewell.method(), "DELETE");
    assert_eq!(farewell.header("mcp-session-id"), Some("s-1"));
    assert_eq!(farewell.header("mcp-protocol-version"), Some(NEWEST_LEGACY));
    farewell.reply(200, "", "").await;
    client.carrier.close();
    assert_eq!(client.finish().await.rest(), [""; 0]);
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn nothing_overtakes_the_end_of_the_handshake() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    greet(&mut raw, &mut client).await;
    client.initialized(NEWEST);
    for id in 1..=20 {
        client.call(id);
    }
    let first = raw.next().await;
    assert_eq!(first.message()["method"], "notifications/initialized");
    assert_eq!(raw.unread(), 0);
    first.reply(202, "", "").await;
    for _ in 1..=20 {
        raw.next().await.result("").await;
    }
    for _ in 1..=20 {
        assert_line(&client.received.next().await, "answer ");
    }
}

#[tokio::test]
async fn a_forgotten_session_is_reported_and_a_new_greeting_starts_another() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    greet(&mut raw, &mut client).await;
    let bodies = [
        "",
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no such session"}}"#,
    ];
    for body in bodies {
        client.call(1);
        raw.next().await.json(404, body).await;
        assert_eq!(client.received.next().await, "lost 1 session gone");
    }
    // A missing method is not a missing session.
    client.call(1);
    let unknown = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method"}}"#;
    raw.next().await.json(404, unknown).await;
    assert_eq!(client.received.next().await, "error 1 -32601 no method, on 1");
    greet(&mut raw, &mut client).await;
    // A server may also stop using sessions.
    client.initialize(2, NEWEST_LEGACY);
    raw.next().await.result("").await;
    client.received.next().await;
    client.call(3);
    let call = raw.next().await;
    assert_eq!(call.header("mcp-session-id"), None);
    call.reply(404, "", "").await;
    assert_line(&client.received.next().await, "lost 3 status 404 ");
}

#[tokio::test]
async fn a_session_id_that_no_header_may_carry_is_refused() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    client.initialize(0, NEWEST_LEGACY);
    raw.next().await.result("Mcp-Session-Id: s 1\r\n").await;
    assert_line(&client.received.next().await, "lost 0 broken: the server's session id");
}

#[tokio::test]
async fn a_server_without_a_standing_stream_is_asked_once() {
    for status in [400, 401, 404, 405, 406, 501, 200] {
        let mut raw = RawServer::start().await;
        let client = TestClient::raw(&raw);
        client.carrier.greeted(NEWEST);
        raw.next().await.reply(status, "", "").await;
        assert_eq!(client.finish().await.rest(), [""; 0], "{status}");
        assert_eq!(raw.unread(), 0, "{status}");
    }
    let mut raw = RawServer::start().await;
    let client = TestClient::raw(&raw);
    client.carrier.greeted(Revision::NEWEST);
    assert_eq!(client.finish().await.rest(), [""; 0]);
    assert_eq!(raw.unread(), 0, "the modern era has none");
}

#[tokio::test]
async fn the_standing_stream_is_kept_open() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    client.carrier.greeted(NEWEST);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let received = "note notifications/tools/list_changed, aside";
    let event = |id: u32| format!("{STREAM}retry: 0\nid: {id}\ndata: {note}\n\n");
    raw.next().await.answer(&event(1)).await;
    assert_eq!(client.received.next().await, received);
    let second = raw.next().await;
    assert_eq!(second.header("last-event-id"), Some("1"));
    second.answer(&event(2)).await;
    assert_eq!(client.received.next().await, received);
    // Temporary failures are retried; an event id that the server no longer knows is given up.
    for (status, place) in [(503, Some("2")), (410, Some("2"))] {
        let asked = raw.next().await;
        assert_eq!(asked.header("last-event-id"), place);
        asked.reply(status, "", "").await;
    }
    let mut fresh = raw.next().await;
    assert_eq!(fresh.header("last-event-id"), None);
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    fresh.write(&format!("{STREAM}data: {ping}\n\n")).await;
    assert_eq!(client.received.next().await, "request \"p\" ping, aside");
    // A second handshake opens its own stream and ends the first.
    client.carrier.greeted(NEWEST);
    fresh.closed().await;
    let newer = raw.next().await;
    client.carrier.close();
    newer.closed().await;
    assert_eq!(client.finish().await.rest(), [""; 0]);
}

/// The session of an open stream is gone: the owner must initialize again. A connection that breaks
/// before its answer does not lose the last event id.
#[tokio::test]
async fn a_session_that_is_gone_ends_the_connection() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    greet(&mut raw, &mut client).await;
    client.carrier.greeted(NEWEST);
    raw.next().await.answer(&format!("{STREAM}retry: 0\nid: 7\ndata:\n\n")).await;
    let broken = raw.next().await;
    assert_eq!(broken.header("last-event-id"), Some("7"));
    drop(broken);
    let again = raw.next().await;
    assert_eq!(again.header("last-event-id"), Some("7"));
    again.reply(404, "", "").await;
    assert_eq!(client.received.next().await, "ended: the server has forgotten the session");
    assert_eq!(client.finish().await.rest(), [""; 0]);
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_any_more_ends_the_connection() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    greet(&mut raw, &mut client).await;
    client.carrier.greeted(NEWEST);
    raw.next().await.answer(&format!("{STREAM}retry: 0\nid: 7\ndata:\n\n")).await;
    for _ in 0..6 {
        drop(raw.next().await);
    }
    assert_eq!(client.received.next().await, "ended: the server cannot be reached any more");
    assert_eq!(client.finish().await.rest(), [""; 0]);
}

#[tokio::test]
async fn letting_the_carrier_go_ends_the_session_too() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    greet(&mut raw, &mut client).await;
    let TestClient { carrier, tasks, .. } = client;
    drop(carrier);
    // A server that never answers does not delay the end.
    let farewell = raw.next().await;
    assert_eq!(farewell.method(), "DELETE");
    tasks.close();
    crate::client::wait_for("the end of all tasks", tasks.wait()).await;
    farewell.closed().await;
}
