//! The page for the owner of a hub and for its principals: what `hobnob-ui` needs from this process,
//! and how a browser gets there.
//!
//! `compose` makes the page, `serve` adds it to its listener, and `running_hub` opens it on request
//! (`opening`). What must stay true: only a person who may use the private socket gets a link, and
//! principals sign in only where a listener requires their tokens.

mod adding;
mod approving;
mod entry_text;
mod health;
mod limits;
mod logging_in;
mod opening;
mod page_users;
mod processes;
mod removing;
mod rules;
mod server_changes;
mod server_switch;
mod shown_hub;
mod view_calls;

pub use hobnob_ui::{PageConnection, PageVisitors};
pub(crate) use opening::PageOpener;
pub use page_users::page_users;

use crate::listeners::DEFAULT_ADDRESS;
use crate::local_clients::LocalClients;
use crate::recorder::MessageRecorder;
use crate::refusal_audit::AuditedRefusals;
use crate::running_program::build;
use crate::usage::UsageRecorder;
use crate::views::ProfileServer;
use hobnob_config::Places;
use hobnob_gateway::Gateway;
use hobnob_mcp_engine::Principal;
use hobnob_mcp_http::{HttpLoad, OpenRoutes};
use hobnob_mcp_server::Server;
use hobnob_policy::audit::{AuditLog, AuditRecord};
use hobnob_store::Store;
use hobnob_store::changes::{ChangedRecord, FeedEvent};
use hobnob_ui::{
    CallFeed, HubPage, HubPageOptions, PageChange, PageFacts, RefusedPageRequest, SignInReport,
    page_routes,
};
use limits::HubLimits;
use opening::{PageListener, PageOrigin, SharedOrigin};
use rules::{HubLogins, RuleFiles, ShownRules};
use server_changes::OwnerServers;
use shown_hub::ShownHub;
use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use view_calls::HubViews;

/// The parts of a composed hub that its page is made from.
pub(crate) struct PageParts {
    pub(crate) gateway: Arc<Gateway>,
    /// The first view, through which the page makes its requests.
    pub(crate) server: Server,
    /// The profile of the first view, if it has one.
    pub(crate) first_profile: Option<String>,
    /// The profiles that the hub serves.
    pub(crate) profiles: Vec<Arc<ProfileServer>>,
    pub(crate) places: Places,
    pub(crate) audit: Option<Arc<AuditLog>>,
    /// Counts the calls; `None` if nothing does.
    pub(crate) usage: Option<Arc<UsageRecorder>>,
    /// The store; `None` if no service uses one.
    pub(crate) store: Option<Arc<dyn Store>>,
    /// What the hub's own listener holds open.
    pub(crate) http_load: Arc<HttpLoad>,
    /// The observer of the gateway's calls.
    pub(crate) feed: Arc<CallFeed>,
    /// Records messages while the owner wants it.
    pub(crate) recorder: Arc<MessageRecorder>,
}

/// The page of a hub, and where it can be visited now.
pub struct OwnerPage {
    page: Arc<HubPage>,
    rule_files: RuleFiles,
    origin: SharedOrigin,
    server: Server,
    stop: CancellationToken,
}

impl OwnerPage {
    pub(crate) fn new(parts: PageParts) -> Arc<Self> {
        let PageParts {
            gateway,
            server,
            first_profile,
            profiles,
            places,
            audit,
            usage,
            store,
            http_load,
            feed,
            recorder,
        } = parts;
        let (origin, stop) = (SharedOrigin::default(), CancellationToken::new());
        let status = gateway.status();
        let facts = PageFacts {
            version: build().to_owned(),
            instance: status.instance,
            project: status.project,
            profile_names: profiles.iter().map(|profile| profile.name().to_string()).collect(),
        };
        let refusals = AuditedRefusals::new(audit.clone());
        let log = audit.as_ref().map(|_| places.audit());
        let sign_ins = sign_in_report(audit.clone());
        let rules = Arc::new(ShownRules {
            gateway: Arc::clone(&gateway),
            places: places.clone(),
            audit: audit.clone(),
            logins: HubLogins::new(&places, store.clone()),
        });
        let rule_files = RuleFiles::new(places.clone(), gateway.owner_controls());
        let limits = HubLimits { gateway: Arc::clone(&gateway), server: server.clone(), http_load };
        let servers = Arc::new(OwnerServers {
            gateway: Arc::clone(&gateway),
            places: places.clone(),
            audit: audit.clone(),
        });
        let hub = Arc::new(ShownHub {
            gateway,
            first_profile,
            places,
            audit,
            origin: Arc::clone(&origin),
            usage,
            store,
            limits,
            recorder,
            started: Instant::now(),
        });
        let page = HubPage::new(HubPageOptions {
            facts,
            feed,
            source: Arc::clone(&hub) as _,
            actions: hub,
            servers,
            calls: Arc::new(HubViews { first: server.clone(), profiles }),
            rules,
            audit: log,
            refusals: Arc::new(move |refused: &RefusedPageRequest<'_>| {
                refusals.page_request_refused(refused);
            }),
            sign_ins,
            stop: stop.clone(),
        });
        Arc::new(Self { page, rule_files, origin, server, stop })
    }

    /// The routes of the page for a listener that only programs on this machine reach, or that
    /// requires tokens.
    pub fn routes(
        &self,
        connection: PageConnection,
        visitors: PageVisitors,
    ) -> Arc<dyn OpenRoutes> {
        page_routes(&self.page, connection, visitors)
    }

    /// From now on, links lead to the hub's own listener, which has the routes; its origin is such
    /// as `http://127.0.0.1:4815`.
    pub fn shown_at(&self, origin: &str) {
        *self.origin.lock() = PageOrigin::OfHub(origin.into());
    }

    /// Makes the page's events until the hub stops, and ends open streams when it begins to.
    pub(crate) fn run(
        self: &Arc<Self>,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let owned = Arc::clone(self);
        async move {
            let stopping = async {
                tokio::select! {
                    () = owned.server.stopping() => {}
                    () = stop.cancelled() => {}
                }
                owned.stop.cancel();
            };
            tokio::join!(stopping, owned.page.run());
        }
    }

    /// Tells open pages if rules, grants, tokens or approvals have changed in their files.
    pub(crate) fn config_checked(&self) {
        if self.rule_files.changed() {
            self.page.changed(PageChange::Rules);
        }
    }

    /// Tells open pages which kinds of records have changed, so that they read them again.
    pub(crate) fn store_changed(&self, event: &FeedEvent) {
        let changes = match event {
            FeedEvent::Changes(changes) | FeedEvent::Many(changes) => changes,
            FeedEvent::Everything => {
                for kind in [PageChange::Memory, PageChange::Tasks, PageChange::Trees] {
                    self.page.changed_for_all(kind);
                }
                return;
            }
        };
        for change in changes {
            let kind = match change.what {
                ChangedRecord::Memory { .. } => PageChange::Memory,
                ChangedRecord::Task { .. } => PageChange::Tasks,
                ChangedRecord::Tree { .. } => PageChange::Trees,
                // The page shows none of these.
                ChangedRecord::Prompt { .. } | ChangedRecord::ModelSession { .. } => continue,
            };
            self.page.changed_for(change.owner.as_str(), kind);
        }
    }

    /// What opens the page on request.
    pub(crate) fn listener(
        &self,
        places: Places,
        refusals: AuditedRefusals,
        clients: LocalClients,
    ) -> PageListener {
        let (page, origin) = (Arc::clone(&self.page), Arc::clone(&self.origin));
        let usual = DEFAULT_ADDRESS;
        PageListener { page, origin, places, refusals, clients, usual }
    }
}

/// Writes sign-ins to the page into the audit log.
fn sign_in_report(audit: Option<Arc<AuditLog>>) -> SignInReport {
    Arc::new(move |principal: &Principal, address: Option<IpAddr>| {
        if let Some(audit) = &audit {
            let principal = principal.as_str();
            audit.record(&AuditRecord { principal, address, ..AuditRecord::event("page/sign-in") });
        }
    })
}

impl fmt::Debug for OwnerPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerPage").field("origin", &self.origin.lock()).finish_non_exhaustive()
    }
}
