//! A conversation with `hobnob serve` over its own pipes, line by line.
//!
//! Every line that comes back must be one JSON-RPC message: stdout belongs to the protocol.

use std::process::ExitStatus;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::program::{hobnob, within};

/// The parameters with the answers to a modern server's questions; `None` for a result without any.
pub(crate) fn next_round(
    params: &Value,
    result: &Value,
    mut answer: impl FnMut(&Value) -> Value,
) -> Option<Value> {
    if result["resultType"] != "input_required" {
        return None;
    }
    let mut asked = params.clone();
    for (key, question) in result["inputRequests"].as_object().unwrap() {
        asked["inputResponses"][key] = answer(question);
    }
    if result["requestState"].is_string() {
        asked["requestState"] = result["requestState"].clone();
    }
    Some(asked)
}

/// The program and the near ends of its pipes.
pub(crate) struct Dialogue {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<Lines<BufReader<ChildStdout>>>,
}

impl Dialogue {
    /// Starts `hobnob serve`.
    pub(crate) fn begin() -> Self {
        Self::with(&mut hobnob(&["serve"]))
    }

    /// Starts a command that was prepared by `hobnob`.
    pub(crate) fn with(command: &mut Command) -> Self {
        // Tests do not read it, and a full pipe would stall the server.
        let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map(|pipe| BufReader::new(pipe).lines());
        Self { child, stdin, stdout }
    }

    /// Writes these bytes and nothing else.
    pub(crate) async fn write_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).await.unwrap();
        stdin.flush().await.unwrap();
    }

    /// Writes one line as it is.
    pub(crate) async fn write(&mut self, line: &[u8]) {
        self.write_raw(&[line, b"\n"].concat()).await;
    }

    /// Sends one message.
    pub(crate) async fn send(&mut self, message: Value) {
        self.write(message.to_string().as_bytes()).await;
    }

    /// The next message, or none when the server has closed its side.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let message = self.receive_any().await?;
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        Some(message)
    }

    /// The same, where a batch may come too.
    pub(crate) async fn receive_any(&mut self) -> Option<Value> {
        let stdout = self.stdout.as_mut().expect("stdout is open");
        let line = within("a message", stdout.next_line()).await.unwrap()?;
        let message = serde_json::from_str(&line);
        Some(
            message.unwrap_or_else(|error| {
                panic!("stdout carries something else: {error} in {line:?}")
            }),
        )
    }

    /// The answer to the request with this id; other messages are passed over.
    pub(crate) async fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive().await.unwrap_or_else(|| panic!("no answer to {id}"));
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The next message that has one of these texts in it; others are passed over.
    pub(crate) async fn until_any(&mut self, texts: &[&str]) -> String {
        loop {
            let message = self.receive().await.unwrap_or_else(|| panic!("nothing with {texts:?}"));
            let message = message.to_string();
            if texts.iter().any(|text| message.contains(text)) {
                return message;
            }
        }
    }

    /// Shakes hands as a legacy client does.
    pub(crate) async fn greet(&mut self) {
        self.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "it", "version": "1"},
        }}))
        .await;
        let hello = self.answer_to(0).await;
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    /// Ends our side of the conversation.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Stops listening: the server's next write fails.
    pub(crate) fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// Waits for the server's end.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        within("the end of the server", self.child.wait()).await.unwrap()
    }
}

/// A `ping` with this id.
pub(crate) fn ping(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}
