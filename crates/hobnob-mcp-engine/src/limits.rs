//! How much of anything a peer may use. Every limit is a setting; these are the defaults.
//!
//! A program hands them to its server; the edges and the task table enforce them.

use std::time::Duration;

/// The limits of one server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of one line on a pipe.
    pub line_bytes: usize,
    /// Messages in one batch.
    pub batch: usize,
    /// Requests at once on one connection or in one session.
    pub in_flight: usize,
    /// Requests at once of one client, on all its connections and in all its sessions.
    pub in_flight_per_client: usize,
    /// Requests at once in the whole process. No client gets more than half of what others leave.
    pub in_flight_total: usize,
    /// Requests at once, beside those, that only look: `server/discover` and lists.
    pub in_flight_reserve: usize,
    /// Open `subscriptions/listen` streams of one client.
    pub listens_per_client: usize,
    /// Open `subscriptions/listen` streams in the whole process.
    pub listens: usize,
    /// Resources one legacy session may subscribe to, or one listen may name.
    pub subscriptions: usize,
    /// Resources one client may subscribe to, in all its sessions and listens.
    pub subscriptions_per_client: usize,
    /// Resources subscribed to in the whole process, counted for each who does.
    pub subscriptions_total: usize,
    /// How long one run of a call may take; longer work belongs in a task.
    pub call: Duration,
    /// Bytes of `initialize` parameters, which a session keeps.
    pub hello_bytes: usize,
    /// Bytes of a URI to subscribe to, and of a whole listen filter 32 times that.
    pub uri_bytes: usize,
    /// Memory of the answers a pipe's client may leave unread before no more is read from it.
    pub backlog_bytes: usize,
    /// How long a person may think before a question to the client is given up.
    pub ask_timeout: Duration,
    /// Rounds of questions within one call.
    pub ask_rounds: usize,
    /// How long a sealed request state stays good.
    pub state_ttl: Duration,
    /// How long calls may still run after the input has ended.
    pub drain: Duration,
    /// Items on one page of a list. Whatever it is, a page also ends before it gets too big to
    /// send; many clients read no other than the first, so nothing else ends it by default.
    pub page: usize,
    /// Tasks at once, running and ended.
    pub tasks: usize,
    /// Tasks at once of one principal or one legacy session, running and ended.
    pub tasks_per_owner: usize,
    /// How long a task lives from its start, running and ended, unless its caller asks for less.
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
