//! What a principal other than the owner has of the page: its token, its own calls, their events,
//! and its share of what runs at the same time.
//!
//! `api/session` makes one for each session that a token opens. What must stay true: it holds nothing
//! of another principal, since its feed gets only the principal's own calls.

use crate::events::{EventLimits, PageEvents};
use crate::feed::CallFeed;
use crate::hub_state::StateSource;
use crate::ports::PageSource;
use crate::user_sign_in::UserLogin;
use hobnob_mcp_engine::Principal;
use hobnob_mcp_http::TokenBearer;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How many MCP requests of one session run at the same time.
const MAX_VIEW_CALLS: usize = 4;

/// Frames for one person are few, and there may be many people.
const LIMITS: EventLimits = EventLimits { streams: 4, bytes: 256 << 10 };

/// The page of one principal.
pub(crate) struct PrincipalPage {
    pub(crate) bearer: Arc<TokenBearer>,
    /// The login that ends when the principal leaves; `None` if they brought their own token.
    pub(crate) login: Option<UserLogin>,
    /// Only the principal's own calls.
    pub(crate) feed: Arc<CallFeed>,
    pub(crate) events: Arc<PageEvents>,
    pub(crate) view_calls: Semaphore,
    /// One reader of the audit log at a time: a log may be large.
    pub(crate) audit_reads: Arc<Semaphore>,
}

impl PrincipalPage {
    pub(crate) fn new(
        bearer: Arc<TokenBearer>,
        hub_feed: &CallFeed,
        source: Arc<dyn PageSource>,
        stop: CancellationToken,
    ) -> Self {
        let feed = hub_feed.of_principal(bearer.principal().as_str());
        let source = StateSource::Principal { source, bearer: Arc::clone(&bearer) };
        let events = PageEvents::new(Arc::clone(&feed), source, LIMITS, stop);
        Self {
            bearer,
            login: None,
            feed,
            events: Arc::new(events),
            view_calls: Semaphore::new(MAX_VIEW_CALLS),
            audit_reads: Arc::new(Semaphore::new(1)),
        }
    }

    pub(crate) fn principal(&self) -> &Principal {
        self.bearer.principal()
    }
}
