//! Request bodies: whole, in pieces, too large and never finished.

use std::time::Duration;

use hobnob_mcp_http::HttpLimits;

use crate::http_server::{HttpServer, post_head};

const LIMIT: usize = 1000;

fn small() -> HttpLimits {
    HttpLimits { body: LIMIT, ..HttpLimits::default() }
}

fn chunked(sizes: &[usize]) -> String {
    let mut request = "POST /echo HTTP/1.1\r\nHost: localhost\r\n\
        Transfer-Encoding: chunked\r\n\r\n"
        .to_owned();
    for size in sizes {
        request += &format!("{size:x}\r\n{}\r\n", "a".repeat(*size));
    }
    request
}

#[tokio::test]
async fn bodies_come_back_whole_and_the_connection_lives_on() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    // From an empty body, over one block, to many blocks.
    for length in [0, 1, 100, 8_000, 70_000, 300_000] {
        let body = "0123456789".repeat(length / 10 + 1)[..length].to_owned();
        client.post("/echo", length, body.as_bytes()).await;
        let (head, found) = client.reply().await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(found == body, "{length} bytes came back as {}", found.len());
    }
}

#[tokio::test]
async fn chunked_bodies_come_back_whole_and_the_connection_lives_on() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    let cases: &[&[usize]] = &[&[], &[1], &[5, 7, 11], &[70_000, 1, 70_000]];
    for sizes in cases {
        client.send(chunked(sizes) + "0\r\nX-Trailer: ignored\r\n\r\n").await;
        let (_, found) = client.reply().await;
        assert!(found == "a".repeat(sizes.iter().sum()), "{sizes:?} came back as {}", found.len());
    }
}

#[tokio::test]
async fn a_body_split_on_the_wire_is_put_together() {
    let mut server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    client.send(post_head("/echo", 6)).await;
    // The handler is waiting for the body by now.
    server.next_event().await;
    for part in ["ab", "cd", "ef"] {
        client.send(part).await;
    }
    assert_eq!(client.reply().await.1, "abcdef");
}

#[tokio::test]
async fn the_limit_is_exact() {
    let server = HttpServer::start(small()).await;
    let body = "a".repeat(LIMIT + 1);
    let whole = |length: usize| post_head("/echo", length) + &body[..length];
    let cases = [
        ("whole", whole(LIMIT), 200),
        ("whole", whole(LIMIT + 1), 413),
        ("one chunk", chunked(&[LIMIT]) + "0\r\n\r\n", 200),
        ("one chunk", chunked(&[LIMIT + 1]) + "0\r\n\r\n", 413),
        ("chunks", chunked(&[LIMIT / 2, LIMIT / 2]) + "0\r\n\r\n", 200),
        ("chunks", chunked(&[LIMIT / 2, LIMIT / 2, 1]) + "0\r\n\r\n", 413),
    ];
    for (name, request, expected) in cases {
        let mut client = server.connect().await;
        client.send(&request).await;
        assert_eq!(client.status().await, expected, "{name} of {} bytes", request.len());
    }
}

#[tokio::test]
async fn an_announced_excess_is_refused_without_its_body() {
    let server = HttpServer::start(small()).await;
    for expect in ["", "Expect: 100-continue\r\n"] {
        let mut client = server.connect().await;
        let head = post_head("/echo", 1 << 30);
        let (line, rest) = head.split_once("\r\n").unwrap();
        client.send(format!("{line}\r\n{expect}{rest}")).await;
        let answer = client.rest().await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
}

#[tokio::test]
async fn a_client_that_is_refused_may_finish_sending() {
    let server = HttpServer::start(small()).await;
    let mut client = server.connect().await;
    client.send(post_head("/echo", 1 << 20)).await;
    client.read_past("HTTP/1.1 413 ").await;
    // Many clients read the answer only after their last byte. A reset would make sending fail.
    for _ in 0..64 {
        client.send([b'a'; 16 * 1024]).await;
    }
    assert!(client.rest().await.contains("request body is too large"));
}

#[tokio::test]
async fn endless_chunks_are_refused_when_they_pass_the_limit() {
    let server = HttpServer::start(small()).await;
    let mut client = server.connect().await;
    // The last chunk never comes: the answer must not wait for it.
    client.send(chunked(&[LIMIT, 1])).await;
    assert!(client.rest().await.starts_with("HTTP/1.1 413 "));
}

#[tokio::test]
async fn a_body_that_stops_arriving_is_answered_with_408() {
    let limits = HttpLimits { body_idle: Duration::from_millis(30), ..HttpLimits::default() };
    let server = HttpServer::start(limits).await;
    for request in [post_head("/echo", 100), post_head("/echo", 100) + "begun", chunked(&[5])] {
        let mut client = server.connect().await;
        client.send(&request).await;
        let answer = client.rest().await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{request}: {answer}");
    }
}
