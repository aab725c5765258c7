//! Graceful shutdown: what ends at once, what may finish and what is cut.

use std::time::Duration;

use hobnob_mcp_http::{HttpLimits, Served};
use tokio::net::TcpStream;

use crate::http_server::{HandlerEvent, HttpServer};

#[tokio::test]
async fn an_open_standing_stream_ends_properly() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let mut client = server.connect().await;
    client.post("/standing", 0, b"").await;
    client.read_past("data: hello\n\n\r\n").await;
    let (mut serving, _events) = server.stop();
    // The last chunk tells the client that the stream is complete.
    assert_eq!(client.rest().await, "0\r\n\r\n");
    assert_eq!(serving.join_next().await.unwrap().unwrap(), Served { cut: 0 });
}

#[tokio::test]
async fn idle_connections_close_at_once_and_no_new_ones_come_in() {
    let server = HttpServer::start(HttpLimits::default()).await;
    let address = server.address;
    let mut used = server.connect().await;
    used.post("/echo", 2, b"{}").await;
    assert_eq!(used.status().await, 200);
    let mut fresh = server.connect().await;
    let mut second = server.connect().await;
    second.post("/echo", 2, b"{}").await;
    assert_eq!(second.status().await, 200);
    let (mut serving, _events) = server.stop();
    for client in [&mut used, &mut fresh, &mut second] {
        assert_eq!(client.rest().await, "");
    }
    assert_eq!(serving.join_next().await.unwrap().unwrap(), Served { cut: 0 });
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_request_under_way_is_answered() {
    let mut server = HttpServer::start(HttpLimits::default()).await;
    let gate = server.gate.clone();
    let mut busy = server.connect().await;
    busy.post("/gate", 0, b"").await;
    assert_eq!(server.next_event().await, HandlerEvent::Began);
    let mut idle = server.connect().await;
    idle.post("/echo", 2, b"{}").await;
    assert_eq!(idle.status().await, 200);
    let (mut serving, _events) = server.stop();
    // The server has begun to stop once it has closed the idle connection.
    assert_eq!(idle.rest().await, "");
    gate.notify_one();
    let answer = busy.rest().await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("{}"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert_eq!(serving.join_next().await.unwrap().unwrap(), Served { cut: 0 });
}

#[tokio::test]
async fn what_does_not_finish_within_the_grace_is_cut() {
    let limits = HttpLimits { shutdown_grace: Duration::from_millis(30), ..HttpLimits::default() };
    for path in ["/never", "/stream"] {
        let mut server = HttpServer::start(limits.clone()).await;
        let mut client = server.connect().await;
        client.post(path, 0, b"").await;
        assert_eq!(server.next_event().await, HandlerEvent::Began);
        let (mut serving, mut events) = server.stop();
        assert_eq!(events.recv().await, Some(HandlerEvent::Dropped), "{path}");
        assert_eq!(serving.join_next().await.unwrap().unwrap(), Served { cut: 1 }, "{path}");
    }
}
