//! A server that speaks TLS: all features work through it, and clients without TLS do no harm.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use hobnob_mcp_http::Served;
use hobnob_mcp_transport::Carrier as _;
use hobnob_mcp_types::{Method, Revision};
use rustls::version::{TLS12, TLS13};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{TestRequest, wait_for};
use crate::client_recorder::{TestClient, assert_line};
use crate::mcp_server::{
    LegacySession, MODERN, NEWEST_LEGACY, TestOptions, TestServer, initialize, modern, request,
    said, script,
};
use crate::tls_server::{TlsServer, certified, connect, connector, tunnelled};

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(3600);

/// The remaining bytes on a connection, until the server closes or resets it.
async fn rest(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    let _ended_or_reset = wait_for("the end", stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn assert_serves(server: &TlsServer) {
    let mut stream = server.connect().await;
    let get = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(get.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[tokio::test]
async fn sessions_calls_and_streams_travel_encrypted() {
    let (mut server, _tunnel) = tunnelled(TestOptions::default()).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = session.listen().await;
    // Larger than what TLS sends at once, and than what the sockets hold.
    let large = "x".repeat(3 << 20);
    assert_eq!(said(&session.echo(1, &large).await), large);
    let mut call = session.run_steps("a", &["log:1", "wait:a", "log:2"], "done").await;
    assert_eq!(call.message().await["params"]["data"], "1");
    server.open_gate("a", 1);
    assert_eq!(call.message().await["params"]["data"], "2");
    assert_eq!(said(&call.message().await), "done");
    server.publish(&hobnob_mcp_engine::Change::Tools);
    assert_eq!(standing.message().await["method"], "notifications/tools/list_changed");
    let params = json!({"name": "echo", "arguments": {"text": "modern"}});
    let answer = modern(1, "tools/call", params).send(server.address).await;
    assert_eq!(said(&answer.json().await), "modern");
    // A modern call ends with its connection: its end must be noticed behind TLS too.
    drop(server.unread_events());
    let waiting = modern(2, "tools/call", script("b", &["progress", "wait:never"], ""));
    let mut gone = waiting.send(server.address).await.events();
    gone.message().await;
    drop(gone);
    let ends = [server.next_event().await, server.next_event().await];
    assert!(format!("{ends:?}").contains("Dropped"), "{ends:?}");
}

#[tokio::test]
async fn our_own_client_reaches_it() {
    let (server, _tunnel) = tunnelled(TestOptions::default()).await;
    let mut client = TestClient::to(&format!("http://{}/mcp", server.address));
    let revision = Revision::NEWEST_LEGACY;
    client.initialize(0, revision.as_str());
    assert_line(&client.received.next().await, "answer 0 ");
    client.initialized(revision);
    client.carrier.greeted(revision);
    let echo = json!({"name": "echo", "arguments": {"text": "hi"}});
    client.request(1, Method::ToolsCall, &echo, Some(revision));
    assert_line(&client.received.next().await, "answer 1 ");
    client.carrier.close();
    server.until_sessions(0).await;
    client.finish().await;
}

#[tokio::test]
async fn a_websocket_is_encrypted_too() {
    let mut options = TestOptions::default();
    options.http.websockets = 1;
    let server = TlsServer::with(options).await;
    let (mut socket, _) = client_async("wss://localhost/ws", server.connect().await).await.unwrap();
    let able = json!({});
    let large = "y".repeat(1 << 20);
    let echo = json!({"name": "echo", "arguments": {"text": large}});
    for message in [
        initialize(NEWEST_LEGACY, &able),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        request(1, "tools/call", echo),
    ] {
        socket.send(Message::text(message.to_string())).await.unwrap();
    }
    for _ in 0..2 {
        let Some(Ok(Message::Text(text))) = wait_for("an answer", socket.next()).await else {
            panic!("no answer");
        };
        let answer: Value = serde_json::from_str(&text).unwrap();
        if answer["id"] == 1 {
            assert_eq!(said(&answer), large);
        }
    }
    socket.send(Message::Close(None)).await.unwrap();
    let last = wait_for("its end", socket.next()).await;
    assert!(matches!(last, Some(Ok(Message::Close(_)))), "{last:?}");
}

#[tokio::test]
async fn both_versions_speak_http_1_and_nothing_else() {
    let server = TlsServer::start().await;
    for version in [&TLS12, &TLS13] {
        for (offered, chosen) in [
            (vec!["h2", "http/1.1"], Some("http/1.1")),
            (vec!["http/1.1"], Some("http/1.1")),
            (vec![], None),
        ] {
            let connector = connector(&server.certificate, &[version], &offered);
            let stream = connect(server.server.address, &connector).await.unwrap();
            let (_, connection) = stream.get_ref();
            assert_eq!(connection.alpn_protocol(), chosen.map(str::as_bytes));
            assert_eq!(connection.protocol_version(), Some(version.version));
        }
        let only_2 = connector(&server.certificate, &[version], &["h2"]);
        assert!(connect(server.server.address, &only_2).await.is_err());
    }
}

#[tokio::test]
async fn whoever_speaks_no_tls_is_told_so_or_left() {
    let server = TlsServer::start().await;
    let mut busy = server.connect().await;
    for (said, expected) in [
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"),
        ("POST /mcp HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n{", "HTTP/1.1 400 "),
        ("\0\0\0\0\0\0\0\0\0\0\0\0", ""),
        ("\x16\x03\x01\x02\0garbage garbage garbage", ""),
        ("\x16\x03\x01\0\x05hello", ""),
    ] {
        let mut stream = TcpStream::connect(server.server.address).await.unwrap();
        stream.write_all(said.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with(expected), "{said:?}: {answer:?}");
        assert!(!answer.contains("200 OK"), "{said:?}: {answer:?}");
        if !expected.is_empty() {
            assert!(answer.contains("https"), "{answer}");
        }
    }
    // A client that does not trust the certificate ends the handshake.
    let stranger = connector(certified().cert.der(), &[&TLS13], &[]);
    assert!(connect(server.server.address, &stranger).await.is_err());
    let get = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    busy.write_all(get.as_bytes()).await.unwrap();
    assert!(rest(&mut busy).await.starts_with("HTTP/1.1 200 OK"), "others are not harmed");
    assert_serves(&server).await;
}

/// Without the deadline on the handshake these would never end.
#[tokio::test]
async fn slow_handshakes_and_slow_heads_are_cut() {
    let mut options = TestOptions::default();
    options.http.limits.header_read = SHORT;
    options.http.limits.keep_alive_idle = LONG;
    let server = TlsServer::with(options).await;
    for beginning in ["", "\x16", "\x16\x03\x01\x02\0\x01\0\x01\u{7c}\x03\x03"] {
        let mut stream = TcpStream::connect(server.server.address).await.unwrap();
        stream.write_all(beginning.as_bytes()).await.unwrap();
        assert_eq!(rest(&mut stream).await, "", "{beginning:?}");
    }
    for (beginning, expected) in [("", ""), ("GET /hea", "HTTP/1.1 408 ")] {
        let mut stream = server.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        // The stream ends with a TLS close message, so it was not truncated.
        wait_for("the end", stream.read_to_end(&mut bytes)).await.unwrap();
        assert!(bytes.starts_with(expected.as_bytes()), "{}", bytes.escape_ascii());
        assert_eq!(bytes.is_empty(), expected.is_empty());
    }
}

#[tokio::test]
async fn handshakes_count_as_connections() {
    let mut options = TestOptions::default();
    options.http.limits.connections = 1;
    let server = TlsServer::with(options).await;
    // It takes the only slot before it has sent a byte.
    let silent = TcpStream::connect(server.server.address).await.unwrap();
    let mut second = TcpStream::connect(server.server.address).await.unwrap();
    let get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    second.write_all(get.as_bytes()).await.unwrap();
    assert_eq!(rest(&mut second).await, "", "there is no answer that it could read");
    drop(silent);
    let connector = connector(&server.certificate, &[&TLS13], &[]);
    let room = async {
        while connect(server.server.address, &connector).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    wait_for("room", room).await;
}

#[tokio::test]
async fn stopping_does_not_wait_for_handshakes() {
    let mut options = TestOptions::default();
    options.http.limits.header_read = LONG;
    options.http.limits.shutdown_grace = LONG;
    let server = TlsServer::with(options).await;
    let mut silent = TcpStream::connect(server.server.address).await.unwrap();
    // Once a later connection is served, the earlier one has begun.
    assert_serves(&server).await;
    let (mut serving, _events) = server.server.stop();
    let served = wait_for("the end", serving.join_next()).await.unwrap().unwrap().unwrap();
    assert_eq!(served, Served { cut: 0 });
    assert_eq!(rest(&mut silent).await, "");
}

/// The listener requires tokens and checks names as it does without TLS.
#[tokio::test]
async fn the_guard_is_behind_tls() {
    let (server, _tunnel): (TestServer, _) = tunnelled(TestOptions::default()).await;
    let foreign = TestRequest::post("{}").with("Host", "evil.example");
    assert_eq!(foreign.send(server.address).await.status, 403);
    let page = modern(1, "tools/list", json!({})).header("Origin", "https://localhost:1");
    let answer = page.send(server.address).await;
    assert_eq!(answer.status, 200, "{MODERN}");
}
