//! How much a peer may use. Every limit is a setting; these are the defaults.
//!
//! A program passes the limits to its server; the edges and the task table enforce them.

use std::time::Duration;

/// The limits of one server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest line on a pipe, in bytes.
    pub line_bytes: usize,
    /// Messages in one batch.
    pub batch: usize,
    /// Concurrent requests on one connection or in one session.
    pub in_flight: usize,
    /// Concurrent requests of one client, over all its connections and sessions.
    pub in_flight_per_client: usize,
    /// Concurrent requests of the process. No client gets more than half of what others leave.
    pub in_flight_total: usize,
    /// Further concurrent requests, reserved for cheap queries: `server/discover` and lists.
    pub in_flight_reserve: usize,
    /// Open `subscriptions/listen` streams of one client.
    pub listens_per_client: usize,
    /// Open `subscriptions/listen` streams in the whole process.
    pub listens: usize,
    /// Resources that one legacy session may subscribe to, or that one listen may name.
    pub subscriptions: usize,
    /// Resources that one client may subscribe to, over all its sessions and listens.
    pub subscriptions_per_client: usize,
    /// Subscriptions to resources in the whole process; each subscriber of a resource counts.
    pub subscriptions_total: usize,
    /// How long one run of a call may take; longer work belongs in a task.
    pub call: Duration,
    /// Bytes of `initialize` parameters, which a session keeps.
    pub hello_bytes: usize,
    /// Bytes of a subscribed URI; a whole listen filter may have 32 times as many.
    pub uri_bytes: usize,
    /// Bytes of unread answers at which the server stops reading from a pipe.
    pub backlog_bytes: usize,
    /// How long a client may take to answer a question, for example because a person has to think.
    pub ask_timeout: Duration,
    /// Rounds of questions within one call.
    pub ask_rounds: usize,
    /// How long a sealed request state stays valid.
    pub state_ttl: Duration,
    /// How long calls may still run after the input has ended.
    pub drain: Duration,
    /// Items on one page of a list. A page also ends before it gets too big to send. Many clients
    /// read only the first page, so the default sets no other bound.
    pub page: usize,
    /// Tasks in the whole process, running and ended.
    pub tasks: usize,
    /// Tasks of one principal or one legacy session, running and ended.
    pub tasks_per_owner: usize,
    /// How long a task is kept from its start, running and ended, unless its caller asks for less.
    pub task_ttl: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 16 << 20,
            batch: 100,
            in_flight: 256,
            in_flight_per_client: 1024,
            in_flight_total: 4096,
            in_flight_reserve: 1024,
            listens_per_client: 2048,
            listens: 10_000,
            subscriptions: 1024,
            subscriptions_per_client: 4096,
            subscriptions_total: 16_384,
            call: Duration::from_secs(15 * 60),
            hello_bytes: 64 << 10,
            uri_bytes: 8 << 10,
            backlog_bytes: 64 << 20,
            ask_timeout: Duration::from_secs(600),
            ask_rounds: 10,
            state_ttl: Duration::from_secs(900),
            drain: Duration::from_secs(2),
            page: usize::MAX,
            tasks: 4096,
            tasks_per_owner: 1024,
            task_ttl: Duration::from_secs(3600),
        }
    }
}
