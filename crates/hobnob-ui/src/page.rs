//! The page of one hub: its sessions, its events, and the ports to the hub. A hub has one page and
//! routes for each of its listeners.
//!
//! What must stay true: sessions and links are the page's, not a listener's, so that a link that
//! the hub issues opens the page at any of its listeners.

use crate::events::{PageEvents, publish};
use crate::feed::CallFeed;
use crate::links::PageLinks;
use crate::page_change::PageChange;
use crate::ports::{PageActions, PageSource, ViewCalls};
use crate::refusal::RefusedPageRequest;
use crate::rules::PageRules;
use crate::server_changes::ServerChanges;
use crate::sessions::PageSessions;
use hobnob_mcp_engine::NoRandomness;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How many MCP requests of pages run at the same time.
pub(crate) const MAX_VIEW_CALLS: usize = 16;

/// What a page needs from its hub.
pub struct HubPageOptions {
    /// The hub, as the page introduces it.
    pub facts: PageFacts,
    /// The observer of the hub's gateway.
    pub feed: Arc<CallFeed>,
    /// What the page shows.
    pub source: Arc<dyn PageSource>,
    /// What the owner may do.
    pub actions: Arc<dyn PageActions>,
    /// What the owner changes about servers.
    pub servers: Arc<dyn ServerChanges>,
    /// MCP requests through the plain view.
    pub calls: Arc<dyn ViewCalls>,
    /// What decides about calls.
    pub rules: Arc<dyn PageRules>,
    /// The audit log; `None` where calls are not recorded.
    pub audit: Option<PathBuf>,
    /// Is called for every refused request. It must not block.
    pub refusals: RefusalReport,
    /// Cancelled when the hub begins to stop, before its listeners wait for open requests.
    pub stop: CancellationToken,
}

/// Gets every request that the guard of the page refuses.
pub type RefusalReport = Arc<dyn Fn(&RefusedPageRequest<'_>) + Send + Sync>;

/// The hub, as the page introduces it to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFacts {
    /// The version of the program.
    pub version: String,
    /// The id of the hub's process run; cookies are named by it.
    pub instance: String,
    /// The folder of the project.
    pub project: String,
    /// The profiles that the hub serves.
    pub profile_names: Vec<String>,
}

/// The page of a hub.
pub struct HubPage {
    pub(crate) options: HubPageOptions,
    pub(crate) sessions: PageSessions,
    pub(crate) links: PageLinks,
    pub(crate) events: Arc<PageEvents>,
    /// One reader of the audit log at a time: a log may be large.
    pub(crate) audit_reads: Arc<Semaphore>,
    pub(crate) view_calls: Semaphore,
}

impl HubPage {
    /// A page without sessions. The hub must run [`HubPage::run`] for its events.
    pub fn new(options: HubPageOptions) -> Arc<Self> {
        let (feed, source) = (Arc::clone(&options.feed), Arc::clone(&options.source));
        let events = PageEvents::new(feed, source, options.stop.clone());
        Arc::new(Self {
            sessions: PageSessions::default(),
            links: PageLinks::default(),
            events: Arc::new(events),
            audit_reads: Arc::new(Semaphore::new(1)),
            view_calls: Semaphore::new(MAX_VIEW_CALLS),
            options,
        })
    }

    /// A link's token: the address to open is `/ui#link=` and the token. It opens one session of
    /// the owner, within two minutes; the caller has verified that the owner asks.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub fn issue_link(&self) -> Result<String, NoRandomness> {
        self.touch();
        self.links.issue()
    }

    /// Makes the events of the page until the hub stops.
    pub async fn run(&self) {
        publish(&self.events).await;
    }

    /// Tells open pages that something changed which they may show.
    pub fn changed(&self, change: PageChange) {
        self.events.changes.add(change);
    }

    /// Waits until nothing has used the page for this long: no link was issued, no request was
    /// answered, and no stream was open.
    pub async fn unused_for(&self, quiet: Duration) {
        self.events.uses.unused_for(quiet).await;
    }

    /// The page is in use now.
    pub(crate) fn touch(&self) {
        self.events.uses.touch();
    }

    pub(crate) fn report(&self, refused: &RefusedPageRequest<'_>) {
        (self.options.refusals)(refused);
    }
}

impl fmt::Debug for HubPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubPage").field("facts", &self.options.facts).finish_non_exhaustive()
    }
}

impl fmt::Debug for HubPageOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubPageOptions").field("facts", &self.facts).finish_non_exhaustive()
    }
}
