//! A receiver of OTLP over HTTP: it keeps each request, and answers as a test says.

use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// No wait of a test is longer.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Receiver {
    pub(crate) endpoint: String,
    requests: mpsc::Receiver<Request>,
    _serving: JoinSet<()>,
}

/// A request: its first line and headers in lower case, and its body.
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Receiver {
    /// Answers the first requests with these statuses, and all later ones with 200.
    pub(crate) async fn answering(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel(64);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut statuses = statuses.iter();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                let status = statuses.next().copied().unwrap_or(200);
                let answer = format!(
                    "HTTP/1.1 {status} it\r\nRetry-After: 0\r\nConnection: close\r\n\
                     Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
                sender.send(request).await.unwrap();
            }
        });
        Self { endpoint, requests, _serving: serving }
    }

    pub(crate) async fn next(&mut self) -> Request {
        let request = tokio::time::timeout(TIMEOUT, self.requests.recv());
        request.await.expect("a request in time").unwrap()
    }
}

async fn read(stream: &mut tokio::net::TcpStream) -> Request {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(stream.read_line(&mut head).await.unwrap(), 0, "{head}");
    }
    let head = head.to_lowercase();
    let (_, length) = head.split_once("content-length: ").unwrap();
    let length = length.split("\r\n").next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    Request { head, body: serde_json::from_slice(&body).unwrap() }
}
