//! The spans of a call, with the names and attributes of OpenTelemetry's conventions for MCP, as
//! JSON of OTLP.
//!
//! `span_export` queues them and writes a batch. What must stay true: the attributes hold no
//! arguments, results or URIs.

use crate::bounded_series::{EXECUTE_TOOL, short};
use crate::operation::{ErrorType, Operation, PeerLink, Transport, UpstreamConnection};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// OTLP's numbers of the three kinds of spans, and of the status of a failure.
const KIND_INTERNAL: u8 = 1;
const KIND_SERVER: u8 = 2;
const KIND_CLIENT: u8 = 3;
const STATUS_ERROR: u8 = 2;

/// A call that has ended, and what only traces have of it.
#[derive(Debug, Clone, Copy)]
pub struct TracedCall<'a> {
    /// The call, as metrics count it.
    pub operation: Operation<'a>,
    /// The name of the prompt, if the call is one for a prompt.
    pub prompt: Option<&'a str>,
    /// What a built-in tool does with memories, in the words of the conventions.
    pub memory_operation: Option<&'static str>,
    /// When it came in.
    pub at: SystemTime,
    /// The ids of its spans.
    pub ids: SpanIds<'a>,
    /// Which client made the call.
    pub client: TracedClient,
}

/// The ids of a call's spans; zero is none.
#[derive(Debug, Clone, Copy)]
pub struct SpanIds<'a> {
    /// The trace that all of these spans are part of.
    pub trace: u128,
    /// The caller's span; `None` if the trace begins with this call.
    pub parent: Option<u64>,
    /// The span of the call.
    pub server: u64,
    /// The span below it: the part of an upstream, or of the memory.
    pub client: u64,
    /// What tracing systems have added to the caller's context.
    pub tracestate: Option<&'a str>,
}

/// Who made a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct TracedClient {
    /// Its address; `None` for a pipe.
    pub address: Option<IpAddr>,
    /// A pseudonym of its session; `None` for a call without one.
    pub session: Option<u64>,
}

/// The spans of one call: what its caller sees, and below it the part of an upstream.
#[derive(Debug)]
pub(crate) struct CallSpans {
    trace: u128,
    parent: Option<u64>,
    server_span: u64,
    client_span: u64,
    tracestate: Option<Box<str>>,
    method: &'static str,
    tool: Option<Box<str>>,
    prompt: Option<Box<str>>,
    memory_operation: Option<&'static str>,
    upstream: Option<UpstreamSpan>,
    error: Option<ErrorType>,
    link: PeerLink,
    client: TracedClient,
    begin: Duration,
    end: Duration,
}

#[derive(Debug)]
struct UpstreamSpan {
    server: Box<str>,
    tool: Option<Box<str>>,
    connection: Option<UpstreamConnection>,
}

/// What one span has of its own.
struct SpanParts<'a> {
    kind: u8,
    id: u64,
    parent: Option<u64>,
    name: String,
    attributes: Vec<Value>,
    tracestate: Option<&'a str>,
}

impl CallSpans {
    pub(crate) fn of(call: &TracedCall<'_>) -> Self {
        let operation = &call.operation;
        let begin = call.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            trace: call.ids.trace,
            parent: call.ids.parent,
            server_span: call.ids.server,
            client_span: call.ids.client,
            tracestate: call.ids.tracestate.map(Into::into),
            method: operation.method,
            tool: operation.tool.map(short),
            prompt: call.prompt.map(short),
            memory_operation: call.memory_operation,
            upstream: operation.upstream.map(|upstream| UpstreamSpan {
                server: short(upstream.server),
                tool: upstream.tool.map(short),
                connection: upstream.connection.cloned(),
            }),
            error: operation.error,
            link: operation.link,
            client: call.client,
            begin,
            end: begin.saturating_add(operation.duration),
        }
    }

    /// The spans as JSON, the outer one first.
    pub(crate) fn to_json(&self) -> Vec<Value> {
        let mut spans = vec![self.server_span()];
        spans.extend(self.upstream.as_ref().map(|upstream| self.upstream_span(upstream)));
        spans.extend(self.memory_operation.map(|operation| self.memory_span(operation)));
        spans
    }

    fn server_span(&self) -> Value {
        let mut attributes = self.attributes(self.tool.as_deref(), Some(self.link));
        if let Some(address) = self.client.address {
            attributes.push(attribute("client.address", &address.to_string()));
        }
        // The hub's listeners speak no other version.
        if self.link.transport == Transport::Http {
            attributes.push(attribute("network.protocol.version", "1.1"));
        }
        if let Some(session) = self.client.session {
            attributes.push(attribute("mcp.session.id", &format!("{session:016x}")));
        }
        self.span(SpanParts {
            kind: KIND_SERVER,
            id: self.server_span,
            parent: self.parent,
            name: self.name(self.tool.as_deref()),
            attributes,
            tracestate: self.tracestate.as_deref(),
        })
    }

    fn upstream_span(&self, upstream: &UpstreamSpan) -> Value {
        let tool = upstream.tool.as_deref();
        let connection = upstream.connection.as_ref();
        let mut attributes = self.attributes(tool, connection.map(|it| it.link));
        attributes.push(attribute("hobnob.server", &upstream.server));
        if let Some((host, port)) = connection.and_then(|it| it.address.as_ref()) {
            attributes.push(attribute("server.address", &short(host)));
            attributes.push(json!({"key": "server.port", "value": {"intValue": port.to_string()}}));
        }
        self.inner_span(KIND_CLIENT, self.name(tool), attributes)
    }

    /// The conventions for memory: its kind is INTERNAL where the memory is part of the program.
    fn memory_span(&self, operation: &str) -> Value {
        let mut attributes = vec![attribute("gen_ai.operation.name", operation)];
        attributes.extend(self.error.map(|error| attribute("error.type", &error.text())));
        self.inner_span(KIND_INTERNAL, operation.to_owned(), attributes)
    }

    fn inner_span(&self, kind: u8, name: String, attributes: Vec<Value>) -> Value {
        self.span(SpanParts {
            kind,
            id: self.client_span,
            parent: Some(self.server_span),
            name,
            attributes,
            tracestate: self.tracestate.as_deref(),
        })
    }

    /// Never a URI: the name has to be one of few.
    fn name(&self, tool: Option<&str>) -> String {
        match tool.or(self.prompt.as_deref()) {
            Some(target) => format!("{} {target}", self.method),
            None => self.method.to_owned(),
        }
    }

    fn span(&self, parts: SpanParts<'_>) -> Value {
        let mut span = json!({
            "traceId": format!("{:032x}", self.trace),
            "spanId": format!("{:016x}", parts.id),
            "name": parts.name,
            "kind": parts.kind,
            // Numbers of 64 bits are strings in this JSON.
            "startTimeUnixNano": self.begin.as_nanos().to_string(),
            "endTimeUnixNano": self.end.as_nanos().to_string(),
            "attributes": parts.attributes,
            "status": {},
        });
        if let Some(parent) = parts.parent {
            span["parentSpanId"] = format!("{parent:016x}").into();
        }
        if let Some(tracestate) = parts.tracestate {
            span["traceState"] = tracestate.into();
        }
        if self.error.is_some() {
            span["status"] = json!({"code": STATUS_ERROR});
        }
        span
    }

    fn attributes(&self, tool: Option<&str>, link: Option<PeerLink>) -> Vec<Value> {
        let mut attributes = vec![attribute("mcp.method.name", self.method)];
        if let Some(tool) = tool {
            attributes.push(attribute("gen_ai.tool.name", tool));
            attributes.push(attribute("gen_ai.operation.name", EXECUTE_TOOL));
        }
        if let Some(prompt) = &self.prompt {
            attributes.push(attribute("gen_ai.prompt.name", prompt));
        }
        if let Some(error) = self.error {
            attributes.push(attribute("error.type", &error.text()));
        }
        if let Some(error @ ErrorType::Code(_)) = self.error {
            attributes.push(attribute("rpc.response.status_code", &error.text()));
        }
        if let Some(PeerLink { transport, revision }) = link {
            attributes.push(attribute("mcp.protocol.version", revision));
            attributes.push(attribute("network.transport", transport.network()));
            let protocol = transport.protocol();
            attributes.extend(protocol.map(|name| attribute("network.protocol.name", name)));
        }
        attributes
    }
}

/// An attribute of a span or of the program.
pub(crate) fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}
