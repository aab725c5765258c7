//! Calls that were given up although the server may still be at work on them, and ask.
//!
//! On a pipe nothing says which call a question belongs to. As long as an abandoned call of one
//! client may be meant, no other client is asked. A ping after the cancellation ends that: a server
//! that answers it has read both, and asks no more if it keeps to the specification.

use hobnob_mcp_engine::ClientId;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// How long a server that does not answer the ping may go on with an abandoned call.
const MAX_AGE: Duration = Duration::from_secs(30);

/// How many abandoned calls are remembered; the oldest makes way.
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
    /// A call of this client was given up; `ping` is the number of the ping that follows.
    pub(crate) fn add(&mut self, number: i64, ping: i64, client: ClientId) {
        if self.0.len() >= MAX_CALLS {
            self.0.pop_front();
        }
        self.0.push_back(AbandonedCall { number, ping, client, at: Instant::now() });
    }

    /// The server answered the call after all, or the ping: it asks no more about that call.
    pub(crate) fn answered(&mut self, number: i64) {
        self.0.retain(|call| call.number != number && call.ping != number);
    }

    /// Whether a question may be about an abandoned call of a client other than this one.
    pub(crate) fn any_of_another(&self, client: Option<ClientId>) -> bool {
        let of_another =
            |call: &AbandonedCall| Some(call.client) != client && call.at.elapsed() < MAX_AGE;
        self.0.iter().any(of_another)
    }
}
