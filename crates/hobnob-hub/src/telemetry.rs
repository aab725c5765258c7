//! Reports the calls of a hub to its metrics and traces, in the terms of `hobnob-telemetry`.
//!
//! `compose` opens both and gives their observers to the gateway; `metrics_route` reads the metrics.
//! What must stay true: without `[metrics]` and `[traces]` there is no observer, so calls cost
//! nothing more.

use hobnob_config::{MetricsSettings, TraceSettings};
use hobnob_gateway::{CallObserver, ObservedCall, ObservedEnd};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::AuditOutcome;
use hobnob_telemetry::{
    BadEndpoint, ErrorType, Metrics, Operation, SpanExporter, SpanSender, TracedCall,
    TracedProgram, UpstreamOperation,
};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// The metrics of a hub with these settings; `None` if they are off. A
/// [`CallMetrics`] counts in them.
pub fn open_metrics(settings: &MetricsSettings) -> Option<Arc<Metrics>> {
    settings.enabled.then(|| Arc::new(Metrics::new(env!("CARGO_PKG_VERSION"))))
}

/// Counts every call of a gateway.
#[derive(Debug)]
pub struct CallMetrics(Arc<Metrics>);

impl CallMetrics {
    /// Counts in these metrics.
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self(metrics)
    }
}

impl CallObserver for CallMetrics {
    fn begun(&self, call: &Arc<ObservedCall>) {
        if let Some(tool) = tool(call) {
            self.0.tool_begun(tool);
        }
    }

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        self.0.ended(&operation(call, end));
    }
}

/// Sends the spans of every call of a gateway to the receiver of the settings.
///
/// The hub gives it to its gateway as an observer, and runs it until the last call has ended.
#[derive(Debug)]
pub struct CallTraces {
    sender: SpanSender,
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
        Ok(Some(Arc::new(Self { sender, exporter: Mutex::new(Some(exporter)) })))
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
        self.sender.send(&TracedCall {
            operation: operation(call, end),
            prompt: (call.method == Method::PromptsGet).then_some(&*call.target),
            at: SystemTime::from(call.at),
            revision: call.revision,
            traceparent: call.traceparent.as_deref(),
        });
    }
}

/// The public name of the tool. Names of prompts and resources are no labels: a URI can be
/// anything, and can be a secret.
fn tool(call: &ObservedCall) -> Option<&str> {
    (call.method == Method::ToolsCall).then_some(&*call.target)
}

fn operation<'a>(call: &'a ObservedCall, end: &ObservedEnd) -> Operation<'a> {
    let tool = tool(call);
    let upstream = call.server.as_deref().filter(|_| end.outcome != AuditOutcome::Refused);
    let upstream = upstream.map(|server| UpstreamOperation {
        server,
        tool: tool.map(|public| call.original.as_deref().unwrap_or(public)),
    });
    Operation {
        method: call.method.as_str(),
        tool,
        upstream,
        error: error_type(end.outcome),
        duration: end.duration,
        request_bytes: call.request_bytes,
        result_bytes: end.result_bytes,
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
