//! A verdict, and what becomes of it: a permit, a question, or a refusal.
//!
//! Fields are private and nothing here is built outside of this crate, so whoever holds a
//! [`Permit`] has been through [`decide`](crate::decide) and, where a rule asks, past a person.

use std::sync::Arc;

use crate::audit::Decision;
use crate::decide::Subject;
use crate::glob::Glob;
use crate::grants::{GrantKey, Grants};
use crate::poison::display_safe;
use crate::rule::{Action, Rule};

/// Characters of a peer's tool name that a message repeats.
const SHOWN: usize = 128;

/// What the rules say about one call.
#[derive(Debug, Clone)]
#[must_use = "a verdict that nobody looks at protects nothing"]
pub struct Verdict {
    tool: Box<str>,
    action: Action,
    because: Because,
    /// The server and its own name of the tool, where a rule could be added for them.
    addable: Option<(Box<str>, Box<str>)>,
    /// A rule that would have allowed it, if its name had one meaning.
    unclear: Option<Box<str>>,
}

/// Why a verdict is as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// This rule was the most specific that applied.
    Rule {
        /// Its position among all rules, from 0.
        index: usize,
        /// The rule in one line.
        text: Arc<str>,
        /// Where it was written.
        place: Arc<str>,
        /// Its own action; a management tool goes on although a rule asks.
        says: Action,
    },
    /// No rule applied; the text says which default did.
    Default(&'static str),
}

/// A verdict, taken apart.
#[derive(Debug)]
pub enum Settled {
    /// Go on.
    Permitted(Permit),
    /// Ask a person, then [`Asked::granted`] or [`Asked::refused`].
    Asked(Asked),
    /// Refuse.
    Denied(Denied),
}

/// The witness that a call may be made. It is used up by the call: it cannot be copied.
#[derive(Debug)]
pub struct Permit {
    tool: Box<str>,
    rule: Box<str>,
    granted: Option<GrantedBy>,
}

/// A call that waits for a person.
#[derive(Debug)]
pub struct Asked(Verdict);

/// A call that may not be made; its message is for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Denied {
    message: String,
    rule: Box<str>,
    decision: Decision,
}

/// Who said yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantedBy {
    /// A person at the terminal.
    Terminal,
    /// A person through the client that made the call.
    Client,
    /// The person who typed the call as a command.
    CommandLine,
    /// An answer that was given before and still holds.
    Remembered,
}

/// Why nobody said yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedBy {
    /// A person said no.
    Person,
    /// There was no one to ask.
    Nobody,
    /// The question was not answered in time.
    Silence,
    /// What would run could not be shown to anybody.
    Unseen,
}

impl Verdict {
    pub(crate) fn new(subject: &Subject<'_>, action: Action, because: Because) -> Self {
        let addable = match (&because, action, subject.server, subject.original) {
            (Because::Default(_), Action::Ask, Some(server), Some(original)) => {
                Some((server.into(), original.into()))
            }
            _ => None,
        };
        Self { tool: subject.tool.into(), action, because, addable, unclear: None }
    }

    /// The same, and says that this rule could not be counted.
    pub(crate) fn beside(mut self, unclear: Option<&Rule>) -> Self {
        let matters = unclear.filter(|_| self.action != Action::Allow);
        self.unclear = matters.map(|rule| rule.to_string().into());
        self
    }

    /// What is to happen.
    #[must_use]
    pub fn action(&self) -> Action {
        self.action
    }

    /// Why.
    #[must_use]
    pub fn because(&self) -> &Because {
        &self.because
    }

    /// The deciding rule in one line, or `default`, as the audit names it.
    #[must_use]
    pub fn rule(&self) -> &str {
        match &self.because {
            Because::Rule { text, .. } => text,
            Because::Default(_) => "default",
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

    fn explain_action(&self) -> String {
        let verb = match self.action {
            Action::Allow => "allowed",
            Action::Ask => "asks",
            Action::Deny => "denied",
        };
        match &self.because {
            Because::Rule { text, place, says, .. } if *says == self.action => {
                format!("{verb} by rule `{text}` ({place})")
            }
            Because::Rule { text, place, .. } => {
                format!("{verb}: rule `{text}` ({place}) asks, but management tools never ask")
            }
            Because::Default(why) if self.action == Action::Ask => {
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
            Because::Default(why) => format!("{verb} by default: {why}"),
        }
    }

    /// Takes the verdict apart.
    #[must_use]
    pub fn settle(self) -> Settled {
        match self.action {
            Action::Allow => Settled::Permitted(self.witness(None)),
            Action::Ask => Settled::Asked(Asked(self)),
            Action::Deny => {
                let (message, rule) = (self.explain(), self.rule().into());
                Settled::Denied(Denied { message, rule, decision: Decision::Deny })
            }
        }
    }

    /// The permit of a call that is allowed, where nobody can be asked.
    ///
    /// # Errors
    /// When a rule denies the call, or it would have to be asked.
    pub fn permit(self) -> Result<Permit, Denied> {
        match self.settle() {
            Settled::Permitted(permit) => Ok(permit),
            Settled::Asked(asked) => Err(asked.refused(RefusedBy::Nobody)),
            Settled::Denied(denied) => Err(denied),
        }
    }

    fn witness(self, granted: Option<GrantedBy>) -> Permit {
        Permit { rule: self.rule().into(), tool: self.tool, granted }
    }
}

/// A peer's name as a message repeats it.
fn shortened(name: &str) -> String {
    display_safe(name).chars().take(SHOWN).collect()
}

/// A name as a glob that matches nothing else, in quotation marks.
fn written(name: &str) -> String {
    format!("\"{}\"", shortened(&Glob::escape(name).replace('\\', "\\\\")))
}

impl Asked {
    /// The verdict that asks, for the text of the question.
    pub fn verdict(&self) -> &Verdict {
        &self.0
    }

    /// Somebody said yes.
    #[must_use]
    pub fn granted(self, by: GrantedBy) -> Permit {
        self.0.witness(Some(by))
    }

    /// The permit of an earlier answer that still holds for this tool.
    ///
    /// # Errors
    /// Gives itself back when there is none, or when the key is for another tool.
    pub fn remembered(self, grants: &Grants, key: &GrantKey) -> Result<Permit, Self> {
        match *key.tool == *self.0.tool && grants.holds(key) {
            true => Ok(self.granted(GrantedBy::Remembered)),
            false => Err(self),
        }
    }

    /// Nobody said yes.
    #[must_use]
    pub fn refused(self, by: RefusedBy) -> Denied {
        let why = match by {
            RefusedBy::Person => "refused by a person",
            RefusedBy::Nobody => "refused because nobody could be asked",
            RefusedBy::Silence => "refused because nobody answered the question in time",
            RefusedBy::Unseen => {
                "refused because its arguments are too long for a question and could not be \
                 written to a file"
            }
        };
        let message = format!("{why} ({})", self.0.explain());
        Denied { message, rule: self.0.rule().into(), decision: Decision::AskRefused }
    }
}

impl Permit {
    /// The public name of the tool it was given for.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The deciding rule in one line, or `default`.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Who said yes, where a person had to.
    #[must_use]
    pub fn granted_by(&self) -> Option<GrantedBy> {
        self.granted
    }

    /// The word for the audit.
    #[must_use]
    pub fn decision(&self) -> Decision {
        match self.granted {
            None => Decision::Allow,
            Some(_) => Decision::AskGranted,
        }
    }
}

impl Denied {
    /// The deciding rule in one line, or `default`.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// The word for the audit.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }
}
