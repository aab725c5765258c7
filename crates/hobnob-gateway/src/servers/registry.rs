//! The configured servers and the snapshots that views have of them.
//!
//! Every change of what clients see (a file, an upstream's lists, an approval, a new view) goes
//! through the one lock in here, and new snapshots are in place before the lock is released.

use crate::approvals::tools::ToolApprovals;
use crate::catalog::{EntryOwner, InvalidOverride, OverrideProblem};
use crate::identity::HubIdentity;
use crate::servers::gate::ServerGate;
use crate::servers::installed::{InstalledServer, InstalledServers};
use crate::servers::lists_cache::ListsCache;
use crate::servers::rules::permission_rules;
use crate::servers::snapshots::{replace, snapshot};
use crate::servers::state::{RegistryState, problems};
use crate::upstream::LoginPages;
use crate::upstream::history::ServerHistories;
use crate::upstream::server::{Upstream, UpstreamContext};
use crate::view::error::GatewayError;
use crate::view::open_views::OpenViews;
use crate::view::{View, ViewId, ViewOptions};
use hobnob_config::{Approvals, Broken, Places, Servers, Settings, compare, process_environment};
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_policy::{RuleError, RuleSet};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Notify;

/// The parts that a registry is built from.
pub(crate) struct RegistryOptions {
    pub(crate) settings: Settings,
    pub(crate) servers: Servers,
    pub(crate) approvals: ToolApprovals,
    pub(crate) identity: Arc<HubIdentity>,
    pub(crate) project: PathBuf,
    pub(crate) cache: ListsCache,
    pub(crate) context: Arc<UpstreamContext>,
    pub(crate) views: Arc<OpenViews>,
    /// Notified whenever a view has a new snapshot.
    pub(crate) published: Arc<Notify>,
}

/// The configured servers, their upstreams, and the views that show them.
pub(crate) struct ServerRegistry {
    state: Mutex<RegistryState>,
    views: Arc<OpenViews>,
    published: Arc<Notify>,
    /// What happened to each server lately.
    pub(crate) histories: Arc<ServerHistories>,
}

impl ServerRegistry {
    /// A registry without upstreams: no view shows a server yet.
    pub(crate) fn new(options: RegistryOptions) -> Self {
        let problems = problems(&options.servers);
        let histories = Arc::clone(&options.context.histories);
        Self {
            state: Mutex::new(RegistryState {
                settings: Arc::new(options.settings),
                servers: options.servers,
                gate: ServerGate::new(options.identity, options.project),
                rules: Vec::new(),
                approvals: options.approvals,
                installed: InstalledServers::new(options.context, options.cache),
                problems,
            }),
            views: options.views,
            published: options.published,
            histories,
        }
    }

    /// Opens a view, completed by `attach` before any client sees it. Installs servers that no
    /// earlier view included, from stored lists and without a start, and returns their upstreams.
    pub(crate) fn open_view(
        &self,
        options: ViewOptions,
        attach: impl FnOnce(&Arc<View>) -> Result<(), KitError>,
    ) -> Result<(Arc<View>, Vec<Arc<Upstream>>), GatewayError> {
        let mut state = self.state.lock();
        let rules = Arc::new(permission_rules(&state.settings, options.profile.as_ref())?);
        let view = View::new(self.views.next_id(), options)?;
        attach(&view)?;
        let first = snapshot(&state, &view, &rules);
        if let Some(bad) = first.catalogue.report.invalid_overrides.iter().find(|bad| is_fatal(bad))
        {
            return Err(GatewayError::Profile(bad.clone()));
        }
        state.rules.push(Arc::clone(&rules));
        self.views.push(&view);
        let names: Vec<_> = state.servers.iter().map(|server| server.name.clone()).collect();
        let missing = names.iter().filter(|name| state.installed.get(name.as_str()).is_none());
        let missing: Vec<_> = missing.cloned().collect();
        let added = missing.iter().filter_map(|name| state.install(name.as_str(), &self.views));
        let added = added.collect();
        self.replace(&view, &state, &rules);
        Ok((view, added))
    }

    /// Replaces a view's kit of the same name and notifies clients of lists that differ. Changes
    /// nothing if another kit has one of the new kit's names.
    pub(crate) fn replace_kit(&self, view: ViewId, kit: Kit) -> Result<(), KitError> {
        let Some(view) = self.views.get(view) else { return Ok(()) };
        view.toolbox.replace(kit)?;
        let state = self.state.lock();
        if let Some(rules) = state.rules.get(view.id.0) {
            self.replace(&view, &state, rules);
        }
        Ok(())
    }

    /// Takes the new approvals and reads the servers' files with them.
    pub(crate) fn read_servers(
        &self,
        places: &Places,
        approvals: Result<Approvals, Broken>,
    ) -> Servers {
        let mut state = self.state.lock();
        state.approvals.replace(approvals);
        state.servers.reload(places, &process_environment, state.approvals.current().ok())
    }

    /// Applies the configuration; the earlier settings stay in force if the new ones cannot be
    /// used. Returns the new upstreams.
    pub(crate) fn apply(
        &self,
        settings: Result<Settings, String>,
        servers: Servers,
    ) -> Vec<Arc<Upstream>> {
        let mut state = self.state.lock();
        let mut problems = problems(&servers);
        match settings {
            Ok(settings) => match self.rules_of_views(&settings) {
                Ok(rules) => {
                    state.installed.adopt(&settings);
                    state.settings = Arc::new(settings);
                    state.rules = rules;
                    self.views.all().iter().for_each(|view| view.consents.rules_read());
                }
                Err(error) => problems.push(format!("{error}; the earlier settings stay")),
            },
            Err(problem) => problems.push(format!("{problem}; the earlier settings stay")),
        }
        for problem in problems.iter().filter(|problem| !state.problems.contains(problem)) {
            tracing::warn!(problem, "configuration");
        }
        let changes = compare(&state.servers, &servers);
        state.servers = servers;
        state.problems = problems;
        let changed = changes.iter().filter_map(|change| state.change(change, &self.views));
        let mut added: Vec<_> = changed.collect();
        added.extend(state.reconsider(&self.views));
        self.publish_locked(&state);
        added
    }

    /// Updates the catalogue with an upstream's new lists.
    pub(crate) fn on_lists_changed(&self, upstream: &Arc<Upstream>) {
        let mut state = self.state.lock();
        // Lists that arrive after their server was replaced are dropped.
        if state.is_current(upstream) == Some(true) {
            let RegistryState { installed, approvals, .. } = &mut *state;
            installed.prepare(upstream.name(), approvals);
            self.publish_locked(&state);
        }
    }

    /// Publishes new snapshots after a change inside the state.
    pub(crate) fn publish(&self) {
        self.publish_locked(&self.state.lock());
    }

    /// Calls `forget` unless another upstream has taken this one's name. It holds the lock, so that
    /// no upstream can take the name meanwhile.
    pub(crate) fn unless_replaced(&self, upstream: &Arc<Upstream>, forget: impl FnOnce()) {
        let state = self.state.lock();
        if state.is_current(upstream) != Some(false) {
            forget();
        }
    }

    pub(crate) fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.state.lock().installed.upstreams()
    }

    /// Sets the pages on which named principals log in.
    pub(crate) fn set_login_pages(&self, pages: LoginPages) {
        self.state.lock().installed.set_login_pages(pages);
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.state.lock().settings)
    }

    /// The configuration's problems, and all servers, at one moment.
    pub(crate) fn overview(&self) -> (Vec<String>, BTreeMap<Arc<str>, InstalledServer>) {
        let state = self.state.lock();
        let servers = state.installed.iter().map(|(name, one)| (Arc::clone(name), one.clone()));
        (state.all_problems(), servers.collect())
    }

    /// Ends every server and prevents further starts.
    pub(crate) fn shut_down(&self) {
        self.state.lock().installed.shut_down();
    }

    fn rules_of_views(&self, settings: &Settings) -> Result<Vec<Arc<RuleSet>>, RuleError> {
        let of = |view: &Arc<View>| permission_rules(settings, view.profile.as_ref()).map(Arc::new);
        self.views.all().iter().map(of).collect()
    }

    fn publish_locked(&self, state: &RegistryState) {
        for (view, rules) in self.views.all().iter().zip(&state.rules) {
            self.replace(view, state, rules);
        }
    }

    fn replace(&self, view: &View, state: &RegistryState, rules: &Arc<RuleSet>) {
        replace(view, snapshot(state, view, rules));
        // A watched resource may belong to a server that is new or was replaced.
        self.published.notify_one();
    }
}

/// Whether a view must not open with this override: a built-in will not change any more, while a
/// server's tool may.
fn is_fatal(bad: &InvalidOverride) -> bool {
    bad.owner == EntryOwner::BuiltIn && !matches!(bad.problem, OverrideProblem::Name(_))
}
