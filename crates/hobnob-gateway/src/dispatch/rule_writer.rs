//! Writes the rule that a person wants when they answer "always" or "never": recorded first, then
//! written to the settings.
//!
//! `guard` uses it for answers in clients, `owner_guard` for those on the page and of the command.

use crate::calls::record::{Recorder, event_of};
use hobnob_config::{RulePlan, RuleText};
use hobnob_mcp_engine::Caller;
use hobnob_policy::audit::{AuditRecord, AuditTarget};
use std::path::{Path, PathBuf};

/// Writes rules to the settings file.
#[derive(Clone)]
pub(crate) struct RuleWriter {
    file: PathBuf,
    recorder: Recorder,
}

impl RuleWriter {
    pub(crate) fn new(file: PathBuf, recorder: Recorder) -> Self {
        Self { file, recorder }
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Writes a rule because the person who made this call wants it; says why if that fails.
    pub(super) async fn write(&self, caller: &Caller, rule: &RuleText) -> Result<(), String> {
        let text = rule.to_string();
        let change =
            AuditRecord { target: AuditTarget::Grant(&text), ..event_of(caller, "rules/write") };
        let written = match self.recorder.decide(&change).await {
            Ok(()) => RulePlan::new(&self.file, rule)
                .and_then(RulePlan::write)
                .map(drop)
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let file = self.file.display();
        match &written {
            Ok(()) => {
                tracing::info!(%file, rule = text, "a person decided about a tool with a rule")
            }
            Err(error) => tracing::warn!(%file, error, "the rule a person wanted is not written"),
        }
        written
    }
}
