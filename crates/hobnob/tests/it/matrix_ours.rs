//! The matrix's plan with our own client, in any revision.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_client::{
    Client, ClientOptions, Connection, EraHint, EventHandler, ForwardOptions, Host, Remote,
    ServerEvent, connect_http, connect_lines, connect_sse, http_target,
};
use hobnob_mcp_engine::{BoxFuture, Note, NoteSink, Notes};
use hobnob_mcp_process::child::{Child, ChildSpec, StopGrace, Supervision};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{ErrorCode, Method, Revision, RpcError};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;

use crate::program::{PROGRAM, within};

/// How long an update may take before the resource is touched once more.
const MOMENT: Duration = Duration::from_millis(500);

/// How long a step that repeats itself does so.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Goes through the plan over the pipes of a Hobnob of its own.
pub(crate) async fn over_stdio(revision: Revision, home: &Path, steps: &Value) -> Vec<Value> {
    let own = ("HOBNOB_HOME".into(), home.into());
    let inherited = std::env::vars_os().filter(|(name, _)| name != "RUST_LOG");
    let spec = ChildSpec {
        program: PROGRAM.into(),
        args: vec!["serve".into()],
        env: inherited.chain([own]).collect(),
        cwd: Some(home.into()),
        supervision: Supervision::Group,
    };
    let (child, pipes) = Child::spawn(&spec).unwrap();
    let (connection, received) = connection(revision);
    let tasks = connection.tasks.clone();
    let connecting = connect_lines(connection, pipes.stdout, pipes.stdin);
    let remote = within("the greeting", connecting).await.unwrap();
    let seen = run_steps(remote, received, tasks, steps).await;
    child.stop(StopGrace::default()).await;
    seen
}

/// Goes through the plan over HTTP; the oldest revision knows only HTTP+SSE.
pub(crate) async fn over_http(revision: Revision, url: &str, steps: &Value) -> Vec<Value> {
    let (connection, received) = connection(revision);
    let tasks = connection.tasks.clone();
    let remote = if revision == Revision::V2024_11_05 {
        let target = http_target(&url.replace("/mcp", "/sse"), []).unwrap();
        within("the greeting", connect_sse(connection, target)).await.unwrap()
    } else {
        let target = http_target(url, []).unwrap();
        within("the greeting", connect_http(connection, target)).await.unwrap()
    };
    run_steps(remote, received, tasks, steps).await
}

fn connection(revision: Revision) -> (Connection, mpsc::Receiver<Box<str>>) {
    let (sender, received) = mpsc::channel(4096);
    let mut options = ClientOptions::new("matrix-ours", "1");
    options.era = EraHint::Only(revision);
    options.timeouts.handshake = TIMEOUT;
    let (host, events) = (Arc::new(AnswersEverything), Arc::new(UpdateReceiver(sender)));
    (Connection { host, events, options, tasks: TaskTracker::new() }, received)
}

async fn run_steps(
    remote: Arc<Remote>,
    received: mpsc::Receiver<Box<str>>,
    tasks: TaskTracker,
    steps: &Value,
) -> Vec<Value> {
    let mut plan_client =
        PlanClient { client: Client::new(remote, Arc::new(AnswersEverything)), received };
    let mut seen = Vec::new();
    for step in steps.as_array().unwrap() {
        let saw = plan_client.act(step).await.unwrap_or_else(|error| format!("error: {error}"));
        seen.push(json!({"server": step["server"], "what": step["what"], "saw": saw}));
    }
    plan_client.client.remote().close();
    drop(plan_client);
    tasks.close();
    within("the end of the connection", tasks.wait()).await;
    seen
}

struct PlanClient {
    client: Client,
    received: mpsc::Receiver<Box<str>>,
}

impl PlanClient {
    async fn act(&mut self, step: &Value) -> Result<String, Box<dyn std::error::Error>> {
        let silent = Notes::silent();
        match step["act"].as_str().unwrap() {
            "revision" => Ok(self.client.remote().hello().revision.as_str().into()),
            "list" => self.list(step["prefix"].as_str().unwrap()).await,
            "call" => Ok(called(&self.ask(Method::ToolsCall, named(step), &silent).await?)),
            "read" => {
                let params = json!({"uri": step["uri"]});
                Ok(contents(&self.ask(Method::ResourcesRead, params, &silent).await?))
            }
            "watch" => self.watch(step).await,
            "cancel" => self.cancel(step).await,
            "prompt" => {
                let result = self.ask(Method::PromptsGet, named(step), &silent).await?;
                Ok(texts(result["messages"].as_array().unwrap().iter().map(|it| &it["content"])))
            }
            "complete" => {
                let params = json!({
                    "ref": {"type": "ref/prompt", "name": step["name"]},
                    "argument": {"name": step["argument"], "value": step["value"]},
                });
                let result = self.ask(Method::Complete, params, &silent).await?;
                let values = result["completion"]["values"].as_array().unwrap().iter();
                Ok(values.filter_map(Value::as_str).collect::<Vec<_>>().join(","))
            }
            other => panic!("no such act: {other}"),
        }
    }

    async fn ask(
        &self,
        method: Method,
        params: Value,
        notes: &Notes,
    ) -> Result<Value, Box<dyn std::error::Error>> {
        let forward = ForwardOptions::default();
        let text = self.client.call_raw(method, params.to_string(), &forward, notes).await?;
        Ok(serde_json::from_str(&text)?)
    }

    async fn list(&self, prefix: &str) -> Result<String, Box<dyn std::error::Error>> {
        let tools = self.client.tools().await?;
        let ours = tools.iter().filter(|tool| tool.name.starts_with(prefix));
        Ok(ours.count().to_string())
    }

    async fn watch(&mut self, step: &Value) -> Result<String, Box<dyn std::error::Error>> {
        let uri: Box<str> = step["uri"].as_str().unwrap().into();
        let remote = Arc::clone(self.client.remote());
        remote.watch([uri.clone()].into());
        let end = Instant::now() + TIMEOUT;
        let mut seen = "nothing";
        for attempt in 1.. {
            let filled = named(step).to_string().replace("{attempt}", &attempt.to_string());
            let params = serde_json::from_str(&filled)?;
            self.ask(Method::ToolsCall, params, &Notes::silent()).await?;
            let update = async { while self.received.recv().await.is_some_and(|it| it != uri) {} };
            if timeout(MOMENT, update).await.is_ok() {
                seen = "updated";
            }
            if seen == "updated" || end < Instant::now() {
                break;
            }
        }
        remote.watch([].into());
        Ok(seen.into())
    }

    /// Begins a call, takes it back as soon as it is known to run.
    async fn cancel(&self, step: &Value) -> Result<String, Box<dyn std::error::Error>> {
        let (sender, mut running) = mpsc::channel(1);
        let notes = Notes::new(Arc::new(ProgressReceiver(sender)));
        tokio::select! {
            done = self.ask(Method::ToolsCall, named(step), &notes) => {
                Ok(format!("finished: {}", called(&done?)))
            }
            _ = running.recv() => Ok("cancelled".into()),
        }
    }
}

fn named(step: &Value) -> Value {
    json!({"name": step["name"], "arguments": step["arguments"]})
}

pub(crate) fn called(result: &Value) -> String {
    let said = texts(result["content"].as_array().unwrap().iter());
    if result["isError"] == true { format!("failed: {said}") } else { said }
}

pub(crate) fn contents(result: &Value) -> String {
    let parts = result["contents"].as_array().unwrap().iter();
    let part = |part: &Value| {
        format!("{} {}", part["uri"].as_str().unwrap(), part["text"].as_str().unwrap())
    };
    parts.map(part).collect::<Vec<_>>().join("\n")
}

pub(crate) fn texts<'a>(parts: impl Iterator<Item = &'a Value>) -> String {
    let text = |part: &'a Value| part["text"].as_str().unwrap_or("[something else]");
    parts.map(text).collect::<Vec<_>>().join("\n")
}

/// Answers everything a server may ask.
struct AnswersEverything;

impl Host for AnswersEverything {
    fn capabilities(&self) -> ClientCapabilities {
        let able = json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}}});
        serde_json::from_value(able).unwrap()
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let answer = match question {
            InputRequest::Elicit(_) => json!({"action": "accept", "content": {"name": "Ada"}}),
            InputRequest::CreateMessage(_) => json!({
                "role": "assistant",
                "model": "abacus",
                "content": {"type": "text", "text": "forty-two"},
            }),
            InputRequest::ListRoots(_) => json!({"roots": [{"uri": "file:///home"}]}),
            InputRequest::Unknown(_) => {
                let error = RpcError::new(ErrorCode::METHOD_NOT_FOUND, "what a question");
                return Box::pin(std::future::ready(Err(error)));
            }
        };
        Box::pin(std::future::ready(Ok(to_raw_value(&answer).unwrap())))
    }
}

/// Passes on which resources changed.
struct UpdateReceiver(mpsc::Sender<Box<str>>);

impl EventHandler for UpdateReceiver {
    fn on_event(&self, event: ServerEvent) {
        if let ServerEvent::ResourceUpdated(uri) = event {
            let _full = self.0.try_send(uri);
        }
    }
}

/// Passes on that there was progress.
struct ProgressReceiver(mpsc::Sender<()>);

impl NoteSink for ProgressReceiver {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        if matches!(note, Note::Progress { .. }) {
            let _full = self.0.try_send(());
        }
    }
}
