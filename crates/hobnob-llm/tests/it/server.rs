//! A model provider on this machine: answers each connection by a script, and records the requests.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hobnob_llm::{
    HttpProvider, ModelEvent, ModelMessage, ModelRequest, ModelStream, Provider as _,
    ProviderDialect, ProviderError, ProviderOptions, ProviderSettings,
};
use hobnob_web_client::RetryPolicy;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

/// One request that the server received.
pub(crate) struct Request {
    /// The first line and the headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// One step of a script, which the server runs on a connection.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends these bytes unchanged.
    Raw(Vec<u8>),
    /// Sends the head of a stream of this type.
    Head(&'static str),
    /// Sends a piece of the body.
    Piece(Vec<u8>),
    /// Ends the body properly.
    End,
    /// Waits until the test notifies it.
    Wait(Arc<Notify>),
    /// Holds the connection until the client has closed it, then notifies the test.
    Hold,
}

/// A complete answer with a status.
pub(crate) fn status(status: u16, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    vec![Step::Raw([head.as_bytes(), body.as_bytes()].concat())]
}

/// A stream in pieces of this many bytes, each sent as an HTTP chunk of its own.
pub(crate) fn stream(kind: &'static str, bytes: &str, size: usize) -> Vec<Step> {
    let pieces = bytes.as_bytes().chunks(size).map(|piece| Step::Piece(piece.to_vec()));
    std::iter::once(Step::Head(kind)).chain(pieces).collect()
}

/// A stream that ends properly.
pub(crate) fn whole(kind: &'static str, bytes: &str, size: usize) -> Vec<Step> {
    let mut steps = stream(kind, bytes, size);
    steps.push(Step::End);
    steps
}

pub(crate) const EVENTS: &str = "text/event-stream; charset=utf-8";
pub(crate) const LINES: &str = "application/x-ndjson";

/// The server; dropping it stops it.
pub(crate) struct ModelServer {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    gone: mpsc::Receiver<()>,
    /// How many steps have written their bytes, over all connections.
    pieces: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl ModelServer {
    /// Answers each connection with the next script, and all later ones with the last script.
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (gone_sender, gone) = mpsc::channel(64);
        let mut serving = JoinSet::new();
        let pieces = Arc::new(AtomicUsize::new(0));
        let record =
            Record { seen: Arc::clone(&seen), pieces: Arc::clone(&pieces), gone: gone_sender };
        let mut scripts = VecDeque::from(scripts);
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let script = match scripts.len() {
                    1 => scripts[0].clone(),
                    _ => scripts.pop_front().unwrap(),
                };
                connections.spawn(answer(stream, script, record.clone()));
            }
        });
        Self { url, seen, gone, pieces, _serving: serving }
    }

    /// Takes the requests that arrived since the last call.
    pub(crate) fn seen(&self) -> Vec<Request> {
        std::mem::take(&mut self.seen.lock())
    }

    /// Waits until the server writes no more, even after many yields to other tasks. Returns the
    /// number of steps that have written their bytes.
    pub(crate) async fn stalled(&self) -> usize {
        let (mut left, mut quiet) = (0, 0);
        while quiet < 20_000 {
            tokio::task::yield_now().await;
            let now = self.pieces.load(Ordering::Relaxed);
            quiet = if now == left { quiet + 1 } else { 0 };
            left = now;
        }
        left
    }

    /// Waits until a client has closed a connection that the server holds.
    pub(crate) async fn client_gone(&mut self) {
        self.gone.recv().await.unwrap();
    }
}

/// The state that the connections share with the test.
#[derive(Clone)]
struct Record {
    seen: Arc<Mutex<Vec<Request>>>,
    pieces: Arc<AtomicUsize>,
    gone: mpsc::Sender<()>,
}

async fn answer(mut stream: TcpStream, script: Vec<Step>, record: Record) {
    let Some(request) = read(&mut stream).await else { return };
    record.seen.lock().push(request);
    for step in script {
        let bytes = match step {
            Step::Raw(bytes) => bytes,
            Step::Head(kind) => format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            .into_bytes(),
            Step::Piece(bytes) => {
                [format!("{:x}\r\n", bytes.len()).as_bytes(), &bytes, b"\r\n"].concat()
            }
            Step::End => b"0\r\n\r\n".to_vec(),
            Step::Wait(gate) => {
                gate.notified().await;
                continue;
            }
            Step::Hold => {
                // The client sends nothing more, so this read ends only with the connection.
                let _closed = stream.read(&mut [0; 16]).await;
                record.gone.send(()).await.unwrap();
                return;
            }
        };
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
        record.pieces.fetch_add(1, Ordering::Relaxed);
    }
    // Half-close first, so that the client reads everything before the connection is gone.
    let _closed = stream.shutdown().await;
    let _until_closed = stream.read(&mut [0; 16]).await;
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut end = None;
    while end.is_none() {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    }
    let mut body = bytes.split_off(end? + 4);
    let head = String::from_utf8(bytes).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Some(Request { head, body })
}

/// The options of a provider at this server; it does not wait between attempts.
pub(crate) fn options(server: &ModelServer, dialect: ProviderDialect) -> ProviderOptions {
    let mut settings = ProviderSettings::new(dialect);
    settings.url = Some(server.url.clone());
    let mut options = settings.check("test").unwrap();
    options.retry = RetryPolicy { first: Duration::ZERO, ..RetryPolicy::default() };
    options
}

pub(crate) fn provider(server: &ModelServer, dialect: ProviderDialect) -> HttpProvider {
    HttpProvider::new(options(server, dialect))
}

pub(crate) fn question() -> ModelRequest {
    ModelRequest::new("asked", vec![ModelMessage::user("Wie geht es?")])
}

/// Collects all events up to the end or the error.
pub(crate) async fn collect(mut stream: ModelStream) -> (Vec<ModelEvent>, Option<ProviderError>) {
    let mut events = Vec::new();
    while let Some(next) = stream.next().await {
        match next {
            Ok(event) => events.push(event),
            Err(error) => {
                assert_eq!(stream.next().await, None, "nothing comes after an error");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

/// Sends one request with the usual question.
pub(crate) async fn ask(provider: &HttpProvider) -> (Vec<ModelEvent>, Option<ProviderError>) {
    collect(provider.chat(question())).await
}

/// The texts among events, joined.
pub(crate) fn text(events: &[ModelEvent]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        ModelEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Whether the last event is the end, and no other.
pub(crate) fn is_finished(events: &[ModelEvent]) -> bool {
    let ends = events.iter().filter(|event| matches!(event, ModelEvent::Finished(_))).count();
    ends == 1 && matches!(events.last(), Some(ModelEvent::Finished(_)))
}
