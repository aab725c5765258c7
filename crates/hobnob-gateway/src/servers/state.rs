//! What the user wants, and what is made of it: one value behind the lock of the registry.
//!
//! `registry` changes it and `snapshots` reads it; it decides nothing itself.

use crate::approvals::tools::ToolApprovals;
use crate::servers::installed::InstalledServers;
use hobnob_config::{Servers, Settings};
use hobnob_policy::RuleSet;
use std::sync::Arc;

/// What the user wants, and what is made of it.
pub(super) struct RegistryState {
    pub(super) settings: Arc<Settings>,
    pub(super) servers: Servers,
    /// The rules of each view, by its number.
    pub(super) rules: Vec<Arc<RuleSet>>,
    pub(super) approvals: ToolApprovals,
    pub(super) installed: InstalledServers,
    /// What is wrong with the settings and the files of servers.
    pub(super) problems: Vec<String>,
}

impl RegistryState {
    /// Everything that is wrong with the configuration and with what Hobnob keeps itself.
    pub(super) fn all_problems(&self) -> Vec<String> {
        self.problems.iter().cloned().chain(self.approvals.problems()).collect()
    }
}

/// What is wrong with the files, in words.
pub(super) fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}
