//! The permission rule that `hobnob add --allow` writes to `config.toml`.

use hobnob_config::{Places, RuleEditError, RulePlan, RuleText, ServerName};
use hobnob_policy::{Glob, RuleAction};

/// The rule for a whole server, ready to be written.
pub(super) struct PlannedRule {
    server: ServerName,
    plan: RulePlan,
}

/// Prepares the rule, and makes sure that it can be written.
pub(super) fn plan(places: &Places, name: &ServerName) -> Result<PlannedRule, RuleEditError> {
    let rule = RuleText {
        server: Some(Glob::escape(name.as_str())),
        tool: Some("*".into()),
        pattern: None,
        action: RuleAction::Allow.as_str().into(),
    };
    let plan = RulePlan::new(&places.settings(), &rule)?;
    Ok(PlannedRule { server: name.clone(), plan })
}

impl PlannedRule {
    /// Writes the file, and returns the rule in one line.
    pub(super) fn write(self) -> Result<String, RuleEditError> {
        self.plan.write()?;
        Ok(format!("{}/* allow", self.server))
    }
}
