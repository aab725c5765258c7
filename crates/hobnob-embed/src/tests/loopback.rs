//! A local HTTP server that answers as the test says and records the requests.

use parking_lot::Mutex;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A request that the server received.
pub(crate) struct Request {
    /// The request line and the headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// The answer of the server.
pub(crate) enum Reply {
    /// Sends these bytes, then closes the connection.
    Whole(Vec<u8>),
    /// Sends these bytes, then keeps the connection open.
    Held(Vec<u8>),
}

impl Reply {
    /// An answer with a content length.
    pub(crate) fn new(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let head = format!(
            "HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
            body.len()
        );
        Self::Whole([head.as_bytes(), body].concat())
    }
}

/// The server, which stops when this is dropped.
pub(crate) struct Loopback {
    /// Its base URL, without a slash at the end.
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    _serving: JoinSet<()>,
}

impl Loopback {
    pub(crate) async fn start(answer: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, answer, Arc::clone(&seen)));
        Self { url, seen, _serving: serving }
    }

    /// The requests since the last call.
    pub(crate) fn seen(&self) -> Vec<Request> {
        std::mem::take(&mut self.seen.lock())
    }
}

async fn serve(
    listener: TcpListener,
    mut answer: impl FnMut(&Request) -> Reply,
    seen: Arc<Mutex<Vec<Request>>>,
) {
    let mut held = Vec::new();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read(&mut stream).await;
        let reply = answer(&request);
        seen.lock().push(request);
        let (Reply::Whole(bytes) | Reply::Held(bytes)) = &reply;
        // The client may have closed the connection before the end.
        let _client_has_left = stream.write_all(bytes).await;
        if matches!(reply, Reply::Held(_)) {
            held.push(stream);
        }
    }
}

async fn read(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    let mut end = None;
    while end.is_none() {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "a request without an end");
        end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    }
    let mut body = bytes.split_off(end.unwrap() + 4);
    let head = String::from_utf8(bytes).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while body.len() < length {
        assert_ne!(stream.read_buf(&mut body).await.unwrap(), 0, "a body without an end");
    }
    Request { head, body }
}
