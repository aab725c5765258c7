//! The configuration and the upstreams made from it: one value behind the lock of the registry.
//!
//! `registry` changes it and `snapshots` reads it; it makes no decisions itself.

use crate::approvals::tools::ToolApprovals;
use crate::servers::installed::InstalledServers;
use hobnob_config::{Servers, Settings};
use hobnob_policy::RuleSet;
use std::sync::Arc;

/// The configuration, and the upstreams made from it.
pub(super) struct RegistryState {
    pub(super) settings: Arc<Settings>,
    pub(super) servers: Servers,
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
}

/// Problems of the servers' files, as text.
pub(super) fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}
