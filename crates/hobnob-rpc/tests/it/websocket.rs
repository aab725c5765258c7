//! The native RPC, and MCP, on a WebSocket, with a third-party client library.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use crate::test_view::{Listening, TIMEOUT, connect_with_small_buffer, listen, until};
use futures_util::{SinkExt as _, StreamExt as _};
use hobnob_mcp_http::{HttpLimits, HttpOptions, SessionLimits};
use hobnob_rpc::RpcLimits;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

struct TestSocket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl TestSocket {
    async fn connect(view: &Listening) -> Self {
        let (socket, _) = connect_async(format!("ws://{}/ws", view.address)).await.unwrap();
        Self(socket)
    }

    async fn with_small_buffer(view: &Listening) -> Self {
        let stream = connect_with_small_buffer(view.address).await;
        let url = format!("ws://{}/ws", view.address);
        let (socket, _) = client_async(url, MaybeTlsStream::Plain(stream)).await.unwrap();
        Self(socket)
    }

    async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Sends a request without waiting: answers come in order.
    async fn ask(&mut self, id: u32, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    /// The next message, or how the socket was closed.
    async fn next(&mut self) -> Result<Value, String> {
        loop {
            match timeout(TIMEOUT, self.0.next()).await.unwrap() {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(Some(CloseFrame { code, reason })))) => {
                    return Err(format!("closed: {code:?}, {reason}"));
                }
                other => return Err(format!("{other:?}")),
            }
        }
    }

    /// The result of the next message, which must be an event.
    async fn event(&mut self) -> Value {
        self.next().await.unwrap()["params"]["result"].clone()
    }
}

fn options() -> HttpOptions {
    HttpOptions { websockets: 8, ..HttpOptions::default() }
}

async fn view() -> Listening {
    listen(RpcLimits::default(), options()).await
}

#[tokio::test]
async fn calls_mcp_and_pings_share_a_socket() {
    let view = view().await;
    let mut socket = TestSocket::connect(&view).await;
    socket.ask(1, "bash.execute", json!(["say one\nwait"])).await;
    assert_eq!(socket.next().await.unwrap(), json!({"jsonrpc": "2.0", "id": 1, "result": 1}));
    assert_eq!(socket.event().await, json!({"type": "start"}));
    // This event was sent before the producer's end.
    assert_eq!(socket.event().await, json!({"type": "stdout", "data": "one\n"}));
    assert_eq!(view.stage.running(), 1);
    socket.ask(2, "ping", json!({})).await;
    assert_eq!(socket.next().await.unwrap()["result"], json!({}));
    let client = json!({"name": "c", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    socket.ask(3, "initialize", hello).await;
    assert_eq!(socket.next().await.unwrap()["result"]["serverInfo"]["name"], "substrate");
    socket.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    socket.ask(4, "tools/call", json!({"name": "echo_once", "arguments": {"text": "a"}})).await;
    assert_eq!(socket.next().await.unwrap()["result"]["content"][0]["text"], "a");
    socket.0.send(Message::Ping("x".into())).await.unwrap();
    assert!(
        matches!(timeout(TIMEOUT, socket.0.next()).await, Ok(Some(Ok(Message::Pong(it)))) if &it[..] == b"x")
    );
    view.stage.open_gate();
    assert_eq!(socket.event().await, json!({"type": "complete", "exit_code": 0}));
}

#[tokio::test]
async fn cancelling_leaves_nothing() {
    let view = view().await;
    let mut socket = TestSocket::connect(&view).await;
    for id in 1..=2 {
        socket.ask(id, "bash.execute", json!(["wait"])).await;
        assert_eq!(socket.next().await.unwrap()["result"], id);
        assert_eq!(socket.event().await["type"], "start");
    }
    socket.ask(3, "unsubscribe", json!([1])).await;
    assert_eq!(socket.next().await.unwrap()["result"], true);
    view.stage.until_running(1).await;
    // The other call ends with its connection, even if the client only disconnects.
    drop(socket);
    view.stage.until_running(0).await;
    // All places are free again.
    let mut sockets = Vec::new();
    for _ in 0..options().websockets {
        until_connected(&view, &mut sockets).await;
    }
    let refused = connect_async(format!("ws://{}/ws", view.address)).await;
    assert_eq!(status(refused), 503);
}

/// Connects as soon as a place is free: a lost connection is noticed a moment later.
async fn until_connected(view: &Listening, sockets: &mut Vec<TestSocket>) {
    let connecting = async {
        loop {
            if let Ok((socket, _)) = connect_async(format!("ws://{}/ws", view.address)).await {
                return socket;
            }
            tokio::task::yield_now().await;
        }
    };
    sockets.push(TestSocket(timeout(TIMEOUT, connecting).await.unwrap()));
}

/// The HTTP status of a refused upgrade.
fn status<T>(refused: Result<T, Error>) -> u16 {
    match refused {
        Err(Error::Http(response)) => response.status().as_u16(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the upgrade was accepted"),
    }
}

#[tokio::test]
async fn the_guard_stands_before_the_upgrade() {
    let view = view().await;
    let url = format!("ws://{}/ws", view.address);
    let upgrade = |name: &'static str, value: &str| {
        let mut request = url.as_str().into_client_request().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
        request
    };
    for (name, value, expected) in [
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("host", "evil.example", 403),
        ("sec-websocket-version", "12", 426),
        ("sec-websocket-key", "short", 400),
        ("upgrade", "h2c", 426),
    ] {
        assert_eq!(status(connect_async(upgrade(name, value)).await), expected, "{name}: {value}");
    }
    let local = format!("http://localhost:{}", view.address.port());
    assert!(connect_async(upgrade("origin", &local)).await.is_ok());
    let nowhere = connect_async(format!("ws://{}/p/none/ws", view.address)).await;
    assert_eq!(status(nowhere), 404);
    // WebSockets are off by default.
    let plain = listen(RpcLimits::default(), HttpOptions::default()).await;
    let refused = connect_async(format!("ws://{}/ws", plain.address)).await;
    assert_eq!(status(refused), 404);
}

#[tokio::test]
async fn messages_are_bounded_and_are_text() {
    let limits = HttpLimits { body: 10_000, ..HttpLimits::default() };
    let view = listen(RpcLimits::default(), HttpOptions { limits, ..options() }).await;
    for (message, expected) in [
        (Message::text("x".repeat(10_001)), "closed: Size, a message has at most"),
        (Message::binary(vec![1]), "closed: Unsupported, only text messages"),
    ] {
        let mut socket = TestSocket::connect(&view).await;
        socket.0.send(message).await.unwrap();
        let closed = socket.next().await.unwrap_err();
        assert!(closed.contains(expected), "{closed}");
    }
    // A client that closes gets a close frame back.
    let mut socket = TestSocket::connect(&view).await;
    let bye = CloseFrame { code: CloseCode::Normal, reason: "bye".into() };
    socket.0.send(Message::Close(Some(bye))).await.unwrap();
    let closed = socket.next().await.unwrap_err();
    assert!(closed.contains("closed: Normal, bye"), "{closed}");
    // Invalid JSON gets an error, and the connection stays usable.
    let mut socket = TestSocket::connect(&view).await;
    socket.0.send(Message::text("{")).await.unwrap();
    assert_eq!(socket.next().await.unwrap()["error"]["code"], -32700);
    socket.ask(1, "echo.once", json!(["a"])).await;
    assert_eq!(socket.next().await.unwrap()["result"], 1);
}

/// A reader that does not read stops only its own calls.
#[tokio::test]
async fn a_slow_reader_stops_only_itself() {
    let view = view().await;
    let mut slow = TestSocket::connect(&view).await;
    // More than the buffers of both sockets and Hobnob's own hold.
    slow.ask(1, "bash.execute", json!(["flood 20000"])).await;
    let mut others = Vec::new();
    for _ in 0..4 {
        let mut socket = TestSocket::connect(&view).await;
        socket.ask(1, "bash.execute", json!(["say one"])).await;
        assert_eq!(socket.next().await.unwrap()["result"], 1);
        for kind in ["start", "stdout", "complete"] {
            assert_eq!(socket.event().await["type"], kind);
        }
        others.push(socket);
    }
    // The events exceed all buffers, so the call waits.
    let emitted = view.stage.emitted.load(Ordering::SeqCst);
    assert!(emitted < 20_000 && view.stage.running() == 1, "{emitted} events went nowhere");
    // Once it reads, it gets everything, in order and once.
    assert_eq!(slow.next().await.unwrap()["result"], 1);
    for sequence in 1..=20_002 {
        assert_eq!(slow.next().await.unwrap()["params"]["sequence"], sequence);
    }
    until("the call is over", || view.stage.running() == 0).await;
}

/// A client that reads nothing cannot answer pings either, and still gets the end of its calls.
#[tokio::test]
async fn a_stalled_reader_finds_the_error_after_its_events() {
    let keep_alive = Duration::from_millis(500);
    let limits = RpcLimits { slow_reader: 5 * keep_alive, ..RpcLimits::default() };
    let sessions = SessionLimits { keep_alive, ..SessionLimits::default() };
    let view = listen(limits, HttpOptions { sessions, ..options() }).await;
    let mut socket = TestSocket::with_small_buffer(&view).await;
    socket.ask(1, "bash.execute", json!(["flood 20000"])).await;
    let emitted = || view.stage.emitted.load(Ordering::SeqCst);
    until("the call began", || 0 < emitted()).await;
    view.stage.until_running(0).await;
    assert_eq!(socket.next().await.unwrap()["result"], 1);
    for sequence in 1..=emitted() + 1 {
        assert_eq!(socket.next().await.unwrap()["params"]["sequence"], sequence);
    }
    let last = socket.event().await;
    assert_eq!(last["type"], "error", "{last}");
    let message = last["message"].as_str().unwrap();
    assert!(message.starts_with("the client reads too slowly"), "{message}");
    // The connection is still usable.
    socket.ask(2, "echo.once", json!(["a"])).await;
    assert_eq!(socket.next().await.unwrap()["result"], 2);
}

#[tokio::test]
async fn a_reader_that_never_reads_is_cut() {
    let limits = HttpLimits { write_stall: Duration::from_millis(30), ..HttpLimits::default() };
    let view =
        listen(RpcLimits::default(), HttpOptions { limits, websockets: 1, ..options() }).await;
    let mut stalled = TestSocket::with_small_buffer(&view).await;
    stalled.ask(1, "bash.execute", json!(["flood 20000"])).await;
    // Its place is free again.
    let mut sockets = Vec::new();
    until_connected(&view, &mut sockets).await;
    view.stage.until_running(0).await;
    drop(stalled);
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let view = view().await;
    let mut socket = TestSocket::connect(&view).await;
    socket.ask(1, "bash.execute", json!(["wait"])).await;
    assert_eq!(socket.next().await.unwrap()["result"], 1);
    assert_eq!(socket.event().await["type"], "start");
    view.server.stop();
    let closed = socket.next().await.unwrap_err();
    assert!(closed.contains("Away"), "{closed}");
    assert_eq!(view.stage.running(), 0);
}
