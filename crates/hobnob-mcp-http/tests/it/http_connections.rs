//! Connections: their number, clients that leave, clients that do not read, handlers that panic.

use std::time::Duration;

use hobnob_mcp_http::{HttpLimits, HttpOptions, bind};
use tokio::net::TcpStream;

use crate::http_server::{HandlerEvent, HttpServer};

#[tokio::test]
async fn one_connection_too_many_is_refused_and_harms_nobody() {
    let server = HttpServer::start(HttpLimits { connections: 2, ..HttpLimits::default() }).await;
    let mut inside = [server.connect().await, server.connect().await];
    for client in &mut inside {
        client.post("/echo", 2, b"{}").await;
        assert_eq!(client.status().await, 200);
    }
    let mut outside = server.connect().await;
    outside.post("/echo", 2, b"{}").await;
    let answer = outside.rest().await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    for client in &mut inside {
        client.post("/echo", 2, b"{}").await;
        assert_eq!(client.status().await, 200);
    }
    // Once a client has left there is room again; each attempt gives the server time to notice.
    let [stays, leaves] = inside;
    drop(leaves);
    loop {
        let mut next = server.connect().await;
        next.post("/echo", 2, b"{}").await;
        if next.status().await == 200 {
            break;
        }
    }
    drop(stays);
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_request() {
    let mut server = HttpServer::start(HttpLimits::default()).await;
    for path in ["/never", "/stream", "/standing"] {
        let mut client = server.connect().await;
        client.post(path, 0, b"").await;
        assert_eq!(server.next_event().await, HandlerEvent::Began, "{path}");
        drop(client);
        assert_eq!(server.next_event().await, HandlerEvent::Dropped, "{path}");
    }
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut() {
    let limits = HttpLimits { write_stall: Duration::from_millis(30), ..HttpLimits::default() };
    let mut server = HttpServer::start(limits).await;
    let mut client = server.connect().await;
    client.post("/flood", 0, b"").await;
    assert_eq!(server.next_event().await, HandlerEvent::Began);
    assert_eq!(server.next_event().await, HandlerEvent::Dropped);
    drop(client);
}

#[tokio::test]
async fn a_stream_waits_for_a_client_that_does_not_read() {
    let mut server = HttpServer::start(HttpLimits::default()).await;
    let mut flooded = server.connect().await;
    flooded.post("/flood", 0, b"").await;
    assert_eq!(server.next_event().await, HandlerEvent::Began);
    // Without backpressure the flood would never yield this thread.
    let mut other = server.connect().await;
    other.post("/echo", 2, b"{}").await;
    assert_eq!(other.status().await, 200);
    drop(flooded);
}

#[tokio::test]
async fn requests_sent_ahead_are_answered_in_order() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    for body in ["one", "two", "three"] {
        client.post("/echo", body.len(), body.as_bytes()).await;
    }
    for body in ["one", "two", "three"] {
        assert_eq!(client.reply().await.1, body);
    }
}

#[tokio::test]
async fn a_panic_ends_its_own_connection_only() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let mut other = server.connect().await;
    other.post("/echo", 2, b"{}").await;
    assert_eq!(other.status().await, 200);
    let mut client = server.connect().await;
    client.post("/panic", 0, b"").await;
    assert_eq!(client.rest().await, "");
    other.post("/echo", 2, b"{}").await;
    assert_eq!(other.status().await, 200);
}

/// No task accepts here: with a short queue most clients would be rejected, and try again later.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_burst_of_connections_fits_into_the_queue() {
    let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
    let burst = allowed.trim().parse().unwrap_or(128).min(400);
    let address = "127.0.0.1:0".parse().unwrap();
    let listener = bind(address, &HttpOptions::default()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut open = Vec::new();
    for number in 0..burst {
        let connecting = TcpStream::connect(address);
        let connected = tokio::time::timeout(Duration::from_secs(60), connecting).await;
        open.push(connected.unwrap_or_else(|_| panic!("only {number} of {burst}")).unwrap());
    }
}
