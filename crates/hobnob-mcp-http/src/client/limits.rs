//! Limits on what a server may cost a client: sizes of answers, and timeouts. The program that
//! opens a carrier sets them.
//!
//! What must stay true: no answer is read beyond one of these sizes.

use std::time::Duration;

/// The limits of one connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpClientLimits {
    /// How long establishing a TCP and TLS connection may take.
    pub connect: Duration,
    /// How long an HTTP+SSE server may take to name its endpoint.
    pub open: Duration,
    /// The largest JSON answer, in bytes.
    pub body_bytes: usize,
    /// The largest server-sent event, in bytes.
    pub event_bytes: usize,
    /// How much of an error's body is read, in bytes.
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
