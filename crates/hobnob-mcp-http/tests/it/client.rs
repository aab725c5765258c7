//! A small HTTP/1.1 client for the MCP tests: builds requests from parts, and reads answers whole
//! or event by event. It uses none of the crate's own code, so that the two can disagree.
//!
//! What must stay true: every wait here ends with the event it waits for, or fails the test.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Far longer than anything that works; only a hanging test reaches it.
const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// Waits for something that must happen.
pub(crate) async fn wait_for<T>(what: &str, wait: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WAIT_LIMIT, wait).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

/// A request under construction.
#[derive(Clone)]
pub(crate) struct TestRequest {
    method: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl TestRequest {
    /// A request from this machine.
    pub(crate) fn new(method: &str, path: &str) -> Self {
        let request = Self {
            method: method.into(),
            path: path.into(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        request.header("Host", "localhost")
    }

    /// A message posted as clients do.
    pub(crate) fn post(body: impl AsRef<[u8]>) -> Self {
        let mut request = Self::new("POST", "/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        request.body = body.as_ref().to_vec();
        request
    }

    /// A stream requested as clients do.
    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path).header("Accept", "text/event-stream")
    }

    /// Adds one more header.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.into(), value.as_ref().to_vec()));
        self
    }

    /// Removes the headers of this name.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Replaces the headers of this name.
    pub(crate) fn with(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.without(name).header(name, value)
    }

    /// The same request to another path.
    pub(crate) fn to(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    /// Sends the request on its own connection.
    pub(crate) async fn send(&self, address: SocketAddr) -> Answer {
        Connection::connect(address).await.request(self).await
    }

    /// The same request with this framing header and only the beginning of a body.
    pub(crate) fn unfinished(mut self, framing: &str, value: &str, beginning: &str) -> Self {
        self.body = beginning.into();
        self.header(framing, value)
    }

    fn is_framed(&self) -> bool {
        let framing = ["content-length", "transfer-encoding"];
        self.headers.iter().any(|(name, _)| framing.contains(&&*name.to_ascii_lowercase()))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = format!("{} {} HTTP/1.1\r\n", self.method, self.path).into_bytes();
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        if self.method == "POST" && !self.is_framed() {
            out.extend_from_slice(format!("Content-Length: {}\r\n", self.body.len()).as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body);
        out
    }
}

impl std::fmt::Debug for TestRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.bytes();
        write!(f, "{}", bytes[..bytes.len().min(1000)].escape_ascii())
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), buffer: Vec::new() }
    }

    /// Sends a request and waits for the head of its answer.
    pub(crate) async fn request(mut self, request: &TestRequest) -> Answer {
        self.send(request).await;
        self.answer().await
    }

    /// Sends a request without waiting for its answer.
    pub(crate) async fn send(&mut self, request: &TestRequest) {
        self.stream.write_all(&request.bytes()).await.unwrap();
    }

    /// Waits until there is something to read, and leaves it unread.
    pub(crate) async fn readable(&self) {
        wait_for("bytes from the server", self.stream.readable()).await.unwrap();
    }

    /// Waits for the head of an answer.
    pub(crate) async fn answer(mut self) -> Answer {
        let head = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break String::from_utf8(self.buffer.drain(..at + 4).collect()).unwrap();
            }
            assert!(self.fill().await, "closed within a head: {}", self.buffer.escape_ascii());
        };
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let of = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, v)| &**v);
        let left = if of("transfer-encoding") == Some("chunked") {
            Remaining::Chunks
        } else {
            Remaining::Bytes(of("content-length").map_or(0, |length| length.parse().unwrap()))
        };
        Answer { status, headers, left, connection: self }
    }

    async fn fill(&mut self) -> bool {
        let read = self.stream.read_buf(&mut self.buffer);
        wait_for("bytes from the server", read).await.unwrap() > 0
    }

    async fn take(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length {
            assert!(self.fill().await, "closed within a body: {}", self.buffer.escape_ascii());
        }
        self.buffer.drain(..length).collect()
    }
}

#[derive(Debug)]
enum Remaining {
    Bytes(usize),
    Chunks,
}

/// An answer whose head was read.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    left: Remaining,
    connection: Connection,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The body as text, and the connection for the next request.
    pub(crate) async fn text_and_connection(mut self) -> (String, Connection) {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await {
            body.extend_from_slice(&piece);
        }
        (String::from_utf8(body).unwrap(), self.connection)
    }

    pub(crate) async fn text(self) -> String {
        self.text_and_connection().await.0
    }

    /// The body as a single JSON value.
    pub(crate) async fn json(self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
    }

    /// The body event by event.
    pub(crate) fn events(self) -> Events {
        assert!(self.is_stream(), "no stream: {self:?}");
        Events { answer: self, text: String::new() }
    }

    async fn piece(&mut self) -> Option<Vec<u8>> {
        match &mut self.left {
            Remaining::Bytes(0) => None,
            Remaining::Bytes(length) => {
                let length = std::mem::take(length);
                Some(self.connection.take(length).await)
            }
            Remaining::Chunks => {
                let at = loop {
                    if let Some(at) = find(&self.connection.buffer, b"\r\n") {
                        break at;
                    }
                    assert!(self.connection.fill().await, "closed within a chunked body");
                };
                let line = self.connection.take(at + 2).await;
                let size = std::str::from_utf8(&line).unwrap().trim();
                let size = usize::from_str_radix(size, 16).unwrap();
                let mut chunk = self.connection.take(size + 2).await;
                chunk.truncate(size);
                if size == 0 {
                    self.left = Remaining::Bytes(0);
                    return None;
                }
                Some(chunk)
            }
        }
    }
}

/// One block of an event stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) event: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    pub(crate) data: Option<String>,
    pub(crate) comment: Option<String>,
}

impl Event {
    fn parse(block: &str) -> Self {
        let mut event = Self::default();
        for line in block.lines() {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            let twice = match name {
                "" => event.comment.replace(value),
                "event" => event.event.replace(value),
                "id" => event.id.replace(value),
                "data" => event.data.replace(value),
                "retry" => {
                    event.retry = Some(value.parse().unwrap());
                    None
                }
                other => panic!("an unknown field {other:?} in {block:?}"),
            };
            assert_eq!(twice, None, "{name:?} twice in {block:?}");
        }
        event
    }

    /// The message in the event's data.
    pub(crate) fn message(&self) -> Value {
        let data = self.data.as_deref().unwrap_or_else(|| panic!("no data: {self:?}"));
        serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data:?}"))
    }

    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_else(|| panic!("no id: {self:?}"))
    }

    fn has_message(&self) -> bool {
        self.data.as_deref().is_some_and(|data| !data.is_empty())
    }
}

/// An event stream being read.
#[derive(Debug)]
pub(crate) struct Events {
    answer: Answer,
    text: String,
}

impl Events {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.answer.header(name)
    }

    /// The next block, comments too; `None` at the proper end of the stream.
    pub(crate) async fn block(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = Event::parse(block);
                self.text = rest.to_owned();
                return Some(event);
            }
            let Some(piece) = self.answer.piece().await else {
                assert_eq!(self.text, "", "the stream ends within an event");
                return None;
            };
            self.text.push_str(&String::from_utf8(piece).unwrap());
        }
    }

    /// The next event, comments left out.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            match self.block().await {
                Some(Event { comment: Some(_), .. }) => {}
                other => return other,
            }
        }
    }

    /// The next message, which must come; events that only give an id are left out.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("the stream has ended"));
            if event.has_message() {
                return event.message();
            }
        }
    }

    /// All events until the end.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }

    /// All messages until the end.
    pub(crate) async fn messages(&mut self) -> Vec<Value> {
        let rest = self.rest().await;
        rest.iter().filter(|event| event.has_message()).map(Event::message).collect()
    }
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|part| part == mark)
}
