//! The installed upstreams, each with its part of the catalogue.
//!
//! `registry` holds them behind its lock and decides which servers are installed. A server that no
//! view shows has no upstream.

use crate::approvals::tools::{HeldBackTool, ToolApprovals};
use crate::servers::lists_cache::ListsCache;
use crate::servers::prepare::{ServerCatalogue, prepare};
use crate::upstream::LoginPages;
use crate::upstream::configured::Configured;
use crate::upstream::server::{Upstream, UpstreamContext};
use hobnob_config::Settings;
use hobnob_text::shell_word;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All upstreams by their names in the configuration.
pub(super) struct InstalledServers {
    servers: BTreeMap<Arc<str>, InstalledServer>,
    context: Arc<UpstreamContext>,
    cache: ListsCache,
}

/// One upstream and its part of the catalogue.
#[derive(Clone)]
pub(crate) struct InstalledServer {
    pub(crate) upstream: Arc<Upstream>,
    /// `None` until the server's lists are known.
    pub(crate) catalogue: Option<ServerCatalogue>,
}

impl InstalledServer {
    /// The tools that clients do not see until a person approves them.
    pub(crate) fn held_back(&self) -> &[HeldBackTool] {
        self.catalogue.as_ref().map(|it| it.held_back.as_slice()).unwrap_or_default()
    }
}

impl InstalledServers {
    pub(super) fn new(context: Arc<UpstreamContext>, cache: ListsCache) -> Self {
        Self { servers: BTreeMap::new(), context, cache }
    }

    pub(super) fn get(&self, name: &str) -> Option<&InstalledServer> {
        self.servers.get(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &InstalledServer)> {
        self.servers.iter()
    }

    pub(super) fn set_login_pages(&self, pages: LoginPages) {
        // Set once: a hub has only one listener with login pages.
        drop(self.context.login_pages.set(pages));
    }

    pub(super) fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.servers.values().map(|it| Arc::clone(&it.upstream)).collect()
    }

    /// Creates the upstream of a server, with its stored lists.
    pub(super) fn install(
        &mut self,
        configured: Configured,
        approvals: &mut ToolApprovals,
    ) -> Arc<Upstream> {
        let stored = configured.is_startable().then(|| self.cache.load(&configured.identity));
        let upstream = Upstream::new(configured, Arc::clone(&self.context), stored.flatten());
        let installed = InstalledServer { upstream: Arc::clone(&upstream), catalogue: None };
        self.servers.insert(upstream.name().into(), installed);
        self.prepare(upstream.name(), approvals);
        upstream
    }

    /// Removes an upstream; calls that run on it may finish.
    pub(super) fn uninstall(&mut self, name: &str) {
        let old = self.servers.remove(name);
        for running in old.iter().flat_map(|old| old.upstream.connections.retire()) {
            self.context.tasks.tracker.spawn(running.stop_gently());
        }
    }

    /// Prepares a server's part of the catalogue again from its current lists.
    pub(super) fn prepare(&mut self, name: &str, approvals: &mut ToolApprovals) {
        let Some(installed) = self.servers.get_mut(name) else { return };
        let Some(lists) = installed.upstream.lists.get().lists else { return };
        let catalogue = prepare(&installed.upstream.configured(), &lists, approvals);
        log_held_back(name, installed.held_back(), &catalogue.held_back);
        installed.catalogue = Some(catalogue);
    }

    /// Makes later starts of programs follow these settings.
    pub(super) fn adopt(&self, settings: &Settings) {
        self.context.launcher.write().adopt(settings);
    }

    /// Ends all connections, and starts that wait for a slot.
    pub(super) fn shut_down(&self) {
        self.context.limiter.close();
        for installed in self.servers.values() {
            for running in installed.upstream.connections.retire() {
                running.stop.cancel();
            }
        }
    }
}

/// Logs the tools that are held back now and were not before.
fn log_held_back(server: &str, before: &[HeldBackTool], now: &[HeldBackTool]) {
    let new: Vec<&str> =
        now.iter().filter(|it| !before.contains(it)).map(|(name, _)| name.as_str()).collect();
    if !new.is_empty() {
        let (tools, look) = (new.join(", "), format!("hobnob approve {}", shell_word(server)));
        tracing::warn!(server, tools, look, "new or changed tools are held back until approved");
    }
}
