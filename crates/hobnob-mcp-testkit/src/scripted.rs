//! A server that plays a script: which requests must come, and how it answers them.
//!
//! Authors of clients call it in their tests. A client that deviates from the script gets an error
//! that says so, and the test fails in [`ScriptedServer::finish`].
#![expect(clippy::panic, reason = "a conversation that differs from its script fails its test")]

use crate::pipe::LineWriter;
use crate::script::{ScriptAction, ScriptStep, read_script};
use crate::transcript::Words;
use hobnob_mcp_client::{Client, ClientBuilder, ConnectError};
use hobnob_mcp_transport::{Line, LineLimits};
use serde_json::{Value, json};
use std::collections::VecDeque;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How many groups of lines the client can send before the script must take one.
const WAITING_MESSAGES: usize = 1024;

/// How many bytes the server can write before the client must read.
const UNREAD_BYTES: usize = 1 << 20;

/// A server that plays a script; see [`scripted`].
#[derive(Debug)]
pub struct ScriptedServer {
    playing: JoinSet<Result<(), String>>,
    finishing: CancellationToken,
}

/// Connects a client to a server that plays this script.
///
/// The server answers the handshake by itself, and declares tools, resources, prompts, completions
/// and logging. Each step of the script begins on a line; its JSON may continue on the next lines.
///
/// ```text
/// # a remark
/// expect tools/call {"name":"add"}     the next request must be this one; `_meta` is left out
/// answer {"content":[]}                the result of the request that was expected last
/// refuse -32602 no such tool           an error instead of a result
/// notify notifications/tools/list_changed
/// end                                  the connection breaks
/// ```
///
/// In an expected request, `"$any"` is any value, and `"$has abc"` any text that contains `abc`.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (client, server) = hobnob_mcp_testkit::scripted(
///     r#"
///     expect tools/call {"name":"add","arguments":{"a":1,"b":2}}
///     answer {"content":[],"structuredContent":3}
///     "#,
/// )
/// .await?;
/// let sum: i64 = client.call("add", &serde_json::json!({"a": 1, "b": 2})).await?;
/// assert_eq!(sum, 3);
/// server.finish().await;
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// If the script cannot be read.
pub async fn scripted(script: &str) -> Result<(Client, ScriptedServer), ConnectError> {
    scripted_with(Client::builder(), script).await
}

/// Like [`scripted`], for a client with its own settings. The server speaks the client's revision.
///
/// # Panics
///
/// If the script cannot be read.
pub async fn scripted_with(
    builder: ClientBuilder,
    script: &str,
) -> Result<(Client, ScriptedServer), ConnectError> {
    let steps = read_script(script);
    let (sender, lines) = mpsc::channel(WAITING_MESSAGES);
    let writer = LineWriter::new(LineLimits::default().line_bytes, sender);
    let (output, read) = tokio::io::duplex(UNREAD_BYTES);
    let finishing = CancellationToken::new();
    let peer = ScriptedPeer {
        lines,
        waiting: VecDeque::new(),
        output: Some(output),
        finishing: finishing.clone(),
    };
    let mut playing = JoinSet::new();
    playing.spawn(peer.play(steps));
    let client = builder.over(read, writer).await?;
    Ok((client, ScriptedServer { playing, finishing }))
}

impl ScriptedServer {
    /// Ends the test: the client will send nothing more.
    ///
    /// # Panics
    ///
    /// If the client deviated from the script, or left a step out.
    pub async fn finish(mut self) {
        self.finishing.cancel();
        match self.playing.join_next().await {
            Some(Ok(Err(difference))) => panic!("{difference}"),
            Some(Err(failed)) => panic!("the script failed: {failed}"),
            Some(Ok(Ok(()))) | None => {}
        }
    }
}

/// The server's end of the connection.
struct ScriptedPeer {
    lines: Receiver<Vec<Line>>,
    /// The lines that are left of the newest group.
    waiting: VecDeque<Line>,
    /// `None` once the script has ended the connection.
    output: Option<DuplexStream>,
    finishing: CancellationToken,
}

impl ScriptedPeer {
    async fn play(mut self, steps: Vec<ScriptStep>) -> Result<(), String> {
        self.greet().await?;
        let mut asked = Value::Null;
        for step in steps {
            if let Err(difference) = self.perform(&step, &mut asked).await {
                self.refuse_everything(&difference).await;
                return Err(format!("line {}: {difference}", step.line));
            }
        }
        match self.receive().await {
            None => Ok(()),
            Some(message) => {
                let difference = format!("after the script, the client sent {message}");
                self.refuse(&message["id"], -32603, &difference).await;
                self.refuse_everything(&difference).await;
                Err(difference)
            }
        }
    }

    async fn perform(&mut self, step: &ScriptStep, asked: &mut Value) -> Result<(), String> {
        match &step.action {
            ScriptAction::Expect { method, params } => {
                let Some(message) = self.receive().await else {
                    return Err(format!("the client never sent `{method}`"));
                };
                *asked = message["id"].clone();
                if let Err(difference) = compare(&message, method, params.as_ref()) {
                    self.refuse(asked, -32603, &difference).await;
                    return Err(difference);
                }
            }
            ScriptAction::Answer(result) => {
                self.send(&json!({"jsonrpc": "2.0", "id": asked, "result": result})).await;
            }
            ScriptAction::Refuse { code, message } => self.refuse(asked, *code, message).await,
            ScriptAction::Notify { method, params } => {
                self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
            }
            ScriptAction::End => self.output = None,
        }
        Ok(())
    }

    async fn greet(&mut self) -> Result<(), String> {
        let Some(hello) = self.receive().await else { return Ok(()) };
        let offer = json!({
            "tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {},
        });
        let name = json!({"name": "scripted", "version": "1"});
        let result = match hello["method"].as_str() {
            Some("server/discover") => {
                let revision = &hello["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
                json!({
                    "resultType": "complete", "supportedVersions": [revision], "capabilities": offer,
                    "ttlMs": 0, "cacheScope": "private",
                    "_meta": {"io.modelcontextprotocol/serverInfo": name},
                })
            }
            Some("initialize") => json!({
                "protocolVersion": hello["params"]["protocolVersion"],
                "capabilities": offer,
                "serverInfo": name,
            }),
            _ => return Err(format!("instead of a greeting, the client sent {hello}")),
        };
        self.send(&json!({"jsonrpc": "2.0", "id": hello["id"], "result": result})).await;
        if hello["method"] == "initialize" {
            let initialized = self.receive().await.unwrap_or_default();
            compare(&initialized, "notifications/initialized", None)?;
        }
        Ok(())
    }

    /// The next message; `None` once the client has closed the connection or the test has finished.
    async fn receive(&mut self) -> Option<Value> {
        loop {
            if let Some(line) = self.waiting.pop_front() {
                let text = match &line {
                    Line::Text(text) => text.as_slice(),
                    Line::TooLong { .. } => return Some(Value::from("a line that is too long")),
                };
                return Some(
                    serde_json::from_slice(text).unwrap_or_else(|_| Value::from("no JSON")),
                );
            }
            let lines = tokio::select! {
                biased;
                lines = self.lines.recv() => lines,
                () = self.finishing.cancelled() => None,
            };
            self.waiting.extend(lines?);
        }
    }

    /// Refuses all later requests with this reason, so that every caller in the client learns it.
    async fn refuse_everything(&mut self, why: &str) {
        while let Some(message) = self.receive().await {
            if !message["id"].is_null() {
                self.refuse(&message["id"], -32603, why).await;
            }
        }
    }

    async fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    }

    async fn send(&mut self, message: &Value) {
        if let Some(output) = &mut self.output {
            let _client_is_gone = output.write_all(format!("{message}\n").as_bytes()).await;
        }
    }
}

fn compare(message: &Value, method: &str, params: Option<&Value>) -> Result<(), String> {
    let mut found = message["params"].clone();
    if let Some(members) = found.as_object_mut() {
        members.remove("_meta");
    }
    let fits = message["method"] == method
        && params.is_none_or(|params| Words::default().matches(params, &found));
    if fits {
        return Ok(());
    }
    let expected = params.map_or_else(String::new, |params| format!(" {params}"));
    let sent = message["method"].as_str().unwrap_or("no request");
    Err(format!("the script expects {method}{expected}, but the client sent {sent} {found}"))
}
