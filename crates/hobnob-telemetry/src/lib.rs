//! What a hub tells those who run it about its calls: metrics for Prometheus, and traces for a
//! receiver of OpenTelemetry.
//!
//! The hub reports each call in the plain terms of `operation`, so this crate knows neither the
//! protocol nor the gateway. What must stay true: names follow OpenTelemetry's conventions for MCP,
//! the number of series and of spans in memory is bounded, and no arguments, results or URIs get
//! out.

mod operation;

mod bounded_series;
mod counter;
mod figures;
mod known_labels;
mod metrics;
mod process_figures;
mod session_series;

mod call_spans;
mod span_export;
mod span_post;

pub use call_spans::{SpanIds, TracedCall, TracedClient};
pub use figures::{HubFigures, UpstreamFigures};
pub use metrics::{CONTENT_TYPE, Metrics, NotRendered};
pub use operation::{
    ErrorType, Operation, PeerLink, Transport, UpstreamConnection, UpstreamOperation,
};
pub use session_series::SessionEnd;
pub use span_export::{BadEndpoint, SpanExporter, SpanSender, TracedProgram};
