//! The configuration and the upstreams made from it: one value behind the lock of the registry.
//!
//! `registry` changes it and `snapshots` reads it. Which servers are installed is decided here.

use crate::approvals::tools::ToolApprovals;
use crate::servers::gate::ServerGate;
use crate::servers::installed::InstalledServers;
use crate::upstream::configured::Configured;
use crate::upstream::server::Upstream;
use crate::view::open_views::OpenViews;
use hobnob_config::{ChangeKind, ServerChange, Servers, Settings};
use hobnob_policy::RuleSet;
use std::sync::Arc;

/// The configuration, and the upstreams made from it.
pub(super) struct RegistryState {
    pub(super) settings: Arc<Settings>,
    pub(super) servers: Servers,
    pub(super) gate: ServerGate,
    /// The rules of each view, indexed by view id.
    pub(super) rules: Vec<Arc<RuleSet>>,
    pub(super) approvals: ToolApprovals,
    pub(super) installed: InstalledServers,
    /// Problems of the settings and of the servers' files.
    pub(super) problems: Vec<String>,
}

impl RegistryState {
    /// Problems of the configuration and of the approvals that Hobnob stores.
    pub(super) fn all_problems(&self) -> Vec<String> {
        self.problems.iter().cloned().chain(self.approvals.problems()).collect()
    }

    /// Installs a server if any view includes it.
    pub(super) fn install(&mut self, name: &str, views: &OpenViews) -> Option<Arc<Upstream>> {
        if !views.include_server(name) {
            return None;
        }
        let configured = self.configure(name)?;
        Some(self.installed.install(configured, &mut self.approvals))
    }

    /// Installs and uninstalls servers after a change of the configuration.
    pub(super) fn change(
        &mut self,
        change: &ServerChange,
        views: &OpenViews,
    ) -> Option<Arc<Upstream>> {
        match change {
            ServerChange::Added(name) => self.install(name.as_str(), views),
            ServerChange::Removed(name) => {
                self.installed.uninstall(name.as_str());
                None
            }
            // The connection stays; `reconsider` applies the new settings.
            ServerChange::Changed { kind: ChangeKind::Settings, .. } => None,
            ServerChange::Changed { name, kind: ChangeKind::Restart } => {
                tracing::info!(server = name.as_str(), "changed, so it is started anew");
                self.installed.uninstall(name.as_str());
                self.install(name.as_str(), views)
            }
        }
    }

    /// Applies changed approvals, rules and settings to servers whose own entries did not change.
    pub(super) fn reconsider(&mut self, views: &OpenViews) -> Vec<Arc<Upstream>> {
        let mut added = Vec::new();
        for upstream in self.installed.upstreams() {
            let Some(now) = self.configure(upstream.name()) else { continue };
            let before = upstream.configured();
            let is_another = now.sandbox() != before.sandbox();
            if now.gate != before.gate || now.spec.is_ok() != before.spec.is_ok() || is_another {
                self.installed.uninstall(upstream.name());
                added.extend(self.install(upstream.name(), views));
                continue;
            }
            upstream.reconfigure(now);
            self.installed.prepare(upstream.name(), &mut self.approvals);
        }
        added
    }

    /// Whether this upstream is the installed one of its name; `None` if none is installed.
    pub(super) fn is_current(&self, upstream: &Arc<Upstream>) -> Option<bool> {
        let current = self.installed.get(upstream.name())?;
        Some(Arc::ptr_eq(&current.upstream, upstream))
    }

    fn configure(&self, name: &str) -> Option<Configured> {
        let server = self.servers.get(name)?;
        Some(self.gate.configure(server, &self.settings, self.approvals.current()))
    }
}

/// Problems of the servers' files, as text.
pub(super) fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}
