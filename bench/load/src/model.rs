//! A provider of models that says what the measurement wants, in the form of Ollama: one request at a
//! time, answered by lines of JSON, each in a chunk of its own.

use std::net::SocketAddr;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const MOST_HEADERS: usize = 64;
const LONGEST_REQUEST: usize = 64 * 1024 * 1024;
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\
    transfer-encoding: chunked\r\nconnection: close\r\n\r\n";

/// Listens for the requests of the chat that is measured.
pub(crate) struct Model {
    listener: TcpListener,
    address: SocketAddr,
}

impl Model {
    pub(crate) async fn listen() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next question; requests for anything else than an answer are told that there is nothing.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Question> {
        loop {
            let (mut stream, _) = self.listener.accept().await?;
            stream.set_nodelay(true)?;
            // A connection that was opened in advance may end without a request.
            let Some(request) = read_request(&mut stream).await? else { continue };
            if request.path == "/api/chat" {
                stream.write_all(HEAD).await?;
                return Ok(Question { stream, body: request.body });
            }
            let nothing =
                b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            stream.write_all(nothing).await?;
        }
    }
}

/// One request, until its answer has ended.
pub(crate) struct Question {
    stream: TcpStream,
    body: Vec<u8>,
}

impl Question {
    /// What was said last.
    pub(crate) fn last_message(&self) -> anyhow::Result<String> {
        let body: Value = serde_json::from_slice(&self.body)?;
        let last = body["messages"].as_array().and_then(|messages| messages.last());
        Ok(last.context("a request without messages")?.to_string())
    }

    pub(crate) async fn say(&mut self, text: &str) -> anyhow::Result<()> {
        let line = json!({ "model": "m", "message": { "content": text }, "done": false });
        self.line(&line).await
    }

    pub(crate) async fn end(mut self) -> anyhow::Result<()> {
        let line = json!({ "message": { "content": "" }, "done": true, "done_reason": "stop",
            "prompt_eval_count": self.body.len() / 4, "eval_count": 80 });
        self.line(&line).await?;
        self.stream.write_all(b"0\r\n\r\n").await?;
        self.stream.shutdown().await?;
        Ok(())
    }

    async fn line(&mut self, line: &Value) -> anyhow::Result<()> {
        let text = format!("{line}\n");
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        self.stream.write_all(chunk.as_bytes()).await?;
        Ok(())
    }
}

struct HttpRequest {
    path: String,
    body: Vec<u8>,
}

async fn read_request(stream: &mut TcpStream) -> anyhow::Result<Option<HttpRequest>> {
    let mut arrived = Vec::new();
    loop {
        if let Some((path, head, length)) = parse(&arrived)? {
            ensure!(length <= LONGEST_REQUEST, "a request of {length} bytes");
            if head + length <= arrived.len() {
                let body = arrived.drain(head..head + length).collect();
                return Ok(Some(HttpRequest { path, body }));
            }
        }
        if stream.read_buf(&mut arrived).await? == 0 {
            ensure!(arrived.is_empty(), "a request that broke off");
            return Ok(None);
        }
    }
}

/// The path, and how long head and body are.
fn parse(arrived: &[u8]) -> anyhow::Result<Option<(String, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = request.parse(arrived)? else { return Ok(None) };
    let path = request.path.context("a request without a path")?.to_owned();
    let length = request.headers.iter().find(|it| it.name.eq_ignore_ascii_case("content-length"));
    let length = match length {
        Some(header) => std::str::from_utf8(header.value)?.parse()?,
        None => 0,
    };
    Ok(Some((path, head, length)))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_request_is_whole_once_its_head_is() {
        let head = "POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
        let found = parse(format!("{head}12345").as_bytes()).unwrap();
        assert_eq!(found, Some(("/api/chat".to_owned(), head.len(), 5)));
        assert_eq!(parse(&head.as_bytes()[..20]).unwrap(), None);
        let get = b"GET /api/tags HTTP/1.1\r\n\r\n";
        assert_eq!(parse(get).unwrap(), Some(("/api/tags".to_owned(), get.len(), 0)));
    }
}
