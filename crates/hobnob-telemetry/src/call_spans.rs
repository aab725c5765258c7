//! The spans of a call, with the names and attributes of OpenTelemetry's conventions for MCP, as
//! JSON of OTLP.
//!
//! `span_export` queues them and writes a batch. What must stay true: the attributes hold no
//! arguments, results or URIs.

use crate::operation::{ErrorType, Operation};
use crate::trace_context::{CallerTrace, SpanId, TraceId};
use hobnob_text::first_chars;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer names are cut.
const MAX_CHARS: usize = 128;
/// OTLP's numbers of the two kinds of spans, and of the status of a failure.
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
    /// When it came in.
    pub at: SystemTime,
    /// The revision of the protocol that the caller speaks.
    pub revision: &'static str,
    /// The context that the caller sent in `_meta`.
    pub traceparent: Option<&'a str>,
}

/// The spans of one call: what its caller sees, and below it the part of an upstream.
#[derive(Debug)]
pub(crate) struct CallSpans {
    trace: TraceId,
    parent: Option<SpanId>,
    method: &'static str,
    tool: Option<Box<str>>,
    prompt: Option<Box<str>>,
    upstream: Option<UpstreamSpan>,
    error: Option<ErrorType>,
    revision: &'static str,
    begin: Duration,
    end: Duration,
}

#[derive(Debug)]
struct UpstreamSpan {
    server: Box<str>,
    tool: Option<Box<str>>,
}

impl CallSpans {
    /// The spans of this call; `None` if its caller does not record the trace.
    pub(crate) fn of(call: &TracedCall<'_>) -> Option<Self> {
        let (trace, parent) = match CallerTrace::parse(call.traceparent) {
            CallerTrace::NotRecorded => return None,
            CallerTrace::Recorded(trace, parent) => (trace, Some(parent)),
            CallerTrace::None => (TraceId::random(), None),
        };
        let short = |text: &str| Box::from(first_chars(text, MAX_CHARS));
        let operation = &call.operation;
        let begin = call.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Self {
            trace,
            parent,
            method: operation.method,
            tool: operation.tool.map(short),
            prompt: call.prompt.map(short),
            upstream: operation.upstream.map(|upstream| UpstreamSpan {
                server: short(upstream.server),
                tool: upstream.tool.map(short),
            }),
            error: operation.error,
            revision: call.revision,
            begin,
            end: begin.saturating_add(operation.duration),
        })
    }

    /// The spans as JSON, the outer one first.
    pub(crate) fn to_json(&self) -> Vec<Value> {
        let server = SpanId::random();
        let mut attributes = self.attributes(self.tool.as_deref());
        attributes.push(attribute("mcp.protocol.version", self.revision));
        let mut spans =
            vec![self.span(KIND_SERVER, (server, self.parent), self.tool.as_deref(), attributes)];
        if let Some(upstream) = &self.upstream {
            let tool = upstream.tool.as_deref();
            let mut attributes = self.attributes(tool);
            attributes.push(attribute("hobnob.server", &upstream.server));
            spans.push(self.span(KIND_CLIENT, (SpanId::random(), Some(server)), tool, attributes));
        }
        spans
    }

    fn span(
        &self,
        kind: u8,
        (id, parent): (SpanId, Option<SpanId>),
        tool: Option<&str>,
        attributes: Vec<Value>,
    ) -> Value {
        // Never a URI: the name has to be one of few.
        let name = match tool.or(self.prompt.as_deref()) {
            Some(target) => format!("{} {target}", self.method),
            None => self.method.to_owned(),
        };
        let mut span = json!({
            "traceId": self.trace.text(),
            "spanId": id.text(),
            "name": name,
            "kind": kind,
            // Numbers of 64 bits are strings in this JSON.
            "startTimeUnixNano": self.begin.as_nanos().to_string(),
            "endTimeUnixNano": self.end.as_nanos().to_string(),
            "attributes": attributes,
            "status": {},
        });
        if let Some(parent) = parent {
            span["parentSpanId"] = parent.text().into();
        }
        if self.error.is_some() {
            span["status"] = json!({"code": STATUS_ERROR});
        }
        span
    }

    fn attributes(&self, tool: Option<&str>) -> Vec<Value> {
        let mut attributes = vec![attribute("mcp.method.name", self.method)];
        if let Some(tool) = tool {
            attributes.push(attribute("gen_ai.tool.name", tool));
            attributes.push(attribute("gen_ai.operation.name", "execute_tool"));
        }
        if let Some(prompt) = &self.prompt {
            attributes.push(attribute("gen_ai.prompt.name", prompt));
        }
        if let Some(error) = self.error {
            attributes.push(attribute("error.type", &error.text()));
        }
        if let Some(ErrorType::Code(_)) = self.error {
            let code = self.error.map(ErrorType::text).unwrap_or_default();
            attributes.push(attribute("rpc.response.status_code", &code));
        }
        attributes
    }
}

/// An attribute of a span or of the program.
pub(crate) fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}
