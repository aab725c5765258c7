//! HTTP+SSE from the client's side: the endpoint for messages, the single stream, its end.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use std::sync::Arc;

use hobnob_mcp_http::client::{HttpClientLimits, OpenError, SseCarrier};
use hobnob_mcp_transport::{Carrier as _, Outgoing, OutgoingKind, RequestHead, SendError};
use hobnob_mcp_types::{Method, Revision};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::task::TaskTracker;

use crate::client::wait_for;
use crate::client_raw::{RawRequest, RawServer, STREAM};
use crate::client_recorder::{CANARY, Recording, assert_line, recorder, target};
use crate::mcp_server::TestServer;

type Opened = Result<Arc<SseCarrier>, OpenError>;

/// Begins to open a carrier; the test plays the server.
fn open(url: &str, limits: HttpClientLimits) -> (JoinSet<Opened>, Recording) {
    let (recorder, received) = recorder();
    let mut opening = JoinSet::new();
    opening.spawn(SseCarrier::open(target(url), limits, recorder, TaskTracker::new()));
    (opening, received)
}

async fn opened(mut opening: JoinSet<Opened>) -> Opened {
    wait_for("the stream to open", opening.join_next()).await.unwrap().unwrap()
}

/// A carrier whose server has named `endpoint`.
async fn connected(
    raw: &mut RawServer,
    endpoint: &str,
) -> (Arc<SseCarrier>, Recording, RawRequest) {
    let (opening, received) = open(&raw.url(), HttpClientLimits::default());
    let mut stream = raw.next().await;
    assert_eq!(stream.line(), "GET /mcp?key=canary-key");
    assert_eq!(stream.header("accept"), Some("text/event-stream"));
    stream.write(&format!("{STREAM}: hi\n\nevent: endpoint\ndata: {endpoint}\n\n")).await;
    (opened(opening).await.unwrap(), received, stream)
}

fn request(id: i64, method: Method, params: &Value) -> Outgoing {
    let head = RequestHead {
        id: id.into(),
        method,
        revision: Some(Revision::V2024_11_05),
        name: None,
        mirrored: Vec::new(),
    };
    let text = json!({"jsonrpc": "2.0", "id": id, "method": method.as_str(), "params": params});
    Outgoing { text: text.to_string(), kind: OutgoingKind::Request(head) }
}

#[tokio::test]
async fn messages_go_where_the_stream_says_and_answers_come_on_it() {
    let mut raw = RawServer::start().await;
    let absolute = format!("http://{}/messages?id=1", raw.address);
    for endpoint in ["/messages?id=1", "messages?id=1", &*absolute] {
        let (carrier, mut received, mut stream) = connected(&mut raw, endpoint).await;
        carrier.send(request(1, Method::ToolsList, &json!({}))).unwrap();
        let asked = raw.next().await;
        assert_eq!(asked.line(), "POST /messages?id=1");
        assert_eq!(asked.header("authorization"), Some(CANARY));
        assert_eq!(asked.header("mcp-protocol-version"), None);
        assert_eq!(asked.message()["id"], 1);
        asked.reply(202, "", "Accepted").await;
        stream
            .write("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
            .await;
        assert_eq!(received.next().await, "answer 1 {}, aside");
        carrier.send(request(2, Method::ToolsList, &json!({}))).unwrap();
        raw.next().await.reply(400, "", "no").await;
        assert_eq!(received.next().await, "lost 2 status 400 \"no\" None");
        stream.answer("").await;
        assert_line(&received.next().await, "ended: ");
        let message = request(3, Method::ToolsList, &json!({}));
        assert_eq!(carrier.send(message), Err(SendError::Ended));
        assert_eq!(received.rest(), [""; 0]);
    }
}

/// The single stream carries all answers, so one that is too large must not end it.
#[tokio::test]
async fn an_event_that_is_too_large_does_not_end_the_stream() {
    let mut raw = RawServer::start().await;
    let limits = HttpClientLimits { event_bytes: 1000, ..HttpClientLimits::default() };
    let (opening, mut received) = open(&raw.url(), limits);
    let mut stream = raw.next().await;
    stream.write(&format!("{STREAM}event: endpoint\ndata: /messages\n\n")).await;
    let _carrier = opened(opening).await.unwrap();
    let large = format!(r#"{{"result":"{}","jsonrpc":"2.0","id":1}}"#, "x".repeat(5000));
    stream.write(&format!("data: {large}\n\n")).await;
    assert_eq!(received.next().await, "garbage -32600, aside");
    stream.write("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n").await;
    assert_eq!(received.next().await, "answer 2 {}, aside");
}

#[tokio::test]
async fn closing_lets_the_stream_go_without_a_word() {
    let mut raw = RawServer::start().await;
    let (carrier, mut received, stream) = connected(&mut raw, "/m").await;
    carrier.close();
    stream.closed().await;
    assert_eq!(received.rest(), [""; 0]);
    let (carrier, _received, stream) = connected(&mut raw, "/m").await;
    drop(carrier);
    stream.closed().await;
}

#[tokio::test]
async fn the_client_distinguishes_other_servers_from_a_server_that_misbehaves() {
    let mut elsewhere = RawServer::start().await;
    let foreign = format!("{STREAM}event: endpoint\ndata: http://{}/m\n\n", elsewhere.address);
    let cases: Vec<(String, &str)> = vec![
        (foreign, "the server wants messages at another origin"),
        (format!("{STREAM}event: endpoint\ndata: //evil.example/m\n\n"), "the server wants mess"),
        (format!("{STREAM}event: endpoint\ndata: file:///etc\n\n"), "the server wants messages"),
        (format!("{STREAM}: hi\n\n"), "the server did not say where messages go: the server clo"),
        (format!("{STREAM}data: {{}}\n\n"), "the server did not say where messages go: a message"),
        (
            format!("{STREAM}data: {}", "x".repeat(3000)),
            "the server did not say where messages go: server-sent event is larger",
        ),
        (
            "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n".into(),
            "the url gives no event stream (HTTP 404)",
        ),
        (
            "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n".into(),
            "the url gives no event stream (HTTP 200)",
        ),
        ("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n".into(), "the server wants credentials"),
        (String::new(), "the server cannot be reached: "),
    ];
    for (answer, expected) in cases {
        let mut raw = RawServer::start().await;
        let limits = HttpClientLimits { event_bytes: 2000, ..HttpClientLimits::default() };
        let (opening, mut received) = open(&raw.url(), limits);
        raw.next().await.answer(&answer).await;
        let error = opened(opening).await.unwrap_err();
        assert_line(&error.to_string(), expected);
        assert_eq!(received.rest(), [""; 0], "{answer:?}");
    }
    assert_eq!(elsewhere.unread(), 0);
}

#[tokio::test]
async fn a_server_that_hangs_is_left() {
    let mut raw = RawServer::start().await;
    let limits = HttpClientLimits::default();
    let limit = limits.open;
    let (opening, _received) = open(&raw.url(), limits);
    let mut stream = raw.next().await;
    stream.write(STREAM).await;
    // Only now: a busy machine may need longer to connect than a test can wait.
    tokio::time::pause();
    tokio::time::advance(limit).await;
    tokio::time::resume();
    assert!(matches!(opened(opening).await, Err(OpenError::Late)));
    stream.closed().await;
}

#[tokio::test]
async fn our_own_server_is_understood() {
    let server = TestServer::start().await;
    let url = format!("http://{}/sse", server.address);
    let (opening, mut received) = open(&url, HttpClientLimits::default());
    let carrier = opened(opening).await.unwrap();
    let hello = json!({
        "protocolVersion": Revision::V2024_11_05.as_str(),
        "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    });
    carrier.send(request(1, Method::Initialize, &hello)).unwrap();
    assert_line(&received.next().await, "answer 1 {\"protocolVersion\":\"2024-11-05\"");
    let text = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let kind = OutgoingKind::OneWay { revision: Some(Revision::V2024_11_05) };
    carrier.send(Outgoing { text, kind }).unwrap();
    carrier.greeted(Revision::V2024_11_05);
    let call = json!({"name": "echo", "arguments": {"text": "grüezi"}});
    carrier.send(request(2, Method::ToolsCall, &call)).unwrap();
    let answer = received.next().await;
    assert_line(&answer, "answer 2 {");
    assert!(answer.contains("grüezi"), "{answer}");
    assert_eq!(server.sessions().await, 1);
    carrier.close();
    server.until_sessions(0).await;
}
