//! Records each change that a person makes with a command or on the page in the audit log, before it
//! takes effect.
//!
//! Changes of grants, rules, tokens, users and approvals use it. What must stay true: a change
//! that cannot be recorded is not made, and a change that fails is then recorded as refused.

use crate::opened_audit::open_audit;
use hobnob_config::{Places, Settings};
use hobnob_policy::audit::{AuditDecision, AuditLog, AuditOutcome, AuditRecord, AuditTarget};
use std::sync::Arc;

/// The log for the changes of one command or of the page; it records nothing if the audit log is switched off.
pub struct ChangeLog {
    log: Option<Arc<AuditLog>>,
}

impl ChangeLog {
    /// Opens the audit log that the settings on disk name.
    pub fn open(places: &Places) -> anyhow::Result<Self> {
        let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
        Self::with_settings(places, &settings)
    }

    /// Opens the audit log that these settings name.
    pub fn with_settings(places: &Places, settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self { log: open_audit(places, settings)? })
    }

    /// The log that a hub has open already.
    pub(crate) fn of(log: Option<Arc<AuditLog>>) -> Self {
        Self { log }
    }

    /// Records a change that is about to be made, and returns when the record is on disk.
    pub fn record(&self, method: &str, text: &str) -> anyhow::Result<()> {
        match &self.log {
            Some(log) => Ok(log.decide_and_wait(&change(method, text, AuditOutcome::Ok))?),
            None => Ok(()),
        }
    }

    /// Records a change, then makes it; a change that fails is also recorded as refused.
    pub fn recorded<T, E: Into<anyhow::Error>>(
        &self,
        method: &str,
        text: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> anyhow::Result<T> {
        self.record(method, text)?;
        make().map_err(|error| {
            self.not_done(method, text);
            error.into()
        })
    }

    /// Records that a change was not made after all.
    pub fn not_done(&self, method: &str, text: &str) {
        if let Some(log) = &self.log {
            log.notice(&change(method, text, AuditOutcome::Refused));
        }
    }
}

fn change<'a>(method: &'a str, text: &'a str, outcome: AuditOutcome) -> AuditRecord<'a> {
    AuditRecord {
        target: AuditTarget::Grant(text),
        decision: AuditDecision::agreed_in_settings(),
        outcome,
        ..AuditRecord::event(method)
    }
}
