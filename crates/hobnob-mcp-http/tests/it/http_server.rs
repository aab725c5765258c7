//! A server with a test handler, and a client that sends raw bytes to it. Nothing here knows MCP:
//! the tests that use it are about HTTP alone.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::{
    BodyBudget, EventSource, Handler, HttpLimits, OriginPolicy, ReplyBody, Served, guard,
    json_reply, read_body, serve,
};
use hobnob_web_client::sse;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;

/// What the handler reports to the test, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandlerEvent {
    Began,
    Dropped,
}

/// Reports when it is dropped, in any task.
struct DropReport(mpsc::Sender<HandlerEvent>);

impl Drop for DropReport {
    fn drop(&mut self) {
        let _full_or_closed = self.0.try_send(HandlerEvent::Dropped);
    }
}

/// A handler whose behaviour depends on the path.
pub(crate) struct Paths {
    events: mpsc::Sender<HandlerEvent>,
    gate: Arc<Notify>,
    policy: OriginPolicy,
    limits: HttpLimits,
    bodies: BodyBudget,
}

impl Handler for Paths {
    async fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        _client: ClientId,
    ) -> Response<ReplyBody> {
        let _full_or_closed = self.events.try_send(HandlerEvent::Began);
        if let Err(refusal) = guard::check(request.headers(), request.uri(), &self.policy) {
            return refusal.response();
        }
        let guard = DropReport(self.events.clone());
        match request.uri().path() {
            "/never" => {
                std::future::pending::<()>().await;
                drop(guard);
                Response::default()
            }
            "/gate" => {
                self.gate.notified().await;
                json_reply(StatusCode::OK, "{}")
            }
            "/panic" => panic!("a handler panics in a test"),
            "/flood" => Response::new(ReplyBody::stream(Flood { _guard: guard })),
            "/standing" => {
                Response::new(ReplyBody::standing(OneEvent { sent: false, _guard: guard }))
            }
            "/stream" => Response::new(ReplyBody::stream(OneEvent { sent: false, _guard: guard })),
            _ => match read_body(request.into_body(), &self.limits, &self.bodies).await {
                Ok(body) => json_reply(StatusCode::OK, body.bytes),
                Err(error) => error.response(),
            },
        }
    }
}

/// A stream of endless blocks.
struct Flood {
    _guard: DropReport,
}

impl EventSource for Flood {
    fn poll_next(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        Poll::Ready(Some(Bytes::from_static(&[b'x'; 16 * 1024])))
    }
}

/// One event, then silence.
struct OneEvent {
    sent: bool,
    _guard: DropReport,
}

impl EventSource for OneEvent {
    fn poll_next(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if std::mem::replace(&mut self.sent, true) {
            return Poll::Pending;
        }
        let hello = sse::OutgoingEvent { data: b"hello", ..sse::OutgoingEvent::default() };
        Poll::Ready(Some(hello.to_bytes()))
    }
}

/// A running server.
pub(crate) struct HttpServer {
    pub(crate) address: SocketAddr,
    pub(crate) gate: Arc<Notify>,
    events: mpsc::Receiver<HandlerEvent>,
    stop: oneshot::Sender<()>,
    serving: JoinSet<Served>,
}

impl HttpServer {
    pub(crate) async fn start(limits: HttpLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, events) = mpsc::channel(1024);
        let gate = Arc::new(Notify::new());
        let handler = Arc::new(Paths {
            events: sender,
            gate: Arc::clone(&gate),
            policy: OriginPolicy::loopback(address.port()),
            bodies: BodyBudget::new(&limits),
            limits: limits.clone(),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, handler, limits, async {
            let _dropped_counts_too = stopped.await;
        }));
        Self { address, gate, events, stop, serving }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client { stream: TcpStream::connect(self.address).await.unwrap(), buffer: Vec::new() }
    }

    /// The next event of the handler.
    pub(crate) async fn next_event(&mut self) -> HandlerEvent {
        self.events.recv().await.unwrap()
    }

    /// How many requests have reached the handler since the last call.
    pub(crate) fn requests_so_far(&mut self) -> usize {
        let mut count = 0;
        while let Ok(event) = self.events.try_recv() {
            count += usize::from(event == HandlerEvent::Began);
        }
        count
    }

    /// Tells the server to stop; the returned tasks end with it.
    pub(crate) fn stop(self) -> (JoinSet<Served>, mpsc::Receiver<HandlerEvent>) {
        self.stop.send(()).unwrap();
        (self.serving, self.events)
    }
}

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// A POST with a body, or the beginning of one if `length` is larger.
    pub(crate) async fn post(&mut self, path: &str, length: usize, body: &[u8]) {
        self.send(post_head(path, length)).await;
        self.send(body).await;
    }

    /// Reads until `mark` has been seen; returns what came up to its end.
    pub(crate) async fn read_past(&mut self, mark: &str) -> String {
        loop {
            let found = self.buffer.windows(mark.len()).position(|part| part == mark.as_bytes());
            if let Some(at) = found {
                let taken: Vec<u8> = self.buffer.drain(..at + mark.len()).collect();
                return String::from_utf8(taken).unwrap();
            }
            let count = self.stream.read_buf(&mut self.buffer).await.unwrap();
            assert!(count > 0, "closed before {mark:?}: {}", self.buffer.escape_ascii());
        }
    }

    /// Reads one reply with a `Content-Length`; returns its head and body.
    pub(crate) async fn reply(&mut self) -> (String, String) {
        let head = self.read_past("\r\n\r\n").await;
        let length = head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        while self.buffer.len() < length {
            assert!(self.stream.read_buf(&mut self.buffer).await.unwrap() > 0, "closed in a body");
        }
        let body = self.buffer.drain(..length).collect();
        (head, String::from_utf8(body).unwrap())
    }

    /// The status of the next reply.
    pub(crate) async fn status(&mut self) -> u16 {
        self.reply().await.0[9..12].parse().unwrap()
    }

    /// Reads until the server closes; a reset is a failure.
    pub(crate) async fn rest(&mut self) -> String {
        let mut rest = std::mem::take(&mut self.buffer);
        self.stream.read_to_end(&mut rest).await.unwrap();
        String::from_utf8(rest).unwrap()
    }
}

/// The head of a POST from this machine.
pub(crate) fn post_head(path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n")
}
