//! The metrics of a hub: what it counts while it runs, and the page that Prometheus reads.
//!
//! The hub's observer of calls counts, its route `/metrics` renders. What must stay true: counting
//! never waits for a reader of the page.

use crate::bounded_series::{BoundedSeries, OTHER, OperationLabels, short};
use crate::counter::NamedCounter;
use crate::figures::HubFigures;
use crate::operation::{ErrorType, Operation, PeerLink, UpstreamConnection};
use crate::session_series::{SessionEnd, SessionLabels, SessionSeries};
use parking_lot::Mutex;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

/// The media type of the page: the text format that every Prometheus reads.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The most names of tools that are kept; more become `other`.
const MAX_TOOLS: usize = 500;

/// The page cannot be written, since a figure has no form in the text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a figure cannot be written in the text format of Prometheus")]
pub struct NotRendered;

impl From<fmt::Error> for NotRendered {
    fn from(_: fmt::Error) -> Self {
        Self
    }
}

type ByMethod = Family<[(&'static str, &'static str); 1], NamedCounter>;

/// The metrics of a hub.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    server: BoundedSeries,
    client: BoundedSeries,
    client_sessions: SessionSeries,
    server_sessions: SessionSeries,
    /// Public names of tools that ran: callers can invent any number of others.
    tools: Mutex<HashSet<Box<str>>>,
    request_bytes: ByMethod,
    response_bytes: ByMethod,
}

impl Metrics {
    /// Metrics that have counted nothing, of a hub of this version.
    #[must_use]
    pub fn new(version: &'static str) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            server: BoundedSeries::new(),
            client: BoundedSeries::new(),
            client_sessions: SessionSeries::new(),
            server_sessions: SessionSeries::new(),
            tools: Mutex::default(),
            request_bytes: ByMethod::default(),
            response_bytes: ByMethod::default(),
        };
        metrics.register(version);
        metrics
    }

    fn register(&mut self, version: &'static str) {
        let registry = &mut self.registry;
        let build = Family::<[(&str, &str); 1], Gauge>::default();
        build.get_or_create(&[("version", version)]).set(1);
        registry.register("hobnob_build_info", "The version of the hub; always 1", build);
        registry.register_with_unit(
            "mcp_server_operation_duration",
            "The duration of calls that clients made, from the request to the answer",
            Unit::Seconds,
            self.server.family(),
        );
        registry.register_with_unit(
            "mcp_client_operation_duration",
            "The duration of calls that went on to a server",
            Unit::Seconds,
            self.client.family(),
        );
        registry.register_with_unit(
            "mcp_server_session_duration",
            "The duration of sessions of clients that have ended",
            Unit::Seconds,
            self.client_sessions.family(),
        );
        registry.register_with_unit(
            "mcp_client_session_duration",
            "The duration of connections to servers that have ended",
            Unit::Seconds,
            self.server_sessions.family(),
        );
        registry.register(
            "hobnob_request_bytes_total",
            "Bytes of the parameters of calls that have ended",
            self.request_bytes.clone(),
        );
        registry.register(
            "hobnob_response_bytes_total",
            "Bytes of the results of calls that have ended",
            self.response_bytes.clone(),
        );
    }

    /// A permitted call of this tool begins, so there is such a tool.
    pub fn tool_begun(&self, tool: &str) {
        let mut tools = self.tools.lock();
        if tools.len() < MAX_TOOLS && !tools.contains(tool) {
            tools.insert(tool.into());
        }
    }

    /// A call has ended.
    pub fn ended(&self, operation: &Operation<'_>) {
        let method = operation.method;
        let label = [("mcp_method_name", method)];
        self.request_bytes.get_or_create(&label).add(operation.request_bytes);
        self.response_bytes.get_or_create(&label).add(operation.result_bytes);
        let error = operation.error.map(ErrorType::text);
        let tool = operation.tool.map(|tool| match self.tools.lock().contains(tool) {
            true => tool,
            false => OTHER,
        });
        let has_code = matches!(operation.error, Some(ErrorType::Code(_)));
        let labels = OperationLabels::new(method, None, tool, error.as_deref());
        let link = Some(operation.link);
        self.server.observe(OperationLabels { has_code, link, ..labels }, operation.duration);
        if let Some(upstream) = operation.upstream {
            let server = Some(upstream.server);
            let labels = OperationLabels::new(method, server, upstream.tool, error.as_deref());
            let connection = upstream.connection;
            let address = connection.and_then(|it| it.address.as_ref());
            let labels = OperationLabels {
                has_code,
                link: connection.map(|it| it.link),
                address: address.map(|(host, port)| (short(host), *port)),
                ..labels
            };
            self.client.observe(labels, operation.duration);
        }
    }

    /// The session of a client has ended.
    pub fn client_session_ended(&self, link: PeerLink, duration: Duration) {
        self.client_sessions.observe(SessionLabels::of_client(link), duration);
    }

    /// The connection to a server has ended.
    pub fn server_session_ended(
        &self,
        server: &str,
        connection: &UpstreamConnection,
        duration: Duration,
        end: SessionEnd,
    ) {
        let labels = SessionLabels::of_server(server, connection, end);
        self.server_sessions.observe(labels, duration);
    }

    /// The page: what was counted, and these figures of the moment.
    ///
    /// # Errors
    /// When a figure cannot be written.
    pub fn render(&self, figures: &HubFigures) -> Result<String, NotRendered> {
        let mut page = String::new();
        encode_registry(&mut page, &self.registry)?;
        encode_registry(&mut page, &figures.registry())?;
        Ok(page)
    }
}
