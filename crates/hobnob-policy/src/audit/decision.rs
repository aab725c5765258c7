//! The decision of rules and people, as the audit log records it.
//!
//! Only permits, refusals and open questions make an [`AuditDecision`], so no record can claim a
//! decision that was never taken.

use crate::verdict::DecidingRule;
use std::sync::Arc;

/// The decision's name in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A rule or a default allowed it.
    Allow,
    /// A rule denied it.
    Deny,
    /// A person was asked and said yes.
    AskGranted,
    /// A rule asked for a person, and no person agreed.
    AskRefused,
    /// There was nothing to decide.
    None,
}

impl Decision {
    /// The decision's word in the log, by which readers filter.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::AskGranted => "ask-granted",
            Self::AskRefused => "ask-refused",
            Self::None => "none",
        }
    }
}

/// A decision and the rule behind it. The default says that nothing had to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditDecision {
    decision: Decision,
    rule: Option<DecidingRule>,
}

impl AuditDecision {
    pub(crate) fn new(decision: Decision, rule: DecidingRule) -> Self {
        Self { decision, rule: Some(rule) }
    }

    /// The same decision, for a line that stands for refusals by several rules.
    pub(crate) fn without_rule(&self) -> Self {
        Self { decision: self.decision, rule: None }
    }

    /// For a program that a person set up for Hobnob to run: setting it up was the agreement, and
    /// no rule names programs.
    #[must_use]
    pub fn agreed_in_settings() -> Self {
        Self { decision: Decision::AskGranted, rule: None }
    }

    /// The decision without its rule.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The deciding rule in one line, if there was something to decide.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_ref().map(DecidingRule::as_str)
    }

    /// The deciding rule in one line, if a person wrote it: neither a default nor a grant.
    #[must_use]
    pub fn written_rule(&self) -> Option<&Arc<str>> {
        match &self.rule {
            Some(DecidingRule::Written(text)) => Some(text),
            Some(DecidingRule::Default | DecidingRule::Question | DecidingRule::Granted(_))
            | None => None,
        }
    }
}

impl Default for AuditDecision {
    fn default() -> Self {
        Self { decision: Decision::None, rule: None }
    }
}
