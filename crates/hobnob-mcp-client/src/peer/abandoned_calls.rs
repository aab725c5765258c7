//! Calls that were abandoned, although the server may still work on them and ask questions.
//!
//! On a pipe nothing says which call a question belongs to. While a question may belong to an
//! abandoned call of one client, no other client is asked. A ping after the cancellation ends that:
//! a server that answers it has read both, and by the specification asks no more.

use hobnob_mcp_engine::ClientId;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// How long a server that does not answer the ping may continue with an abandoned call.
const MAX_AGE: Duration = Duration::from_secs(30);

/// How many abandoned calls are remembered; the oldest one is forgotten first.
const MAX_CALLS: usize = 64;

struct AbandonedCall {
    number: i64,
    ping: i64,
    client: ClientId,
    at: Instant,
}

/// The abandoned calls of one connection, the newest last.
#[derive(Default)]
pub(crate) struct AbandonedCalls(VecDeque<AbandonedCall>);

impl AbandonedCalls {
    /// Adds an abandoned call of this client; `ping` is the number of the ping that follows.
    pub(crate) fn add(&mut self, number: i64, ping: i64, client: ClientId) {
        if self.0.len() >= MAX_CALLS {
            self.0.pop_front();
        }
        self.0.push_back(AbandonedCall { number, ping, client, at: Instant::now() });
    }

    /// The server answered the call or the ping: it will ask no more questions about the call.
    pub(crate) fn answered(&mut self, number: i64) {
        self.0.retain(|call| call.number != number && call.ping != number);
    }

    /// Whether a question may belong to an abandoned call of a client other than this one.
    pub(crate) fn any_of_another(&self, client: Option<ClientId>) -> bool {
        let of_another =
            |call: &AbandonedCall| Some(call.client) != client && call.at.elapsed() < MAX_AGE;
        self.0.iter().any(of_another)
    }
}
