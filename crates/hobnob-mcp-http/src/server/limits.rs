//! The limits of every HTTP connection. The caller builds one [`HttpLimits`] and passes it to
//! [`serve`](crate::serve); handlers pass the same value to [`read_body`](crate::read_body).
//! Nothing here reads a clock or a socket.

use std::num::NonZeroUsize;
use std::time::Duration;

/// How much one client may send, hold open or leave waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Largest request body in bytes; one byte more is answered with 413.
    pub body: usize,
    /// Limit on the total bytes of all request bodies that do not come in one block. A further body
    /// is read when the others leave room for it, or answered with 503.
    pub bodies_total: usize,
    /// How long such a body may wait for room.
    pub body_wait: Duration,
    /// Largest request head (request line and fields) in bytes; more is answered with 431.
    pub header_bytes: usize,
    /// Limit on the header fields of one request; more is answered with 431.
    pub header_fields: usize,
    /// Longest wait for a request head once its first byte (or the connection) has arrived.
    pub header_read: Duration,
    /// Shortest time an idle connection stays open for the next request. It is closed at the latest
    /// after twice that time. It must exceed what clients use for their pools (90 s is usual), or
    /// they meet a connection that closes under their next request.
    pub keep_alive_idle: Duration,
    /// Longest silence in the middle of a request body; then 408.
    pub body_idle: Duration,
    /// Lowest rate, in bytes a second, of a body that does not arrive at once. It must be complete
    /// after `body_idle` plus the time that its announced size (or else the limit) takes at this
    /// rate; then 408. Otherwise a slow trickle of bytes would hold a connection for ever.
    pub body_rate: usize,
    /// Longest time a client may accept no byte while there is something to send. It must be much
    /// longer than a stream waits for a slow reader, or the client never reads why it ended.
    pub write_stall: Duration,
    /// Limit on connections at one time; the next one is answered with 503 and closed.
    pub connections: usize,
    /// How long open requests may continue after the server is asked to stop.
    pub shutdown_grace: Duration,
    /// Requests a minute of each authenticated principal; the next one is answered with 429.
    pub requests_per_minute: Option<NonZeroUsize>,
    /// Bytes a minute in the request bodies of each such principal; further requests are answered
    /// with 429.
    pub bytes_per_minute: Option<NonZeroUsize>,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body: 4 * 1024 * 1024,
            bodies_total: 256 * 1024 * 1024,
            body_wait: Duration::from_secs(10),
            header_bytes: 32 * 1024,
            header_fields: 100,
            header_read: Duration::from_secs(10),
            keep_alive_idle: Duration::from_secs(120),
            body_idle: Duration::from_secs(30),
            body_rate: 16 * 1024,
            write_stall: Duration::from_secs(60),
            connections: 10_240,
            shutdown_grace: Duration::from_secs(10),
            requests_per_minute: None,
            bytes_per_minute: None,
        }
    }
}
