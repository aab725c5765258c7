//! What the user wants, and what is made of it: one value behind one lock.
//!
//! Whoever changes it puts new snapshots in place before the lock is let go (`servers::publish`).

use crate::catalog::PreparedServer;
use crate::servers::sightings::Remembering;
use crate::upstream::server::Upstream;
use hobnob_config::{
    Approvals, Broken, Cause, Pins, Profile, RuleText, ServerKey, Servers, Settings,
};
use hobnob_policy::{RuleError, RuleSet, RuleSource};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What the user wants, and what is made of it.
pub(crate) struct Config {
    pub(crate) settings: Arc<Settings>,
    pub(crate) servers: Servers,
    /// The rules of each view, by its number.
    pub(crate) rules: Vec<Arc<RuleSet>>,
    pub(crate) upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    pub(crate) prepared: BTreeMap<Arc<str>, ServerCatalogue>,
    /// What people have approved, as last read, or why that cannot be trusted.
    pub(crate) approvals: Result<Approvals, String>,
    /// Why the approvals could not be read the last time, though those read before still count.
    pub(crate) approvals_problem: Option<String>,
    /// A file could not be read for a reason that may pass by itself.
    pub(crate) unreadable: bool,
    /// What tools looked like when this process first saw them; the file may not have it yet.
    pub(crate) first_seen: Vec<(ServerKey, Pins)>,
    /// What is being written to that file.
    pub(crate) remembering: Remembering,
    /// What is wrong with the settings and the files of servers.
    pub(crate) problems: Vec<String>,
}

/// One upstream's part of the catalogue.
#[derive(Clone)]
pub(crate) struct ServerCatalogue {
    pub(crate) entries: Arc<PreparedServer>,
    pub(crate) quarantine: Vec<(String, &'static str)>,
}

impl Config {
    pub(crate) fn new(settings: Settings, servers: Servers, approvals: &Path) -> Self {
        let problems = problems(&servers);
        let approvals = Approvals::load(approvals);
        let unreadable = approvals.as_ref().is_err_and(|it| it.0.cause == Cause::Unreadable);
        if let Err(broken) = &approvals {
            tracing::error!(%broken, "approvals");
        }
        Self {
            settings: Arc::new(settings),
            servers,
            rules: Vec::new(),
            upstreams: BTreeMap::new(),
            prepared: BTreeMap::new(),
            approvals: approvals.map_err(|broken| broken.to_string()),
            approvals_problem: None,
            unreadable,
            first_seen: Vec::new(),
            remembering: Remembering::default(),
            problems,
        }
    }

    /// Everything that is wrong with the configuration and with what Hobnob keeps itself.
    pub(crate) fn all_problems(&self) -> Vec<String> {
        let approvals = self.approvals.as_ref().err().or(self.approvals_problem.as_ref());
        let others = approvals.cloned().into_iter().chain(self.remembering.problem());
        self.problems.iter().cloned().chain(others).collect()
    }

    /// Takes what people have approved by now. What this process saw first counts even if it
    /// could not be written down. Approvals that cannot be read for a reason that may pass by
    /// itself stay as they were; contents that cannot be trusted close everything.
    pub(crate) fn take_approvals(&mut self, read: Result<Approvals, Broken>) {
        self.approvals_problem = None;
        match read {
            Ok(mut approvals) => {
                for (key, pins) in &self.first_seen {
                    if approvals.pins(key).is_none() {
                        approvals.set_pins(key.clone(), pins.clone());
                    }
                }
                self.approvals = Ok(approvals);
            }
            Err(broken) => {
                tracing::error!(%broken, "approvals");
                if broken.0.cause == Cause::Unreadable && self.approvals.is_ok() {
                    let problem = format!("{}; what was approved before stays so", broken.0);
                    self.approvals_problem = Some(problem);
                } else {
                    self.approvals = Err(broken.to_string());
                }
            }
        }
    }
}

/// What is wrong with the files, in words.
pub(crate) fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}

/// The rules of a profile and of the settings.
pub(crate) fn rules(settings: &Settings, profile: Option<&Profile>) -> Result<RuleSet, RuleError> {
    let text = |origin: &str| {
        let origin = origin.to_owned();
        move |rule: &RuleText| RuleSource {
            origin: origin.clone(),
            server: rule.server.clone(),
            tool: rule.tool.clone(),
            pattern: rule.pattern.clone(),
            action: rule.action.clone(),
        }
    };
    let of_profile = profile.map(|profile| profile.permissions.as_slice()).unwrap_or_default();
    let all = of_profile.iter().map(text("profile"));
    RuleSet::parse(all.chain(settings.permissions.iter().map(text("config.toml"))).collect())
}
