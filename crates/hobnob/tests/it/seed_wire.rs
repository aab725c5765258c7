//! A conversation as a document writes it: messages in, messages out, on pipes or over HTTP.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::dialogue::Dialogue;
use crate::program::{HttpServer, hobnob, listening, own, within};

/// How the server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerTransport {
    Stdio,
    Http,
}

impl ServerTransport {
    pub(crate) const ALL: [Self; 2] = [Self::Stdio, Self::Http];
}

/// A folder of its own for one server's files, gone with the test.
pub(crate) struct Home(pub(crate) PathBuf);

impl Home {
    pub(crate) fn new(label: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-{label}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder.join("project")).unwrap();
        Self(folder)
    }

    /// The program with its files in this folder.
    pub(crate) fn hobnob(&self, arguments: &[&str]) -> Command {
        own(&self.0, arguments);
        let mut command = hobnob(arguments);
        command
            .env("HOBNOB_HOME", &self.0)
            .env("HOME", &self.0)
            .current_dir(self.0.join("project"));
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// One conversation.
pub(crate) enum Wire {
    Stdio(Box<Dialogue>),
    Http(Box<Session>),
}

/// A client that speaks Streamable HTTP by hand.
pub(crate) struct Session {
    _server: Option<HttpServer>,
    authority: String,
    path: String,
    session: Option<String>,
    /// Messages that came and that the test has not read.
    waiting: VecDeque<Value>,
}

impl Wire {
    /// Starts a server with this profile (or none) and gets ready to talk.
    pub(crate) async fn open(home: &Home, way: ServerTransport, profile: Option<&str>) -> Self {
        match way {
            ServerTransport::Stdio => {
                let mut words = vec!["serve"];
                words.extend(profile.iter().flat_map(|name| ["--profile", name]));
                Self::Stdio(Box::new(Dialogue::with(&mut home.hobnob(&words))))
            }
            ServerTransport::Http => {
                let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
                let session = Session::to(&server.url, profile);
                Self::Http(Box::new(Session { _server: Some(server), ..session }))
            }
        }
    }

    /// Sends a request and returns its answer. What else comes before it is kept.
    pub(crate) async fn ask(&mut self, request: Value) -> (Vec<Value>, Value) {
        let id = request["id"].clone();
        self.send(request).await;
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return (before, message);
            }
            before.push(message);
        }
    }

    /// Sends a message.
    pub(crate) async fn send(&mut self, message: Value) {
        match self {
            Self::Stdio(dialogue) => dialogue.send(message).await,
            Self::Http(session) => session.post(&message).await,
        }
    }

    /// The next message that comes.
    pub(crate) async fn next(&mut self) -> Value {
        match self {
            Self::Stdio(dialogue) => dialogue.receive().await.expect("a message"),
            Self::Http(session) => session.waiting.pop_front().expect("a message"),
        }
    }

    /// The answer's result.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 77, "method": method, "params": params});
        let (_, answer) = self.ask(request).await;
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The data in the text of a tool's result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.result("tools/call", params).await;
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        serde_json::from_str(text).unwrap_or_else(|_| panic!("{tool}: {text}"))
    }
}

impl Session {
    /// A session with a server that runs already.
    pub(crate) fn to(url: &str, profile: Option<&str>) -> Self {
        let rest = url.strip_prefix("http://").expect("an address");
        let (authority, _) = rest.split_once('/').expect("a path");
        let path = profile.map_or_else(|| "/mcp".to_owned(), |name| format!("/p/{name}/mcp"));
        let (authority, waiting) = (authority.to_owned(), VecDeque::new());
        Self { _server: None, authority, path, session: None, waiting }
    }

    pub(crate) async fn post(&mut self, message: &Value) {
        let body = message.to_string();
        let mut stream = self.begin("POST", &body).await;
        let mut answer = Vec::new();
        within("an answer", stream.read_to_end(&mut answer)).await.unwrap();
        self.take(&String::from_utf8(answer).unwrap(), &body);
    }

    /// Sends a request on a connection of its own, and waits for nothing.
    pub(crate) async fn begin(&self, method: &str, body: &str) -> TcpStream {
        let session = self.session.iter().map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        let head = format!(
            "{method} {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n{}\
             Content-Length: {}\r\n\r\n",
            self.path,
            self.authority,
            session.collect::<String>(),
            body.len(),
        );
        let mut stream = within("a connection", TcpStream::connect(&self.authority)).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        stream
    }

    fn take(&mut self, answer: &str, asked: &str) {
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).unwrap_or_default();
        assert!(status.starts_with('2'), "{status} to {asked}: {body}");
        let header = |name: &str| {
            head.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        if let Some(id) = header("mcp-session-id") {
            self.session = Some(id);
        }
        let chunked = header("transfer-encoding").is_some_and(|it| it.contains("chunked"));
        let body = if chunked { joined_chunks(body) } else { body.to_owned() };
        let events = header("content-type").is_some_and(|it| it.contains("event-stream"));
        if events {
            let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
            let messages = data.filter(|text| !text.trim().is_empty());
            self.waiting.extend(messages.map(|text| serde_json::from_str::<Value>(text).unwrap()));
        } else if !body.trim().is_empty() {
            self.waiting.push_back(serde_json::from_str(&body).unwrap());
        }
    }
}

fn joined_chunks(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}
