//! Our own server at the other end of a socket, in every revision and with all its features.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper that fails must fail the test that uses it"
)]

use crate::support::{
    ALL, Answering, EventQueue, MODERN, Noting, call, client, describe, obliging, said,
};
use hobnob_mcp_client::{
    ClientOptions, Connection, EraHint, ForwardOptions, Forwarded, Host, ListKind, Remote,
    ServerEvent, connect_lines,
};
use hobnob_mcp_engine::{Call, Caller, Notes, Outcome, OutputStream};
use hobnob_mcp_server::{Server, serve_link};
use hobnob_mcp_toolbox::{Context, Kit, ResourceSpec, TaskMode, ToolSpec};
use hobnob_mcp_transport::{LineLimits, link_over};
use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::form_field::StringSchema;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use hobnob_mcp_types::{Method, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::TaskTracker;

#[derive(Debug, Deserialize, JsonSchema)]
struct Saying {
    /// What to say.
    text: String,
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(format!("The tool {name}."))
}

pub(crate) fn form() -> ElicitParams {
    ElicitParams::form("Who?", FormSchema::new().optional("name", StringSchema::default()))
}

pub(crate) fn sampling() -> CreateMessageParams {
    CreateMessageParams::new(vec![SamplingMessage::user(SamplingContent::text("how many?"))], 10)
}

/// A server with every feature.
pub(crate) fn test_server() -> Server {
    let mirrored = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
    }});
    let kit = Kit::plain("test")
        .tool("echo", spec("echo"), async |saying: Saying| saying.text)
        .tool("work", spec("work"), async |context: Context| {
            context.progress(1.0, Some(2.0), None);
            context.output(OutputStream::Stderr, "\"oh\"\n");
            context.log(LoggingLevel::Info, &"half way");
            context.progress(3.0, Some(3.0), None);
            "worked"
        })
        .tool("mirror", spec("mirror").schema(mirrored), async |arguments: serde_json::Value| {
            arguments.to_string()
        })
        .tool("asks", spec("asks"), async |context: Context| {
            let roots = context.roots("where")?.roots.len();
            let model = context.sample("model", sampling())?.model;
            Ok(format!("{roots} roots, {model}"))
        })
        .tool("person", spec("person"), async |context: Context| {
            Ok(format!("{:?}", context.elicit_with("who", form())?.action))
        })
        .tool("must", spec("must").tasks(TaskMode::Required), async || "built")
        .tool("must_ask", spec("must_ask").tasks(TaskMode::Required), async |context: Context| {
            Ok(format!("{:?}", context.elicit_with("who", form())?.action))
        })
        .resource(
            "test://one",
            ResourceSpec::new("one").description("The first."),
            async || "first",
        )
        .template("test://n/{n}", "n", async |numbered: Numbered| numbered.n)
        .prompt("greet", "Greets.", async |greet: Greet| format!("hello {}", greet.name));
    Server::builder("test-server", "1").kit(kit).build().unwrap()
}

#[derive(Deserialize, JsonSchema)]
struct Numbered {
    /// Which one.
    n: String,
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom.
    name: String,
}

/// One connection to a server.
pub(crate) struct TestConnection {
    pub(crate) remote: Arc<Remote>,
    pub(crate) events: mpsc::Receiver<ServerEvent>,
    pub(crate) tasks: TaskTracker,
    pub(crate) serving: JoinSet<()>,
}

pub(crate) fn new_connection(
    era: EraHint,
    host: impl Host,
) -> (Connection, mpsc::Receiver<ServerEvent>, TaskTracker) {
    let (handler, received) = EventQueue::new();
    let tasks = TaskTracker::new();
    let options = ClientOptions { era, ..crate::support::options() };
    let events = Arc::new(handler);
    (Connection { host: Arc::new(host), events, options, tasks: tasks.clone() }, received, tasks)
}

impl TestConnection {
    pub(crate) async fn open(server: &Server, era: EraHint, host: impl Host) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (connection, events, tasks) = new_connection(era, host);
        let (read, write) = theirs.into_split();
        let link = link_over(read, write, LineLimits::default(), &tasks);
        let mut serving = JoinSet::new();
        let server = server.clone();
        serving.spawn(async move { serve_link(&server, link).await });
        let (read, write) = ours.into_split();
        let remote = with_timeout(connect_lines(connection, read, write)).await.unwrap();
        Self { remote, events, tasks, serving }
    }

    /// Closes the connection and waits until everything that ran for it has ended.
    pub(crate) async fn close(mut self) {
        self.remote.close();
        drop(self.remote);
        self.tasks.close();
        with_timeout(self.tasks.wait()).await;
        while let Some(ended) = with_timeout(self.serving.join_next()).await {
            ended.unwrap();
        }
    }
}

/// Turns a test that hangs into a failure.
pub(crate) async fn with_timeout<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("it hangs")
}

/// Repeats `trigger` until the handler gets the event: nothing says when a subscription is active.
async fn until_event(events: &mut mpsc::Receiver<ServerEvent>, wanted: &str, trigger: impl Fn()) {
    let waiting = async {
        loop {
            trigger();
            let next = tokio::time::timeout(Duration::from_millis(20), events.recv()).await;
            if next.is_ok_and(|event| event.is_some_and(|event| describe(&event) == wanted)) {
                return;
            }
        }
    };
    with_timeout(waiting).await;
}

/// Uses every feature of a server, in any revision and over any transport.
pub(crate) async fn exercise_all_features(server: &Server, connection: &mut TestConnection) {
    let remote = &connection.remote;
    let revision = remote.hello().revision;
    let client = client(remote, Answering(obliging));
    let silent = Notes::silent();
    assert_eq!(remote.hello().implementation.name, "test-server");

    let tools = client.tools().await.unwrap();
    assert_eq!(tools.len(), 7);
    let echo =
        client.call_tool_text("echo", Some(r#"{"text":"Ä\n\"x\""}"#), &silent).await.unwrap();
    assert_eq!(said(&echo), "Ä\n\"x\"");
    let arguments = r#"{"region":"Zürich ","count":9007199254740991}"#;
    let mirrored = client.call_tool_text("mirror", Some(arguments), &silent).await.unwrap();
    assert!(said(&mirrored).contains("Zürich "));
    let unknown = client.call_tool_text("no such", None, &silent).await.unwrap_err();
    assert!(unknown.to_string().contains("no such"), "{unknown}");

    let read = client.read_resource("test://one").await.unwrap();
    assert_eq!(read.contents[0].uri(), "test://one");
    assert!(client.read_resource("test://n/5").await.is_ok());
    assert!(client.read_resource("test://two").await.is_err());
    assert_eq!(remote.list(ListKind::Resources).await.unwrap().len(), 1);
    assert_eq!(remote.list(ListKind::Templates).await.unwrap().len(), 1);
    assert_eq!(remote.list(ListKind::Prompts).await.unwrap().len(), 1);
    let prompt = client.get_prompt("greet", &serde_json::json!({"name": "Ada"})).await.unwrap();
    assert_eq!(prompt.messages[0].content.as_text(), Some("hello Ada"));

    let (notes, mut noted) = Noting::notes();
    let worked = client.call_tool_text("work", None, &notes).await.unwrap();
    assert_eq!(said(&worked), "worked");
    let mut received = Vec::new();
    while let Ok(note) = noted.try_recv() {
        received.push(note);
    }
    // The stream's name is sent from 2025-06-18 on; before, its text is a progress message.
    let written = received.iter().any(|note| note == r#"{"type":"stderr","data":"\"oh\"\n"}"#);
    assert_eq!(written, revision >= Revision::V2025_06_18, "{revision}: {received:?}");
    received.retain(|note| note.starts_with("progress"));
    assert_eq!(received.last().map(String::as_str), Some("progress 3"), "{revision}");

    let asked = client.call_tool_text("asks", None, &silent).await.unwrap();
    assert_eq!(said(&asked), "1 roots, m", "{revision}");

    let toolbox = server.toolbox().unwrap();
    until_event(&mut connection.events, "tools", || toolbox.notify_tools_changed()).await;
    until_event(&mut connection.events, "prompts", || toolbox.notify_prompts_changed()).await;
    until_event(&mut connection.events, "resources", || toolbox.notify_resources_changed()).await;
    assert!(remote.can_subscribe());
    remote.watch(["test://one".into()].into());
    let updated = || toolbox.notify_resource_updated("test://one");
    until_event(&mut connection.events, "resource test://one", updated).await;
}

#[tokio::test]
async fn every_revision_over_a_socket() {
    let server = test_server();
    for revision in ALL {
        let era = EraHint::Only(revision);
        let mut connection = TestConnection::open(&server, era, Answering(obliging)).await;
        assert_eq!(connection.remote.hello().revision, revision);
        with_timeout(exercise_all_features(&server, &mut connection)).await;
        assert_eq!(connection.remote.parked(), 0);
        connection.close().await;
    }
}

/// By default both ends speak the newest revision; with a hint, the older one.
#[tokio::test]
async fn our_server_is_modern_unless_greeted_otherwise() {
    let server = test_server();
    for (hint, revision) in [
        (EraHint::Unknown, MODERN),
        (EraHint::Modern, MODERN),
        (EraHint::Legacy, Revision::NEWEST_LEGACY),
    ] {
        let connection = TestConnection::open(&server, hint, Answering(obliging)).await;
        assert_eq!(connection.remote.hello().revision, revision);
        connection.close().await;
    }
}

/// A legacy server gets the level before the call; a modern call carries it.
#[tokio::test]
async fn a_caller_that_wants_log_messages_gets_them() {
    let server = test_server();
    for revision in ALL {
        let connection =
            TestConnection::open(&server, EraHint::Only(revision), Answering(obliging)).await;
        for (log_level, wanted) in [(None, false), (Some(LoggingLevel::Debug), true)] {
            if revision != MODERN && log_level.is_none() {
                // Until the client sets a level, a legacy server may log what it likes.
                continue;
            }
            let (notes, mut noted) = Noting::notes();
            let plain = call(Method::ToolsCall, r#"{"name":"work"}"#);
            let caller = Caller { log_level, ..plain.caller.clone() };
            let call = Call { caller, ..plain };
            let forward = ForwardOptions::default();
            let done =
                with_timeout(connection.remote.forward(&call, &forward, &notes)).await.unwrap();
            assert!(matches!(done, Forwarded::Outcome(Outcome::Complete(_))));
            let mut received = Vec::new();
            while let Ok(note) = noted.try_recv() {
                received.push(note);
            }
            let logged = received.iter().any(|note| note == r#"log "half way""#);
            assert_eq!(logged, wanted, "{revision}: {received:?}");
        }
        connection.close().await;
    }
}
