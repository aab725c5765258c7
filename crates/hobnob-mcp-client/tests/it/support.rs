//! Hosts, event handlers and notes that pass on to the test what reached them.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_client::{
    CallFailed, Client, ClientOptions, EventHandler, ForwardOptions, Host, Remote, ServerEvent,
};
use hobnob_mcp_engine::{
    Answers, BoxFuture, Call, Caller, ClientId, Note, NoteSink, Notes, Principal, TaskOffer,
};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{ErrorCode, Method, Params, Revision, RpcError};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Every revision, oldest first.
pub(crate) const ALL: [Revision; 5] = [
    Revision::V2024_11_05,
    Revision::V2025_03_26,
    Revision::V2025_06_18,
    Revision::V2025_11_25,
    Revision::V2026_07_28,
];

pub(crate) const LEGACY: Revision = Revision::V2025_11_25;
pub(crate) const MODERN: Revision = Revision::V2026_07_28;

pub(crate) fn options() -> ClientOptions {
    ClientOptions::new("tester", "1")
}

/// A handler that passes every event on.
pub(crate) struct EventQueue(mpsc::Sender<ServerEvent>);

impl EventQueue {
    pub(crate) fn new() -> (Self, mpsc::Receiver<ServerEvent>) {
        let (sender, receiver) = mpsc::channel(4096);
        (Self(sender), receiver)
    }
}

impl EventHandler for EventQueue {
    fn on_event(&self, event: ServerEvent) {
        let _no_receiver = self.0.try_send(event);
    }
}

/// The event in short form.
pub(crate) fn describe(event: &ServerEvent) -> String {
    match event {
        ServerEvent::ToolsChanged => "tools".into(),
        ServerEvent::PromptsChanged => "prompts".into(),
        ServerEvent::ResourcesChanged => "resources".into(),
        ServerEvent::ResourceUpdated(uri) => format!("resource {uri}"),
        ServerEvent::SubscriptionRefused(uri) => format!("unwatched {uri}"),
        ServerEvent::ElicitationComplete(id) => format!("elicited {id}"),
        ServerEvent::LogMessage(message) => format!("log {}", message.data.get()),
        ServerEvent::InvalidMessage(_) => "invalid".into(),
        ServerEvent::Progress(progress) => format!("progress {}", progress.progress),
        ServerEvent::Call(it) => it.event.to_json(),
        ServerEvent::Missed(events) => format!("missed {events}"),
        ServerEvent::Ended(_) => "ended".into(),
    }
}

/// A host with every capability that answers with a function.
pub(crate) struct Answering<F>(pub(crate) F);

/// The capabilities of a client that answers every kind of question.
pub(crate) fn able() -> ClientCapabilities {
    let able = json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}});
    serde_json::from_value(able).unwrap()
}

impl<F> Host for Answering<F>
where
    F: Fn(&InputRequest) -> Result<Value, RpcError> + Send + Sync + 'static,
{
    fn capabilities(&self) -> ClientCapabilities {
        able()
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let answer = (self.0)(question);
        Box::pin(
            async move { answer.map(|answer| serde_json::value::to_raw_value(&answer).unwrap()) },
        )
    }
}

/// Answers every kind of question in the usual way.
pub(crate) fn obliging(question: &InputRequest) -> Result<Value, RpcError> {
    Ok(match question {
        InputRequest::Elicit(_) => json!({"action": "accept", "content": {"name": "Ada"}}),
        InputRequest::CreateMessage(_) => {
            json!({"role": "assistant", "content": {"type": "text", "text": "42"}, "model": "m"})
        }
        InputRequest::ListRoots(_) => json!({"roots": [{"uri": "file:///home"}]}),
        InputRequest::Unknown(_) => return Err(refusal()),
    })
}

pub(crate) fn refusal() -> RpcError {
    RpcError::new(ErrorCode(-1), "the person said no")
}

/// Passes on the notes of one call, in short form.
pub(crate) struct Noting(mpsc::Sender<String>);

impl Noting {
    pub(crate) fn notes() -> (Notes, mpsc::Receiver<String>) {
        let (sender, receiver) = mpsc::channel(4096);
        (Notes::new(Arc::new(Self(sender))), receiver)
    }
}

impl NoteSink for Noting {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _: LoggingLevel) -> bool {
        true
    }

    fn send(&self, note: Note) {
        let text = match note {
            Note::Progress { progress, .. } => format!("progress {progress}"),
            Note::Event(event) => event.to_json(),
            Note::Log { data, .. } => format!("log {}", data.get()),
            Note::Pause { .. } | Note::Watch { .. } | Note::Unwatch { .. } => "other".into(),
        };
        let _no_receiver = self.0.try_send(text);
    }
}

/// A call as a gateway makes it.
pub(crate) fn call(method: Method, params: &str) -> Call {
    Call {
        method,
        params: Arc::new(Params::from_json(params.into()).unwrap()),
        caller: Caller {
            capabilities: Arc::new(able()),
            ..Caller::new(ClientId::OURSELVES, Principal::anonymous())
        },
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    }
}

pub(crate) fn client(remote: &Arc<Remote>, host: impl Host) -> Client {
    Client::new(Arc::clone(remote), Arc::new(host))
}

/// The texts of a tool's answer.
pub(crate) fn said(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|content| content.as_text());
    texts.collect::<Vec<_>>().join(" ")
}

/// Calls a tool with options that only a gateway would use.
pub(crate) async fn call_forwarded(
    client: &Client,
    params: String,
    forward: &ForwardOptions<'_>,
    notes: &Notes,
) -> Result<CallToolResult, CallFailed> {
    let text = client.call_raw(Method::ToolsCall, params, forward, notes).await?;
    Ok(serde_json::from_str(&text).unwrap())
}
