//! Reports the calls of a hub to its metrics and traces, in the terms of `hobnob-telemetry`.
//!
//! `compose` opens both and gives their observers to the gateway; `metrics_route` reads the metrics.
//! What must stay true: without `[metrics]` and `[traces]` there is no observer, so calls cost
//! nothing more.

use hobnob_config::{MetricsSettings, TraceSettings};
use hobnob_gateway::{
    CallObserver, ConnectionEnd, ObservedCall, ObservedConnection, ObservedEnd, ServerPlace,
};
use hobnob_mcp_engine::{CallTrace, EndedSession};
use hobnob_mcp_types::{Era, Method, Revision};
use hobnob_policy::audit::AuditOutcome;
use hobnob_telemetry::{
    BadEndpoint, ErrorType, Metrics, Operation, PeerLink, SessionEnd, SpanExporter, SpanIds,
    SpanSender, TracedCall, TracedClient, TracedProgram, Transport, UpstreamConnection,
    UpstreamOperation,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// The metrics of a hub with these settings; `None` if they are off. A
/// [`CallMetrics`] counts in them.
pub fn open_metrics(settings: &MetricsSettings) -> Option<Arc<Metrics>> {
    settings.enabled.then(|| Arc::new(Metrics::new(env!("CARGO_PKG_VERSION"))))
}

/// The most servers whose connections are kept; more are reported without an address.
const MAX_SERVERS: usize = 1000;

/// How each server was connected last.
#[derive(Debug, Default)]
struct KnownConnections(Mutex<HashMap<Box<str>, Arc<UpstreamConnection>>>);

impl KnownConnections {
    fn add(&self, connection: &ObservedConnection) {
        let mut known = self.0.lock();
        if known.len() < MAX_SERVERS || known.contains_key(&connection.server) {
            known.insert(connection.server.clone(), Arc::new(reported(connection)));
        }
    }

    fn get(&self, server: Option<&str>) -> Option<Arc<UpstreamConnection>> {
        self.0.lock().get(server?).cloned()
    }
}

fn reported(connection: &ObservedConnection) -> UpstreamConnection {
    let revision = connection.revision.as_str();
    let (transport, address) = match &connection.place {
        ServerPlace::Pipe => (Transport::Pipe, None),
        ServerPlace::Http(address) => (Transport::Http, address.clone()),
    };
    UpstreamConnection { link: PeerLink { transport, revision }, address }
}

/// Counts every call of a gateway.
#[derive(Debug)]
pub struct CallMetrics {
    metrics: Arc<Metrics>,
    connections: KnownConnections,
}

impl CallMetrics {
    /// Counts in these metrics.
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, connections: KnownConnections::default() }
    }
}

impl CallObserver for CallMetrics {
    fn begun(&self, call: &Arc<ObservedCall>) {
        if let Some(tool) = tool(call) {
            self.metrics.tool_begun(tool);
        }
    }

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        let connection = self.connections.get(call.server.as_deref());
        self.metrics.ended(&operation(call, end, connection.as_deref()));
    }

    fn server_connected(&self, connection: &ObservedConnection) {
        self.connections.add(connection);
    }

    fn server_disconnected(&self, connection: &ObservedConnection, end: ConnectionEnd) {
        let how = if end.was_lost { SessionEnd::Lost } else { SessionEnd::Closed };
        let reported = reported(connection);
        self.metrics.server_session_ended(&connection.server, &reported, end.duration, how);
    }

    fn session_ended(&self, session: &EndedSession) {
        let transport = transport(session.client.is_pipe());
        let link = PeerLink { transport, revision: session.revision.as_str() };
        self.metrics.client_session_ended(link, session.duration);
    }
}

/// Sends the spans of every call of a gateway to the receiver of the settings.
///
/// The hub gives it to its gateway as an observer, and runs it until the last call has ended.
#[derive(Debug)]
pub struct CallTraces {
    sender: SpanSender,
    connections: KnownConnections,
    /// Taken by the task that runs it.
    exporter: Mutex<Option<SpanExporter>>,
}

impl CallTraces {
    /// The traces of a hub with these settings; `None` if they are off. `instance` identifies the
    /// hub.
    ///
    /// # Errors
    /// When the address of the receiver is none.
    pub fn open(
        settings: &TraceSettings,
        instance: &str,
    ) -> Result<Option<Arc<Self>>, BadEndpoint> {
        let Some(endpoint) = &settings.endpoint else { return Ok(None) };
        let program =
            TracedProgram { version: env!("CARGO_PKG_VERSION"), instance: instance.to_owned() };
        let (sender, exporter) = SpanExporter::new(endpoint, program)?;
        let (connections, exporter) = (KnownConnections::default(), Mutex::new(Some(exporter)));
        Ok(Some(Arc::new(Self { sender, connections, exporter })))
    }

    /// Posts spans until the hub cancels `stop`, then posts the rest. Only the first run does
    /// anything.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let exporter = self.exporter.lock().take();
        if let Some(exporter) = exporter {
            exporter.run(stop).await;
        }
    }
}

impl CallObserver for CallTraces {
    fn begun(&self, _call: &Arc<ObservedCall>) {}

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        // Of a caller that does not record its trace, ours would be a piece without a beginning.
        let Some(trace) = call.trace.as_deref().filter(|trace| trace.flags.is_recorded()) else {
            return;
        };
        let connection = self.connections.get(call.server.as_deref());
        let is_legacy = Revision::parse(call.revision).is_some_and(|it| it.era() == Era::Legacy);
        self.sender.send(&TracedCall {
            operation: operation(call, end, connection.as_deref()),
            prompt: (call.method == Method::PromptsGet).then_some(&*call.target),
            memory_operation: memory_operation(call)
                .filter(|_| end.outcome != AuditOutcome::Refused),
            at: SystemTime::from(call.at),
            ids: ids(trace),
            client: TracedClient {
                address: call.client_id.address(),
                // The conventions: a request of a revision without sessions has none.
                session: is_legacy.then(|| call.client_id.pseudonym()),
            },
        });
    }

    fn records_traces(&self) -> bool {
        true
    }

    fn server_connected(&self, connection: &ObservedConnection) {
        self.connections.add(connection);
    }
}

fn ids(trace: &CallTrace) -> SpanIds<'_> {
    SpanIds {
        trace: trace.trace.number().get(),
        parent: trace.parent.map(|parent| parent.number().get()),
        server: trace.server_span.number().get(),
        client: trace.client_span.number().get(),
        tracestate: trace.tracestate.as_deref(),
    }
}

/// The public name of the tool. Names of prompts and resources are no labels: a URI can be
/// anything, and can be a secret.
fn tool(call: &ObservedCall) -> Option<&str> {
    (call.method == Method::ToolsCall).then_some(&*call.target)
}

/// What a built-in tool does with memories, in the words of the conventions for memory.
fn memory_operation(call: &ObservedCall) -> Option<&'static str> {
    let tool = tool(call).filter(|_| call.server.is_none())?;
    Some(match call.original.as_deref().unwrap_or(tool).strip_prefix("memory_")? {
        // A capture of what is known already adds to the memory that is there.
        "capture" | "import" => "upsert_memory",
        "recall" | "list" | "get" => "search_memory",
        "update" | "restore" | "enrich" | "consolidate" => "update_memory",
        "delete" | "gc" => "delete_memory",
        _ => return None,
    })
}

fn transport(is_pipe: bool) -> Transport {
    match is_pipe {
        true => Transport::Pipe,
        false => Transport::Http,
    }
}

fn operation<'a>(
    call: &'a ObservedCall,
    end: &ObservedEnd,
    connection: Option<&'a UpstreamConnection>,
) -> Operation<'a> {
    let tool = tool(call);
    let upstream = call.server.as_deref().filter(|_| end.outcome != AuditOutcome::Refused);
    let upstream = upstream.map(|server| UpstreamOperation {
        server,
        tool: tool.map(|public| call.original.as_deref().unwrap_or(public)),
        connection,
    });
    Operation {
        method: call.method.as_str(),
        tool,
        upstream,
        error: error_type(end.outcome),
        duration: end.duration,
        request_bytes: call.request_bytes,
        result_bytes: end.result_bytes,
        link: PeerLink { transport: transport(call.client_id.is_pipe()), revision: call.revision },
    }
}

fn error_type(outcome: AuditOutcome) -> Option<ErrorType> {
    match outcome {
        AuditOutcome::Ok | AuditOutcome::Begun => None,
        AuditOutcome::ToolError => Some(ErrorType::Tool),
        AuditOutcome::Error(code) => Some(ErrorType::Code(code)),
        AuditOutcome::Cancelled
        | AuditOutcome::Timeout
        | AuditOutcome::Refused
        | AuditOutcome::UpstreamLost => Some(ErrorType::Unanswered(outcome.as_str())),
    }
}
