//! A server whose tools do what the test says, and clients of both eras for it. The tests of the
//! server half use both.
//!
//! A tool reports to the test when it begins, ends and is dropped; where it must wait, it waits at
//! a gate that the test opens. So no test has to guess how long anything takes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::{Change, HandshakeRules, Limits};
use hobnob_mcp_http::{HttpOptions, Served, SessionLimits, bind, serve_http};
use hobnob_mcp_server::{EventIdForm, ProgressRule, Server};
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, ResourceSpec, ToolError, ToolSpec};
use hobnob_mcp_types::capabilities::{ClientCapabilities, SamplingCapability};
use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::form_field::StringSchema;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::client::{Answer, Events, TestRequest, wait_for};

/// The newest legacy revision, which has every legacy feature.
pub(crate) const NEWEST_LEGACY: &str = "2025-11-25";
/// The newest modern revision.
pub(crate) const MODERN: &str = "2026-07-28";
/// Every revision with Streamable HTTP sessions.
pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST_LEGACY];

/// What a tool reports to the test, each with the name of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolEvent {
    Began(String),
    Ended(String),
    Dropped(String),
}

/// What the tools share with the test.
#[derive(Clone)]
struct ToolState {
    events: mpsc::Sender<ToolEvent>,
    gates: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

impl ToolState {
    fn gate(&self, name: &str) -> Arc<Semaphore> {
        let mut gates = self.gates.lock();
        Arc::clone(gates.entry(name.into()).or_insert_with(|| Arc::new(Semaphore::new(0))))
    }
}

/// One call of `run_steps`; reports its end, or that it was dropped before.
struct RunningCall {
    name: String,
    events: mpsc::Sender<ToolEvent>,
    ended: bool,
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let name = self.name.clone();
        let event = if self.ended { ToolEvent::Ended(name) } else { ToolEvent::Dropped(name) };
        let _nobody_reads = self.events.try_send(event);
    }
}

/// Executes its `steps` one by one, then returns its `answer`.
async fn run_steps(arguments: Value, context: Context<ToolState>) -> Result<String, ToolError> {
    let state = context.state();
    let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
    let events = state.events.clone();
    let mut running = RunningCall { name: text("who"), events, ended: false };
    let _nobody_reads = state.events.try_send(ToolEvent::Began(running.name.clone()));
    let mut done = 0.0;
    for step in arguments["steps"].as_array().into_iter().flatten() {
        let step = step.as_str().unwrap_or_default();
        let (what, how) = step.split_once(':').unwrap_or((step, ""));
        match what {
            "progress" => {
                done += 1.0;
                context.progress(done, None, None);
            }
            "log" => context.log(LoggingLevel::Info, &how),
            "flood" => {
                let filling = "x".repeat(1024);
                for number in 0..how.parse::<u32>()? {
                    context.log(LoggingLevel::Info, &json!([number, filling]));
                }
            }
            "pause" => context.pause_stream(Duration::from_millis(how.parse()?)),
            "wait" => state.gate(how).acquire().await?.forget(),
            "panic" => panic!("a tool panics in a test"),
            other => return Err(ToolError::params(format!("no such step: {other}"))),
        }
    }
    running.ended = true;
    Ok(text("answer"))
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn kit(state: &ToolState) -> KitBuilder<ToolState> {
    let taking_nothing = |description: &str| ToolSpec::new(description).schema(object(json!({})));
    let sampling = || ClientCapabilities {
        sampling: Some(SamplingCapability::default()),
        ..ClientCapabilities::default()
    };
    let text = json!({"text": {"type": "string"}});
    let mirrored = json!({
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "flag": {"type": "boolean", "x-mcp-header": "Flag"},
    });
    let question = || {
        let said = SamplingMessage::user(SamplingContent::text("what now?"));
        CreateMessageParams::new(vec![said], 10)
    };
    let form = || {
        let form = FormSchema::new().optional("name", StringSchema::default());
        ElicitParams::form("who are you?", form)
    };
    Kit::plain("test")
        .with_state(state.clone())
        .tool(
            "echo",
            ToolSpec::new("Says it again").schema(object(text)),
            |said: Value| async move { said["text"].as_str().unwrap_or_default().to_owned() },
        )
        .tool("run_steps", taking_nothing("Runs its steps"), run_steps)
        .tool(
            "mirror",
            ToolSpec::new("Has headers").schema(object(mirrored)),
            |given: Value| async move { given.to_string() },
        )
        .tool(
            "sample",
            taking_nothing("Asks the model"),
            move |_: Value, context: Context<_>| async move {
                let said = context.sample("model", question())?;
                Ok(serde_json::to_string(&said.content)?)
            },
        )
        .tool(
            "elicit",
            taking_nothing("Asks the person"),
            move |_: Value, context: Context<_>| async move {
                let did = context.elicit_with("person", form())?;
                Ok(serde_json::to_string(&did)?)
            },
        )
        .tool(
            "picky",
            taking_nothing("Needs sampling"),
            move |_: Value, context: Context<_>| async move {
                context.require(sampling())?;
                Ok("served")
            },
        )
        .resource("test://one", ResourceSpec::new("one").description("The first"), || async {
            "first"
        })
        .prompt("greet", "Greets", || async { "hello" })
}

/// How a test server differs from the defaults.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestOptions {
    pub(crate) http: HttpOptions,
    pub(crate) server: Limits,
    pub(crate) handshake: HandshakeRules,
    pub(crate) progress: ProgressRule,
    pub(crate) event_ids: EventIdForm,
}

impl TestOptions {
    /// Changes the limits of sessions.
    pub(crate) fn sessions(change: impl FnOnce(&mut SessionLimits)) -> Self {
        let mut options = Self::default();
        change(&mut options.http.sessions);
        options
    }
}

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) server: Server,
    state: ToolState,
    events: mpsc::Receiver<ToolEvent>,
    stop: oneshot::Sender<()>,
    serving: JoinSet<std::io::Result<Served>>,
}

impl TestServer {
    pub(crate) async fn start() -> Self {
        Self::with(TestOptions::default()).await
    }

    pub(crate) async fn with(options: TestOptions) -> Self {
        let (sender, events) = mpsc::channel(4096);
        let state = ToolState { events: sender, gates: Arc::default() };
        let builder = Server::builder("test", "1").limits(options.server);
        let builder = builder
            .handshake(options.handshake)
            .progress(options.progress)
            .event_ids(options.event_ids)
            .kit(kit(&state));
        let server = builder.build().unwrap();
        let listener = bind(([127, 0, 0, 1], 0).into(), &options.http).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let mut serving = JoinSet::new();
        let shared = server.clone();
        serving.spawn(async move {
            let stop = async {
                let _dropped_counts_too = stopped.await;
            };
            serve_http(&shared, listener, options.http, stop).await
        });
        Self { address, server, state, events, stop, serving }
    }

    /// The next event of a tool, which must come.
    pub(crate) async fn next_event(&mut self) -> ToolEvent {
        wait_for("an event of a tool", self.events.recv()).await.unwrap()
    }

    /// The events that no test has read yet.
    pub(crate) fn unread_events(&mut self) -> Vec<ToolEvent> {
        let mut all = Vec::new();
        while let Ok(event) = self.events.try_recv() {
            all.push(event);
        }
        all
    }

    /// Lets this many calls through a gate.
    pub(crate) fn open_gate(&self, name: &str, calls: usize) {
        self.state.gate(name).add_permits(calls);
    }

    /// The same for later use, after the test has stopped the server.
    pub(crate) fn gate_opener(&self, name: &str, calls: usize) -> impl FnOnce() + use<> {
        let gate = self.state.gate(name);
        move || gate.add_permits(calls)
    }

    pub(crate) fn publish(&self, change: &Change) {
        let toolbox = self.server.toolbox().unwrap();
        match change {
            Change::Tools => toolbox.notify_tools_changed(),
            Change::Prompts => toolbox.notify_prompts_changed(),
            Change::Resources => toolbox.notify_resources_changed(),
            Change::Resource(uri) => toolbox.notify_resource_updated(uri),
            Change::Task { .. } => panic!("a toolbox does not announce tasks"),
        }
    }

    /// The number of sessions.
    pub(crate) async fn sessions(&self) -> u64 {
        let health = TestRequest::new("GET", "/health").send(self.address).await.json().await;
        assert_eq!(health["status"], "ok");
        health["sessions"].as_u64().unwrap()
    }

    /// Waits until there are this many sessions.
    pub(crate) async fn until_sessions(&self, wanted: u64) {
        let reached = async { while self.sessions().await != wanted {} };
        wait_for("the number of sessions", reached).await;
    }

    /// Tells the server to stop.
    pub(crate) fn stop(self) -> (JoinSet<std::io::Result<Served>>, mpsc::Receiver<ToolEvent>) {
        self.stop.send(()).unwrap();
        (self.serving, self.events)
    }
}

/// A request as JSON.
pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A notification as JSON.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// The parameters of a call of `run_steps` that wants every notification.
pub(crate) fn script(who: &str, steps: &[&str], answer: &str) -> Value {
    let arguments = json!({"who": who, "steps": steps, "answer": answer});
    json!({"name": "run_steps", "arguments": arguments, "_meta": {"progressToken": who}})
}

/// A legacy `initialize` request.
pub(crate) fn initialize(revision: &str, capabilities: &Value) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": capabilities,
        "clientInfo": {"name": "tester", "version": "1"},
    });
    request(0, "initialize", params)
}

/// A session of a legacy client.
#[derive(Clone, Debug)]
pub(crate) struct LegacySession {
    pub(crate) address: SocketAddr,
    pub(crate) id: String,
    revision: String,
}

impl LegacySession {
    /// A session of a client with all capabilities.
    pub(crate) async fn open(server: &TestServer, revision: &str) -> Self {
        let able = json!({"sampling": {}, "elicitation": {}});
        let hello =
            TestRequest::post(initialize(revision, &able).to_string()).send(server.address).await;
        assert_eq!(hello.status, 200);
        let id = hello.header("mcp-session-id").unwrap().to_owned();
        let session = Self { address: server.address, id, revision: revision.into() };
        let ready = session.send(&notification("notifications/initialized", json!({}))).await;
        assert_eq!(ready.status, 202);
        session
    }

    /// A session with this id, whether or not it exists.
    pub(crate) fn named_by(address: SocketAddr, id: &str, revision: &str) -> Self {
        Self { address, id: id.into(), revision: revision.into() }
    }

    /// A message of this session.
    pub(crate) fn post(&self, body: &Value) -> TestRequest {
        self.named(TestRequest::post(body.to_string()))
    }

    /// A request with the headers of this session.
    pub(crate) fn named(&self, http_request: TestRequest) -> TestRequest {
        http_request
            .header("Mcp-Session-Id", &self.id)
            .header("MCP-Protocol-Version", &self.revision)
    }

    pub(crate) async fn send(&self, body: &Value) -> Answer {
        self.post(body).send(self.address).await
    }

    pub(crate) async fn request(
        &self,
        id: impl Into<Value>,
        method: &str,
        params: Value,
    ) -> Answer {
        self.send(&request(id, method, params)).await
    }

    pub(crate) async fn echo(&self, id: impl Into<Value>, text: &str) -> Value {
        let params = json!({"name": "echo", "arguments": {"text": text}});
        self.request(id, "tools/call", params).await.json().await
    }

    /// Begins a call of `run_steps` under its own name; its answer is a stream.
    pub(crate) async fn run_steps(&self, who: &str, steps: &[&str], answer: &str) -> Events {
        self.request(who, "tools/call", script(who, steps, answer)).await.events()
    }

    /// Opens the standing stream.
    pub(crate) async fn listen(&self) -> Events {
        self.named(TestRequest::get("/mcp")).send(self.address).await.events()
    }

    /// The events after the event with this id.
    pub(crate) async fn resume(&self, last: &str) -> Answer {
        self.named(TestRequest::get("/mcp")).header("Last-Event-ID", last).send(self.address).await
    }

    pub(crate) async fn delete(&self) -> Answer {
        self.named(TestRequest::new("DELETE", "/mcp")).send(self.address).await
    }
}

/// The `_meta` of a modern request.
pub(crate) fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A modern request with the headers it needs. Members of `params._meta` are kept.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> TestRequest {
    let mut meta = modern_meta();
    for (key, value) in params["_meta"].as_object().cloned().unwrap_or_default() {
        meta[key] = value;
    }
    params["_meta"] = meta;
    let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
    let name = name.map(str::to_owned);
    let http_request = TestRequest::post(request(id, method, params).to_string())
        .header("MCP-Protocol-Version", MODERN)
        .header("Mcp-Method", method);
    match name {
        Some(name) => http_request.header("Mcp-Name", name),
        None => http_request,
    }
}

/// The text in a tool's result.
pub(crate) fn said(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
