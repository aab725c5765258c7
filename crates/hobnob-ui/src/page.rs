//! The page of one hub: its sessions, its events, and the ports to the hub. A hub has one page and
//! routes for each of its listeners.
//!
//! What must stay true: sessions and links are the page's, not a listener's, so that a link that
//! the hub issues opens the page at any of its listeners.

use crate::events::{EventLimits, PageEvents, publish};
use crate::feed::CallFeed;
use crate::hub_state::StateSource;
use crate::links::PageLinks;
use crate::page_change::PageChange;
use crate::ports::{PageActions, PageSource, ViewCalls};
use crate::principal_page::PrincipalPage;
use crate::refusal::RefusedPageRequest;
use crate::rules::PageRules;
use crate::secret::PageSecret;
use crate::server_changes::ServerChanges;
use crate::sessions::{PageSession, PageSessions, SessionHolder};
use crate::user_sign_in::UserLogin;
use hobnob_mcp_engine::{NoRandomness, Principal};
use hobnob_mcp_http::TokenBearer;
use parking_lot::Mutex;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How many MCP requests of pages run at the same time.
pub(crate) const MAX_VIEW_CALLS: usize = 16;

/// How many sessions of principals may be opened before their events begin.
const MAX_OPENED: usize = 64;

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
    /// Is called for every principal who has signed in with a token. It must not block.
    pub sign_ins: SignInReport,
    /// Cancelled when the hub begins to stop, before its listeners wait for open requests.
    pub stop: CancellationToken,
}

/// Gets every request that the guard of the page refuses.
pub type RefusalReport = Arc<dyn Fn(&RefusedPageRequest<'_>) + Send + Sync>;

/// Gets every principal who signs in, and the address they come from.
pub type SignInReport = Arc<dyn Fn(&Principal, Option<IpAddr>) + Send + Sync>;

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
    /// Sessions of principals whose events begin.
    opened: mpsc::Sender<Arc<PageSession>>,
    /// The other end of `opened`, until [`HubPage::run`] takes it.
    to_publish: Mutex<Option<mpsc::Receiver<Arc<PageSession>>>>,
}

/// Why no session was opened.
pub(crate) enum NotOpened {
    /// The system gives no randomness.
    NoRandomness,
    /// Many others are being opened, or the hub stops.
    Busy,
}

impl HubPage {
    /// A page without sessions. The hub must run [`HubPage::run`] for its events.
    pub fn new(options: HubPageOptions) -> Arc<Self> {
        let (feed, source) = (Arc::clone(&options.feed), Arc::clone(&options.source));
        let source = StateSource::Owner(source);
        let events = PageEvents::new(feed, source, EventLimits::OWNER, options.stop.clone());
        let (opened, to_publish) = mpsc::channel(MAX_OPENED);
        Arc::new(Self {
            sessions: PageSessions::default(),
            links: PageLinks::default(),
            events: Arc::new(events),
            audit_reads: Arc::new(Semaphore::new(1)),
            view_calls: Semaphore::new(MAX_VIEW_CALLS),
            opened,
            to_publish: Mutex::new(Some(to_publish)),
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

    /// Makes the events of the page until the hub stops. Only its first call does.
    pub async fn run(&self) {
        let Some(mut opened) = self.to_publish.lock().take() else { return };
        let mut for_principals = JoinSet::new();
        let mut for_owner = pin!(publish(&self.events));
        loop {
            tokio::select! {
                () = &mut for_owner => return,
                Some(session) = opened.recv() => {
                    for_principals.spawn(publish_to(session));
                }
                Some(_) = for_principals.join_next() => {}
            }
        }
    }

    /// Tells open pages of the owner that something changed which they may show.
    pub fn changed(&self, change: PageChange) {
        self.events.changes.add(change);
    }

    /// The same for open pages of the principal whose records changed, and of the owner.
    pub fn changed_for(&self, principal: &str, change: PageChange) {
        self.changed(change);
        for session in self.sessions.of_principals() {
            if let SessionHolder::Principal(page) = &session.holder
                && page.principal().as_str() == principal
            {
                page.events.changes.add(change);
            }
        }
    }

    /// The same for all open pages.
    pub fn changed_for_all(&self, change: PageChange) {
        self.changed(change);
        for session in self.sessions.of_principals() {
            if let SessionHolder::Principal(page) = &session.holder {
                page.events.changes.add(change);
            }
        }
    }

    /// The prefixes of all views: that at the root, then those of profiles.
    pub(crate) fn view_prefixes(&self) -> Vec<String> {
        let of_profile = |name: &String| format!("/p/{name}");
        let profiles = self.options.facts.profile_names.iter().map(of_profile);
        std::iter::once(String::new()).chain(profiles).collect()
    }

    /// Opens a session for the bearer of a token, and returns the value of its cookie. `login` is
    /// the login that gave the token, if it was made for this session.
    pub(crate) async fn sign_in(
        &self,
        bearer: TokenBearer,
        login: Option<UserLogin>,
        address: Option<IpAddr>,
    ) -> Result<(PageSecret, Arc<PageSession>), NotOpened> {
        let HubPageOptions { feed, source, calls, sign_ins, stop, .. } = &self.options;
        calls.open_view(bearer.prefix()).await;
        let place = self.opened.try_reserve().map_err(|_| NotOpened::Busy)?;
        let page = PrincipalPage {
            login,
            ..PrincipalPage::new(bearer.into(), feed, Arc::clone(source), stop.clone())
        };
        let opened = self.sessions.open(SessionHolder::Principal(page.into()));
        let (cookie, session) = opened.map_err(|NoRandomness| NotOpened::NoRandomness)?;
        sign_ins(&session.principal(), address);
        place.send(Arc::clone(&session));
        Ok((cookie, session))
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

/// Makes the events of a principal's session until it ends.
async fn publish_to(session: Arc<PageSession>) {
    let SessionHolder::Principal(page) = &session.holder else { return };
    tokio::select! {
        () = publish(&page.events) => {}
        () = session.life.ended() => {}
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
