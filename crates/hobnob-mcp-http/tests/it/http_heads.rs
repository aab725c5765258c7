//! Request heads: slow ones, large ones, ambiguous ones and foreign ones.

use std::time::Duration;

use hobnob_mcp_http::HttpLimits;

use crate::http_server::{HttpServer, post_head};

/// Long enough for a client on a busy machine to send a request in time.
const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_head_that_never_ends_is_cut_with_408() {
    let server =
        HttpServer::start(HttpLimits { header_read: SHORT, ..HttpLimits::default() }).await;
    for beginning in ["P", "POST /echo HT", "POST /echo HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut client = server.connect().await;
        client.send(beginning).await;
        assert!(client.rest().await.starts_with("HTTP/1.1 408 "), "{beginning:?}");
    }
}

#[tokio::test]
async fn a_second_head_that_never_ends_is_cut_with_408() {
    let server =
        HttpServer::start(HttpLimits { header_read: SHORT, ..HttpLimits::default() }).await;
    let mut client = server.connect().await;
    client.post("/echo", 2, b"{}").await;
    assert_eq!(client.status().await, 200);
    client.send("POST /ec").await;
    assert!(client.rest().await.starts_with("HTTP/1.1 408 "));
}

#[tokio::test]
async fn a_client_that_says_nothing_is_closed_without_a_word() {
    let server =
        HttpServer::start(HttpLimits { header_read: SHORT, ..HttpLimits::default() }).await;
    assert_eq!(server.connect().await.rest().await, "");
}

#[tokio::test]
async fn the_head_deadline_does_not_end_idle_connections() {
    let limits = HttpLimits { header_read: SHORT, keep_alive_idle: LONG, ..HttpLimits::default() };
    let server = HttpServer::start(limits).await;
    let mut idle = server.connect().await;
    idle.post("/echo", 2, b"{}").await;
    assert_eq!(idle.status().await, 200);
    // Two silent connections, one after the other, outlast the deadline twice.
    for _ in 0..2 {
        assert_eq!(server.connect().await.rest().await, "");
    }
    idle.post("/echo", 2, b"{}").await;
    assert_eq!(idle.status().await, 200);
}

#[tokio::test]
async fn idle_connections_are_closed_in_the_end() {
    // The alarm was armed for the first head; the idle limit must not wait for that deadline.
    let limits = HttpLimits { header_read: LONG, keep_alive_idle: SHORT, ..HttpLimits::default() };
    let server = HttpServer::start(limits).await;
    let mut client = server.connect().await;
    client.post("/echo", 2, b"{}").await;
    assert_eq!(client.status().await, 200);
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn heads_over_the_limits_are_refused_with_431() {
    let limits = HttpLimits { header_bytes: 2048, header_fields: 10, ..HttpLimits::default() };
    let mut server = HttpServer::start(limits).await;
    let field = |length: usize| format!("X-Long: {}\r\n", "a".repeat(length));
    let cases = [
        (field(1900), "200"),
        (field(2048), "431"),
        (field(100_000), "431"),
        ("X: 1\r\n".repeat(7), "200"),
        ("X: 1\r\n".repeat(8), "431"),
    ];
    for (fields, expected) in cases {
        let head = post_head("/echo", 2);
        let (line, rest) = head.split_once("\r\n").unwrap();
        let mut client = server.connect().await;
        client.send(format!("{line}\r\nConnection: close\r\n{fields}{rest}{{}}")).await;
        let answer = client.rest().await;
        assert_eq!(&answer[9..12], expected, "{} bytes of fields: {answer}", fields.len());
        assert_eq!(server.requests_so_far(), usize::from(expected == "200"));
    }
}

#[tokio::test]
async fn the_default_number_of_fields_is_a_hundred() {
    let server = HttpServer::start(HttpLimits::default()).await;
    for (count, expected) in [(98, "200"), (99, "431")] {
        let fields = "X: 1\r\n".repeat(count);
        let mut client = server.connect().await;
        client
            .send(format!(
                "GET /echo HTTP/1.1\r\nHost: localhost\r\n{fields}Connection: close\r\n\r\n"
            ))
            .await;
        assert_eq!(&client.rest().await[9..12], expected, "{count}");
    }
}

#[tokio::test]
async fn ambiguous_requests_reach_the_handler_at_most_once() {
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let cases = [
        (
            "differing lengths",
            format!("Content-Length: 0\r\nContent-Length: {}\r\n\r\n{smuggled}", smuggled.len()),
        ),
        ("length list", format!("Content-Length: 0, {}\r\n\r\n{smuggled}", smuggled.len())),
        ("signed length", format!("Content-Length: +{}\r\n\r\n{smuggled}", smuggled.len())),
        ("unknown coding", format!("Transfer-Encoding: chunky\r\n\r\n{smuggled}")),
        (
            "chunked not last",
            format!("Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n{smuggled}"),
        ),
        ("folded field", format!("X: a\r\n b\r\nContent-Length: 0\r\n\r\n{smuggled}")),
        ("space before colon", format!("Content-Length : 0\r\n\r\n{smuggled}")),
        ("bad chunk size", format!("Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n{smuggled}")),
    ];
    let mut server = HttpServer::start(HttpLimits::default()).await;
    for (name, rest) in cases {
        let mut client = server.connect().await;
        client.send(format!("POST /echo HTTP/1.1\r\nHost: localhost\r\n{rest}")).await;
        let answer = client.rest().await;
        assert_eq!(&answer[9..12], "400", "{name}: {answer}");
        assert!(server.requests_so_far() <= 1, "{name}");
    }
}

#[tokio::test]
async fn length_and_chunks_together_are_read_as_chunks_once() {
    let mut server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    let head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    client
        .send(format!(
            "{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
        ))
        .await;
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 400 ") || answer.ends_with("\r\n\r\n{}"), "{answer}");
    assert!(server.requests_so_far() <= 1);
}

#[tokio::test]
async fn a_foreign_host_is_refused_before_its_body_is_read() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    // The announced body never comes: the answer must not wait for it.
    client.send("POST /echo HTTP/1.1\r\nHost: evil.com\r\nContent-Length: 1000\r\n\r\n").await;
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.contains("this Host is not allowed"), "{answer}");
}
