//! A connection to the hub that speaks the native RPC: one request at a time, and its events.
//!
//! `run` uses it. Dropping the client cancels a running call at once.

use crate::ended::{Code, Ended};
use anyhow::Context as _;
use hobnob_mcp_types::json::{object, write_string};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Requests and events on one socket.
pub struct NativeClient {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    last_id: u64,
    /// The subscription that has not ended yet.
    open: Option<u64>,
}

impl NativeClient {
    pub(super) fn new(stream: UnixStream) -> Self {
        let (read, writer) = stream.into_split();
        Self { lines: BufReader::new(read).lines(), writer, last_id: 0, open: None }
    }

    /// Sends a request, and returns its only answer.
    pub async fn ask(&mut self, method: &str, params: &str) -> anyhow::Result<Value> {
        self.last_id += 1;
        let line = request(self.last_id, method, params);
        self.writer.write_all(line.as_bytes()).await.context("the hub cannot be reached")?;
        let mut answer = self.next_message().await?;
        match answer.get("error") {
            None => Ok(answer["result"].take()),
            Some(error) => {
                let message = error["message"].as_str().unwrap_or("the hub refused the request");
                let code = match error["code"].as_i64() {
                    Some(-32602 | -32601) => Code::Usage,
                    Some(-31001) => Code::Unavailable,
                    _ => Code::Failed,
                };
                Err(Ended::new(code, message).into())
            }
        }
    }

    /// Begins a call; `next_event` returns its events.
    pub async fn subscribe(&mut self, method: &str, params: &str) -> anyhow::Result<()> {
        self.open = self.ask(method, params).await?.as_u64();
        Ok(())
    }

    /// The next event of the call; `None` after its end.
    pub async fn next_event(&mut self) -> anyhow::Result<Option<Value>> {
        if self.open.is_none() {
            return Ok(None);
        }
        let event = self.next_message().await?["params"].take();
        if matches!(event["result"]["type"].as_str(), Some("complete" | "error")) {
            self.open = None;
        }
        Ok(Some(event))
    }

    async fn next_message(&mut self) -> anyhow::Result<Value> {
        let line = self.lines.next_line().await.context("the hub cannot be read")?;
        let line = line.ok_or_else(|| Ended::new(Code::Unavailable, "the hub has ended"))?;
        serde_json::from_str(&line).context("the hub sent something that is no message")
    }
}

impl Drop for NativeClient {
    fn drop(&mut self) {
        if let Some(open) = self.open {
            // The end of the connection would end the call as well, but only after a while.
            let line = request(self.last_id + 1, "unsubscribe", &format!("[{open}]"));
            let _ignored = self.writer.try_write(line.as_bytes());
        }
    }
}

fn request(id: u64, method: &str, params: &str) -> String {
    let mut line = object(|request| {
        request.raw("jsonrpc", "\"2.0\"").raw("id", &id.to_string());
        write_string(request.key("method"), method);
        request.raw("params", params);
    });
    line.push('\n');
    line
}
