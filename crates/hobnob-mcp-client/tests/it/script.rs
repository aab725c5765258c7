//! A server played by the test, line by line, over a pipe in memory. The clock is paused, so
//! nothing here depends on how busy the machine is.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper that fails must fail the test that uses it"
)]

use crate::support::{EventQueue, describe, options};
use hobnob_mcp_client::{
    ClientOptions, ConnectError, Connection, DeclineAll, Host, Remote, ServerEvent, connect_lines,
};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_transport::TryWrite;
use hobnob_mcp_types::Revision;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Longer than any time limit of a client.
const FOR_EVER: Duration = Duration::from_secs(48 * 3600);

/// The writing half of the client: each write is one element of a queue.
pub(crate) struct Wire(mpsc::Sender<Vec<u8>>);

impl TryWrite for Wire {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.try_send(bytes.to_vec()) {
            Ok(()) => Ok(bytes.len()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(io::ErrorKind::WouldBlock.into()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn writable(&self) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async { self.0.reserve().await.map(drop).map_err(io::Error::other) })
    }
}

/// The server's end of the pipe.
pub(crate) struct Script {
    received: mpsc::Receiver<Vec<u8>>,
    output: Option<DuplexStream>,
}

/// Both ends of a new pipe.
pub(crate) fn pipe() -> (Script, DuplexStream, Wire) {
    let (sender, received) = mpsc::channel(4096);
    let (output, read) = tokio::io::duplex(1 << 20);
    (Script { received, output: Some(output) }, read, Wire(sender))
}

impl Script {
    /// The next line of the client, as it was written.
    pub(crate) async fn line(&mut self) -> String {
        let line = tokio::time::timeout(FOR_EVER, self.received.recv()).await;
        let line = line.expect("the client says nothing more").expect("the client is gone");
        String::from_utf8(line).unwrap().trim_end().to_owned()
    }

    /// The next message of the client.
    pub(crate) async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    /// The id of the next message, which must be a request or notification with this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.receive().await;
        assert_eq!(message["method"], method, "{message}");
        message["id"].clone()
    }

    /// The messages that the client has sent and the test has not read, once the client is idle.
    pub(crate) async fn unread(&mut self) -> Vec<Value> {
        settle().await;
        let mut all = Vec::new();
        while let Ok(line) = self.received.try_recv() {
            all.push(serde_json::from_slice(&line).unwrap());
        }
        all
    }

    /// Writes a line.
    pub(crate) async fn send_line(&mut self, line: impl AsRef<str>) {
        let line = format!("{}\n", line.as_ref());
        self.output.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, id: &Value, result: Value) {
        self.send_line(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()).await;
    }

    pub(crate) async fn refuse(&mut self, id: &Value, code: i64, data: Value) {
        let error = json!({"code": code, "message": "no", "data": data});
        self.send_line(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send_line(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
            .await;
    }

    pub(crate) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id: Value = id.into();
        let asked = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_line(asked.to_string()).await;
    }

    /// Closes the pipe that the client reads.
    pub(crate) fn end(&mut self) {
        self.output = None;
    }

    /// Performs the handshake with a client that insists on one revision.
    pub(crate) async fn greet(&mut self, revision: Revision, capabilities: Value) {
        let asked = self.receive().await;
        let id = asked["id"].clone();
        if asked["method"] == "server/discover" {
            self.answer(&id, discovered(&[revision.as_str()], capabilities)).await;
        } else {
            assert_eq!(asked["method"], "initialize");
            self.answer(&id, initialized(revision.as_str(), capabilities)).await;
            self.expect("notifications/initialized").await;
        }
    }
}

/// The handler's next event, in short form.
pub(crate) async fn next_event(events: &mut mpsc::Receiver<ServerEvent>) -> String {
    let event = tokio::time::timeout(FOR_EVER, events.recv()).await;
    describe(&event.expect("no event came").expect("the handler is gone"))
}

/// Lets every task run as far as it can without the clock.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// The result of `initialize`.
pub(crate) fn initialized(revision: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": capabilities,
        "serverInfo": {"name": "script", "version": "1"},
    })
}

/// The result of `server/discover`.
pub(crate) fn discovered(revisions: &[&str], capabilities: Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": revisions,
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "script", "version": "1"}},
    })
}

/// A scripted server and a client connected to it.
pub(crate) struct Scene {
    pub(crate) script: Script,
    pub(crate) remote: Arc<Remote>,
    pub(crate) events: mpsc::Receiver<ServerEvent>,
    pub(crate) tasks: TaskTracker,
}

/// The settings of a scene.
pub(crate) struct Opening {
    pub(crate) options: ClientOptions,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) capabilities: Value,
}

impl Opening {
    /// A client without capabilities.
    pub(crate) fn new() -> Self {
        let capabilities = json!({"tools": {}, "resources": {}, "prompts": {}, "logging": {}});
        Self { options: options(), host: Arc::new(DeclineAll), capabilities }
    }

    pub(crate) fn host(host: impl Host) -> Self {
        Self { host: Arc::new(host), ..Self::new() }
    }

    /// Performs the handshake in this revision.
    pub(crate) async fn open(mut self, revision: Revision) -> Scene {
        self.options.era = hobnob_mcp_client::EraHint::Only(revision);
        let capabilities = self.capabilities.clone();
        let (remote, (scene, ())) = {
            let (mut script, read, write) = pipe();
            let (connection, events, tasks) = self.connection();
            let greeting = async {
                script.greet(revision, capabilities).await;
            };
            let (remote, ()) = tokio::join!(connect_lines(connection, read, write), greeting);
            (remote, ((script, events, tasks), ()))
        };
        let (script, events, tasks) = scene;
        Scene { script, remote: remote.unwrap(), events, tasks }
    }

    fn connection(self) -> (Connection, mpsc::Receiver<ServerEvent>, TaskTracker) {
        let (events, received) = EventQueue::new();
        let tasks = TaskTracker::new();
        let connection = Connection {
            host: self.host,
            events: Arc::new(events),
            options: self.options,
            tasks: tasks.clone(),
        };
        (connection, received, tasks)
    }

    /// Connects while the test plays the server's side of the handshake.
    pub(crate) async fn greet_by(
        self,
        play: impl AsyncFnOnce(&mut Script),
    ) -> (Result<Arc<Remote>, ConnectError>, Script) {
        let (mut script, read, write) = pipe();
        let (connection, _events, _tasks) = self.connection();
        let (remote, ()) = tokio::join!(connect_lines(connection, read, write), play(&mut script));
        (remote, script)
    }
}
