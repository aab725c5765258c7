//! What a server may cost us, and how long it may keep us from starting. Whoever opens a carrier
//! sets them.
//!
//! What must stay true: what is read of an answer is read up to one of these sizes.

use std::time::Duration;

/// The bounds of one connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpClientLimits {
    /// How long a TCP and TLS connection may take to stand.
    pub connect: Duration,
    /// How long HTTP+SSE may take to name its endpoint.
    pub open: Duration,
    /// The largest JSON answer.
    pub body_bytes: usize,
    /// The largest server-sent event.
    pub event_bytes: usize,
    /// How much of an error's body is read.
    pub error_bytes: usize,
}

impl Default for HttpClientLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            open: Duration::from_secs(10),
            body_bytes: 16 * 1024 * 1024,
            event_bytes: 16 * 1024 * 1024,
            error_bytes: 64 * 1024,
        }
    }
}
