//! A server that answers exactly what the test writes, one request per connection. The tests of the
//! client half use it.
//!
//! What must stay true: it answers nothing by itself.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::wait_for;
use crate::request_text::read_request;

/// The head of an event stream that ends with its connection.
pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// The head of a chunked event stream, whose end can be told from a break.
pub(crate) const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A server that passes every request to the test.
pub(crate) struct RawServer {
    pub(crate) address: SocketAddr,
    requests: mpsc::Receiver<RawRequest>,
    _serving: JoinSet<()>,
}

impl RawServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = mpsc::channel(1024);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut reading = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let sender = sender.clone();
                reading.spawn(async move {
                    if let Some(request) = RawRequest::read(stream).await {
                        let _test_is_over = sender.send(request).await;
                    }
                });
            }
        });
        Self { address, requests, _serving: serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp?key=canary-key", self.address)
    }

    /// The next request, which must come.
    pub(crate) async fn next(&mut self) -> RawRequest {
        wait_for("a request", self.requests.recv()).await.unwrap()
    }

    /// The number of requests that the test has not read.
    pub(crate) fn unread(&mut self) -> usize {
        std::iter::from_fn(|| self.requests.try_recv().ok()).count()
    }
}

/// A request that the test answers.
#[derive(Debug)]
pub(crate) struct RawRequest {
    pub(crate) at: Instant,
    head: String,
    body: Vec<u8>,
    stream: TcpStream,
}

impl RawRequest {
    async fn read(mut stream: TcpStream) -> Option<Self> {
        let (head, body) = read_request(&mut stream).await?;
        Some(Self { at: Instant::now(), head, body, stream })
    }

    /// The request line without the version, such as `POST /mcp`.
    pub(crate) fn line(&self) -> &str {
        self.head.split(" HTTP/").next().unwrap()
    }

    pub(crate) fn method(&self) -> &str {
        self.line().split(' ').next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// The names of all headers.
    pub(crate) fn names(&self) -> Vec<String> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.map(|(name, _)| name.to_ascii_lowercase()).collect()
    }

    pub(crate) fn message(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Writes a part of the answer; a client that has gone is no error.
    pub(crate) async fn write(&mut self, text: &str) {
        let _gone = self.stream.write_all(text.as_bytes()).await;
    }

    /// Writes one chunk of a chunked body.
    pub(crate) async fn chunk(&mut self, text: &str) {
        self.write(&format!("{:x}\r\n{text}\r\n", text.len())).await;
    }

    /// Writes an answer and closes the connection.
    pub(crate) async fn answer(mut self, text: &str) {
        self.write(text).await;
        let _gone = self.stream.shutdown().await;
    }

    /// Answers with a status, headers and a body.
    pub(crate) async fn reply(self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n");
        self.answer(&format!("{head}Connection: close\r\n\r\n{body}")).await;
    }

    /// Answers with this JSON.
    pub(crate) async fn json(self, status: u16, body: &str) {
        self.reply(status, "Content-Type: application/json\r\n", body).await;
    }

    /// Answers a request with an empty result.
    pub(crate) async fn result(self, headers: &str) {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, self.message()["id"]);
        let headers = format!("Content-Type: application/json\r\n{headers}");
        self.reply(200, &headers, &body).await;
    }

    /// Waits until the client has closed the connection.
    pub(crate) async fn closed(mut self) {
        let mut rest = Vec::new();
        let read = wait_for("the end of the connection", self.stream.read_to_end(&mut rest));
        let _reset_is_an_end_too = read.await;
    }
}
