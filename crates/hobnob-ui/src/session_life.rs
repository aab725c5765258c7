//! How long a session lives: until it is ended, is too old, was not used for long, or its token
//! counts no more. `sessions` keeps one for each session, and the session's streams watch it.
//!
//! What must stay true: a session that has ended never opens again.

use hobnob_mcp_http::{Identity, IdentityRefusal, TokenBearer};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A session without a request for so long has ended.
const IDLE_LIMIT: Duration = Duration::from_secs(12 * 60 * 60);

/// The longest life of a session, however much it is used.
const MAX_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How often a stream checks the token of its session, and so how long it may outlive it.
const TOKEN_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The life of one session.
pub(crate) struct SessionLife {
    /// Cancelled when the session ends.
    ended: CancellationToken,
    opened: Instant,
    used: Mutex<Instant>,
    /// The token that a principal signed in with; `None` for the owner.
    bearer: Option<Arc<TokenBearer>>,
}

impl SessionLife {
    pub(crate) fn new(bearer: Option<Arc<TokenBearer>>) -> Self {
        let now = Instant::now();
        Self { ended: CancellationToken::new(), opened: now, used: Mutex::new(now), bearer }
    }

    /// The session is used now.
    pub(crate) fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    pub(crate) fn last_use(&self) -> Instant {
        *self.used.lock()
    }

    /// Ends the session and its streams.
    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    /// Waits until the session was ended. Its age and its token end it without an event.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Whether the session has neither been ended nor grown too old.
    pub(crate) fn is_open(&self) -> bool {
        let now = Instant::now();
        !self.ended.is_cancelled()
            && now.duration_since(self.opened) < MAX_LIFE
            && now.duration_since(*self.used.lock()) < IDLE_LIMIT
    }

    /// Waits until the token of the session counts no more, and ends the session then. Without a
    /// token, it waits for ever.
    pub(crate) async fn token_ended(&self) {
        let Some(bearer) = &self.bearer else { return std::future::pending().await };
        while is_acceptable(&bearer.identity().await) {
            tokio::time::sleep(TOKEN_CHECK_INTERVAL).await;
        }
        self.end();
    }
}

/// A token that cannot be checked at the moment ends no session.
fn is_acceptable(checked: &Result<Arc<dyn Identity>, IdentityRefusal>) -> bool {
    matches!(checked, Ok(_) | Err(IdentityRefusal::Unavailable))
}
