//! The permission rule that `hobnob add --allow` writes to `config.toml`.

use hobnob_config::{Places, RuleChange, RulePlan, RuleText, ServerName};
use hobnob_hub::change_log::ChangeLog;
use hobnob_policy::{Glob, RuleAction};

/// The name of the change in the audit log.
const METHOD: &str = "rules/write";

/// The rule for a whole server, ready to be written.
pub(super) struct PlannedRule {
    text: String,
    plan: RulePlan,
    log: ChangeLog,
}

/// Prepares the rule, and makes sure that it can be written.
pub(super) fn plan(places: &Places, name: &ServerName) -> anyhow::Result<PlannedRule> {
    let rule = RuleText {
        principal: None,
        group: None,
        server: Some(Glob::escape(name.as_str())),
        tool: Some("*".into()),
        pattern: None,
        action: RuleAction::Allow.as_str().into(),
    };
    let log = ChangeLog::open(places)?;
    let plan = RulePlan::new(&places.settings(), &rule)?;
    Ok(PlannedRule { text: rule.to_string(), plan, log })
}

impl PlannedRule {
    /// Records the rule in the audit log, unless the file has it. Call it before any file changes.
    pub(super) fn record(&self) -> anyhow::Result<()> {
        match self.plan.has_changes() {
            true => self.log.record(METHOD, &self.text),
            false => Ok(()),
        }
    }

    /// Records that the rule is not written after all.
    pub(super) fn give_up(&self) {
        if self.plan.has_changes() {
            self.log.not_done(METHOD, &self.text);
        }
    }

    /// Writes the file, and returns the rule in one line, with the action that it had before: a
    /// `deny` may have been written for a server that was still to come.
    pub(super) fn write(self) -> anyhow::Result<String> {
        let Self { text, plan, log } = self;
        match plan.write() {
            Ok(RuleChange::Replaced(before)) => Ok(format!("{text} (was: {before})")),
            Ok(RuleChange::Added | RuleChange::Unchanged) => Ok(text),
            Err(error) => {
                log.not_done(METHOD, &text);
                Err(error.into())
            }
        }
    }
}
