//! The page behind a real listener: a browser's bytes on a socket, the check of `Host`, and a stream
//! that ends with the hub.

use crate::page_hub::PageHub;
use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

async fn listen(hub: &PageHub) -> (SocketAddr, JoinSet<()>) {
    let options =
        HttpOptions { open_routes: vec![Arc::clone(&hub.routes)], ..HttpOptions::default() };
    let listener = bind(([127, 0, 0, 1], 0).into(), &options).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (server, stop) = (Server::builder("test", "1").build().unwrap(), hub.stop.clone());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        serve_http(&server, listener, options, stop.cancelled()).await.unwrap();
    });
    (address, tasks)
}

/// Sends a request and returns the connection.
async fn send(address: SocketAddr, head: &str, body: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.unwrap();
    BufReader::new(stream)
}

/// Reads until the text so far contains `end`.
async fn read_until(stream: &mut BufReader<TcpStream>, end: &str) -> String {
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).contains(end) {
        let mut block = [0; 4096];
        let count = stream.read(&mut block).await.unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&block[..count]);
    }
    String::from_utf8(text).unwrap()
}

async fn text_of(mut stream: BufReader<TcpStream>) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn a_browser_opens_the_page_and_sees_a_call_live() {
    let hub = PageHub::new();
    let (address, mut tasks) = listen(&hub).await;
    let close = "connection: close";
    let page = send(address, &format!("GET /ui HTTP/1.1\r\nhost: {address}\r\n{close}"), "").await;
    let page = text_of(page).await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("frame-ancestors 'none'"), "{page}");
    let link = hub.page.issue_link().unwrap();
    let own = format!("host: {address}\r\norigin: http://{address}\r\n{close}");
    let head = format!("POST /ui/api/session HTTP/1.1\r\n{own}\r\ncontent-type: application/json");
    let opened = text_of(send(address, &head, &format!("{{\"link\":\"{link}\"}}")).await).await;
    let cookie = opened.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let head = format!("GET /ui/events HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}");
    let mut events = send(address, &head, "").await;
    let state = read_until(&mut events, "\"waiting\"").await;
    assert!(state.contains("content-type: text/event-stream"), "{state}");
    hub.call(77);
    read_until(&mut events, "\"id\":77").await;
    hub.stop.cancel();
    read_until(&mut events, "{\"reason\":\"stopping\"}").await;
    // The listener does not wait for a stream that has ended.
    tasks.join_next().await.unwrap().unwrap();
}

#[tokio::test]
async fn a_name_that_was_rebound_reaches_nothing() {
    let hub = PageHub::new();
    let (address, _tasks) = listen(&hub).await;
    let link = hub.page.issue_link().unwrap();
    let port = address.port();
    for (host, status) in [
        (format!("evil.example:{port}"), "403"),
        (format!("127.0.0.1.evil.example:{port}"), "403"),
        (format!("127.0.0.1:{}", port.wrapping_add(1)), "403"),
        (format!("127.0.0.1:{port}"), "200"),
    ] {
        let own = format!("host: {host}\r\norigin: http://{host}\r\nconnection: close");
        let kind = "content-type: application/json";
        let head = format!("POST /ui/api/session HTTP/1.1\r\n{own}\r\n{kind}");
        let answer = send(address, &head, &format!("{{\"link\":\"{link}\"}}")).await;
        let answer = text_of(answer).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer}");
    }
}

#[tokio::test]
async fn a_request_that_a_proxy_passed_on_is_refused() {
    let hub = PageHub::new();
    let (address, _tasks) = listen(&hub).await;
    let head = format!(
        "GET /ui HTTP/1.1\r\nhost: {address}\r\nx-forwarded-for: 192.0.2.1\r\nconnection: close"
    );
    let answer = text_of(send(address, &head, "").await).await;
    assert!(answer.starts_with("HTTP/1.1 403") && !answer.contains("<html"), "{answer}");
}
