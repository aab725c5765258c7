//! The spans of a call that is traced: the context in which a service does its work.
//!
//! A service that records traces puts it into the [`Caller`](crate::Caller); the client of an
//! upstream writes it into `_meta`. What must stay true: it is made here and never read from text
//! without [`TraceParent`] having parsed that.

use hobnob_mcp_types::trace_context::{SpanId, TraceFlags, TraceId, TraceParent};

/// The spans of one call, and the trace that they are part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTrace {
    /// The trace that all of these spans are part of.
    pub trace: TraceId,
    /// The caller's span; `None` if the trace begins with this call.
    pub parent: Option<SpanId>,
    /// The span of the call itself: the parent of all calls that the service makes for it.
    pub server_span: SpanId,
    /// The span of the request to an upstream: the parent of the upstream's spans.
    pub client_span: SpanId,
    /// Whether the trace is recorded.
    pub flags: TraceFlags,
    /// What tracing systems have added to the context.
    pub tracestate: Option<Box<str>>,
}

impl CallTrace {
    /// The context for the request to an upstream.
    pub fn to_upstream(&self) -> TraceParent {
        TraceParent { trace: self.trace, span: self.client_span, flags: self.flags }
    }
}
