//! A view with a service that streams what the test says, and waits where the test says.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::{Limits, OutputStream, StreamEvent};
use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, Structured, ToolError, ToolReply, ToolSpec};
use hobnob_rpc::{MethodDirectory, MethodEntry, MethodSource, NativeRpc, RpcLimits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Far longer than any step takes, even on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// State that the tools share with the test.
#[derive(Default)]
pub(crate) struct Stage {
    /// Calls that are running now.
    running: AtomicUsize,
    /// Events that the tools have emitted.
    pub(crate) emitted: AtomicUsize,
    gate: Gate,
}

struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Stage {
    /// Lets one `wait` continue.
    pub(crate) fn open_gate(&self) {
        self.gate.0.add_permits(1);
    }

    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Waits until exactly this many calls are running.
    pub(crate) async fn until_running(&self, count: usize) {
        until(&format!("{count} calls run"), || self.running() == count).await;
    }
}

/// Polls until the condition holds.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let looking = async {
        let mut looks = tokio::time::interval(Duration::from_millis(2));
        while !is_so() {
            looks.tick().await;
        }
    };
    assert!(tokio::time::timeout(TIMEOUT, looking).await.is_ok(), "{what}: not after {TIMEOUT:?}");
}

struct RunningCall<'a>(&'a Stage);

impl<'a> RunningCall<'a> {
    fn new(stage: &'a Stage) -> Self {
        stage.running.fetch_add(1, Ordering::SeqCst);
        Self(stage)
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Execute {
    /// Steps: `say WORD`, `wait`, `flood COUNT`, `fail`, each on a line.
    command: String,
    /// The code it ends with.
    exit_code: Option<i32>,
}

async fn execute(arguments: Execute, context: Context<Arc<Stage>>) -> Result<ToolReply, ToolError> {
    let stage = context.state();
    let _running = RunningCall::new(stage);
    context.emit(StreamEvent::start()).await;
    for line in arguments.command.lines() {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("say", word) => context.emit(OutputStream::Stdout.event(format!("{word}\n"))).await,
            ("progress", done) => context.progress(done.parse()?, Some(3.0), None),
            ("wait", _) => stage.gate.0.acquire().await?.forget(),
            ("flood", count) => {
                for _ in 0..count.parse::<usize>()? {
                    context.emit(OutputStream::Stdout.event("x".repeat(1000))).await;
                    stage.emitted.fetch_add(1, Ordering::SeqCst);
                }
            }
            ("fail", why) => return Err(ToolError::failed(why)),
            other => return Err(ToolError::params(format!("no such step: {other:?}"))),
        }
    }
    let code = arguments.exit_code.unwrap_or(0);
    context.emit(StreamEvent::complete().with("exit_code", &code)).await;
    Ok(ToolReply::Text("done".into()))
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Once {
    /// The text that comes back as it is.
    text: String,
}

fn kits(stage: &Arc<Stage>) -> [KitBuilder<Arc<Stage>>; 2] {
    let bash = Kit::service("bash").with_state(Arc::clone(stage)).tool(
        "execute",
        ToolSpec::new("Execute steps"),
        execute,
    );
    let echo = Kit::service("echo")
        .with_state(Arc::clone(stage))
        .tool("once", ToolSpec::new("Say it once"), async |once: Once| once.text)
        .tool("data", ToolSpec::new("Say it as data"), async |once: Once| Structured(once));
    [bash, echo]
}

struct FixedMethods(Arc<MethodDirectory>);

impl MethodSource for FixedMethods {
    fn directory(&self) -> Arc<MethodDirectory> {
        Arc::clone(&self.0)
    }
}

/// A server with the name `substrate`, and the stage of its tools.
pub(crate) fn view(limits: RpcLimits) -> (Server, Arc<Stage>) {
    let stage: Arc<Stage> = Arc::default();
    let builder = Server::builder("substrate", "1")
        .limits(Limits { drain: Duration::ZERO, ..Limits::default() });
    let builder = kits(&stage).into_iter().fold(builder, |builder, kit| builder.kit(kit));
    let server = builder.build().unwrap();
    let entries = server.toolbox().unwrap().lists().tools().into_iter().map(|tool| {
        let (service, method) = tool.key.split_once('_').unwrap();
        MethodEntry {
            service: service.into(),
            method: method.into(),
            tool: tool.key.to_string(),
            definition: tool.json.into(),
        }
    });
    let methods = Arc::new(FixedMethods(Arc::new(MethodDirectory::new(entries))));
    server.set_other_methods(Arc::new(NativeRpc::new("substrate", methods, limits)));
    (server, stage)
}

/// The hash of a method in this view.
pub(crate) fn hash_of(method: &str) -> String {
    let (server, _) = view(RpcLimits::default());
    let tools = server.toolbox().unwrap().lists().tools();
    let (service, name) = method.split_once('.').unwrap();
    let tool = tools.into_iter().find(|tool| *tool.key == format!("{service}_{name}")).unwrap();
    let directory = MethodDirectory::new([MethodEntry {
        service: service.into(),
        method: name.into(),
        tool: tool.key.into(),
        definition: tool.json.into(),
    }]);
    directory.method(method).unwrap().hash.clone()
}

/// Connects with a small receive buffer: the server soon notices a client that does not read.
pub(crate) async fn connect_with_small_buffer(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(address).await.unwrap()
}

/// A view that listens on a local port.
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) stage: Arc<Stage>,
    pub(crate) server: Server,
    _serving: JoinSet<()>,
}

/// Serves a view over HTTP and WebSocket.
pub(crate) async fn listen(limits: RpcLimits, options: HttpOptions) -> Listening {
    let (server, stage) = view(limits);
    let listener = bind("127.0.0.1:0".parse().unwrap(), &options).await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut serving = JoinSet::new();
    let serves = server.clone();
    serving.spawn(async move {
        serve_http(&serves, listener, options, serves.stopping()).await.unwrap();
    });
    Listening { address, stage, server, _serving: serving }
}
