//! What the rules say about one call, and the sentence that explains it to a person.
//!
//! [`decide`](crate::decide) is the only source of verdicts. A verdict permits nothing by itself:
//! [`authorize`](crate::authorize) turns it into a permit, a question or a refusal.

use std::sync::Arc;

use hobnob_text::display_safe;

use crate::glob::Glob;
use crate::rule::{PermissionRule, RuleAction};
use crate::subject::Subject;

/// Maximum number of characters of a peer's tool name that a message repeats.
const MAX_NAME_CHARS: usize = 128;

/// What the rules say about one call.
#[derive(Debug, Clone)]
#[must_use = "a verdict that nobody looks at protects nothing"]
pub struct RuleVerdict {
    /// The name that decided; empty if nothing needs an explanation.
    tool: Box<str>,
    action: RuleAction,
    because: VerdictReason,
    /// The server and its own name of the tool, if the person could add a rule for them.
    addable: Option<(Box<str>, Box<str>)>,
    /// A rule that would have allowed the call, if its name were unambiguous.
    unclear: Option<Box<str>>,
}

/// Why a verdict is as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerdictReason {
    /// This rule was the most specific that applied.
    Rule {
        /// Its position among all rules, from 0.
        index: usize,
        /// The rule in one line.
        text: Arc<str>,
        /// Where it was written.
        place: Arc<str>,
        /// The rule's own action; a management tool runs although a rule asks.
        says: RuleAction,
    },
    /// No rule applied; the text says which default did.
    Default(&'static str),
}

/// What the audit calls a decision that no rule made.
const DEFAULT: &str = "default";

/// Which rule decided, as the audit names it; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidingRule {
    /// A rule that a person wrote, in one line.
    Written(Arc<str>),
    /// No rule applied, so the default for the kind of subject did.
    Default,
    /// A rule asks for a person, and the person was asked.
    Question,
    /// A grant covers it, in one line such as `files /home/a/p write`.
    Granted(Arc<str>),
}

impl DecidingRule {
    /// The word or the line in the log.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Written(text) | Self::Granted(text) => text,
            Self::Default => DEFAULT,
            Self::Question => "asked",
        }
    }
}

impl RuleVerdict {
    pub(crate) fn new(subject: &Subject<'_>, action: RuleAction, because: VerdictReason) -> Self {
        let addable = match (&because, action, subject.server, subject.original) {
            (VerdictReason::Default(_), RuleAction::Ask, Some(server), Some(original)) => {
                Some((server.into(), original.into()))
            }
            _ => None,
        };
        // A call that is allowed needs no explanation, so its path copies no name.
        let tool = if action == RuleAction::Allow { "" } else { subject.tool };
        Self { tool: tool.into(), action, because, addable, unclear: None }
    }

    /// The same verdict, with a rule that could not count because its name is ambiguous.
    pub(crate) fn beside(mut self, unclear: Option<&PermissionRule>) -> Self {
        let matters = unclear.filter(|_| self.action != RuleAction::Allow);
        self.unclear = matters.map(|rule| rule.to_string().into());
        self
    }

    /// What happens to the call.
    #[must_use]
    pub fn action(&self) -> RuleAction {
        self.action
    }

    /// The rule or the default that decided.
    #[must_use]
    pub fn because(&self) -> &VerdictReason {
        &self.because
    }

    /// The deciding rule in one line, or `default`, as the audit names it.
    #[must_use]
    pub fn rule(&self) -> &str {
        match &self.because {
            VerdictReason::Rule { text, .. } => text,
            VerdictReason::Default(_) => DEFAULT,
        }
    }

    /// One sentence for a person: what decided, where it stands, what can be done.
    #[must_use]
    pub fn explain(&self) -> String {
        let why = self.explain_action();
        match &self.unclear {
            None => why,
            Some(rule) => format!(
                "{why}; rule {rule} allows nothing here, because its name could also mean a tool \
                 of another server: write `server` and `tool` apart"
            ),
        }
    }

    /// Why a person is asked, in a few words beside a question.
    #[must_use]
    pub fn asked_because(&self) -> String {
        match &self.because {
            VerdictReason::Rule { text, place, .. } => format!("rule `{text}` ({place}) asks"),
            VerdictReason::Default(_) => "no rule decides about it".to_owned(),
        }
    }

    fn explain_action(&self) -> String {
        let verb = match self.action {
            RuleAction::Allow => "allowed",
            RuleAction::Ask => "asks",
            RuleAction::AskOwner => "asks the owner",
            RuleAction::Deny => "denied",
        };
        match &self.because {
            VerdictReason::Rule { text, place, says, .. } if *says == self.action => {
                format!("{verb} by rule `{text}` ({place})")
            }
            VerdictReason::Rule { text, place, .. } => {
                format!("{verb}: rule `{text}` ({place}) asks, but management tools never ask")
            }
            VerdictReason::Default(why) if self.action == RuleAction::Ask => {
                let names = match &self.addable {
                    Some((server, tool)) => {
                        format!("server = {}, tool = {}", written(server), written(tool))
                    }
                    None => format!("tool = {}", written(&self.tool)),
                };
                let name = shortened(&self.tool);
                format!(
                    "{verb} by default: {why} ({name}); add one with {names} and action = \
                     \"allow\" or \"deny\""
                )
            }
            VerdictReason::Default(why) => format!("{verb} by default: {why}"),
        }
    }

    /// The name that decided: of two names, the one with the stricter rule.
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    pub(crate) fn deciding_rule(&self) -> DecidingRule {
        match &self.because {
            VerdictReason::Rule { text, .. } => DecidingRule::Written(Arc::clone(text)),
            VerdictReason::Default(_) => DecidingRule::Default,
        }
    }
}

/// A peer's name, cut for a message.
fn shortened(name: &str) -> String {
    display_safe(name).chars().take(MAX_NAME_CHARS).collect()
}

/// A name as a glob that matches nothing else, in quotation marks.
fn written(name: &str) -> String {
    format!("\"{}\"", shortened(&Glob::escape(name).replace('\\', "\\\\")))
}
