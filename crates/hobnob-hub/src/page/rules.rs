//! The page's part about rules, grants, tokens, approvals, lasting answers and logins: what decides
//! about calls, and the owner's changes of it.
//!
//! `page` makes one for the page's server. What must stay true: every change is what a command would
//! do, is recorded before it is made, and is about what the person saw.

mod changing;
mod deciding;
mod logins;
mod reading;
mod seen;
mod watching;

pub(super) use logins::HubLogins;
pub(super) use watching::RuleFiles;

use crate::change_log::ChangeLog;
use changing::ChangedHub;
use hobnob_config::Places;
use hobnob_gateway::Gateway;
use hobnob_mcp_engine::BoxFuture;
use hobnob_policy::audit::AuditLog;
use hobnob_ui::{
    ChangePreview, PageRules, RuleAnswer, RuleQuestion, RulesChange, RulesChanged, RulesProblem,
    RulesReport, ThoughtChange,
};
use std::sync::Arc;

/// The parts of a hub that decide about calls.
pub(super) struct ShownRules {
    pub(super) gateway: Arc<Gateway>,
    pub(super) places: Places,
    pub(super) audit: Option<Arc<AuditLog>>,
    pub(super) logins: HubLogins,
}

impl PageRules for ShownRules {
    fn read(&self) -> RulesReport {
        let mut report = reading::report(&self.places, &self.gateway.owner_controls());
        report.logins = self.logins.read();
        report
    }

    fn decide(&self, question: RuleQuestion) -> Result<RuleAnswer, RulesProblem> {
        deciding::decide_call(&self.places, &question)
    }

    fn preview(&self, change: ThoughtChange) -> Result<ChangePreview, RulesProblem> {
        deciding::preview(&self.places, change)
    }

    fn change(&self, change: RulesChange) -> BoxFuture<'_, Result<RulesChanged, RulesProblem>> {
        let (places, gateway) = (self.places.clone(), Arc::clone(&self.gateway));
        let (log, logins) = (ChangeLog::of(self.audit.clone()), self.logins.clone());
        Box::pin(async move {
            let changed = tokio::task::spawn_blocking(move || {
                let owner = gateway.owner_controls();
                let hub = ChangedHub { places: &places, log: &log, owner: &owner, logins: &logins };
                let changed = changing::change(&hub, change)?;
                gateway.read_again();
                Ok(changed)
            });
            let failed = |_| RulesProblem::Failed("nothing was changed; try again".to_owned());
            changed.await.map_err(failed).flatten()
        })
    }
}
