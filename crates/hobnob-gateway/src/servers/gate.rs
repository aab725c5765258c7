//! Whether a configured server may run at all, and the settings it runs with.
//!
//! `registry` asks for each server whenever its entry, a setting or an approval changes.

use crate::identity::HubIdentity;
use crate::upstream::configured::{Configured, Gate};
use hobnob_config::{Approvals, ConfiguredServer, Origin, Settings, Switch};
use std::path::PathBuf;
use std::sync::Arc;

/// What it takes, besides the configuration, to decide whether a server may run.
pub(crate) struct ServerGate {
    identity: Arc<HubIdentity>,
    project: PathBuf,
}

impl ServerGate {
    /// The gate of this hub, which serves this project.
    pub(crate) fn new(identity: Arc<HubIdentity>, project: PathBuf) -> Self {
        Self { identity, project }
    }

    /// A server with everything that its upstream needs from the configuration.
    pub(crate) fn configure(
        &self,
        server: &ConfiguredServer,
        settings: &Settings,
        approvals: Result<&Approvals, &str>,
    ) -> Configured {
        let spec = server.state.as_ref().map_err(ToString::to_string);
        Configured {
            name: server.name.clone(),
            origin: server.origin,
            identity: server.identity,
            waiting: server.waiting.is_some(),
            gate: self.decide(server, approvals),
            spec: spec.map(|spec| (spec.clone(), settings.for_server(&server.name, spec))),
        }
    }

    fn decide(&self, server: &ConfiguredServer, approvals: Result<&Approvals, &str>) -> Gate {
        if server.switch == Switch::Off {
            return Gate::Disabled;
        }
        if server.state.as_ref().is_ok_and(|spec| self.identity.is_started_by(&spec.target)) {
            return Gate::Ourselves;
        }
        match (server.origin, approvals) {
            (Origin::User | Origin::Own, _) => Gate::Open,
            (Origin::Project, Err(why)) => Gate::ApprovalsBroken(why.to_owned()),
            (Origin::Project, Ok(approvals)) => {
                if approvals.is_approved(&self.project, &server.name, &server.digest) {
                    Gate::Open
                } else {
                    Gate::NeedsApproval
                }
            }
        }
    }
}
