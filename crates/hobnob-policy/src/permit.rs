//! What a request becomes: a permit, a question, or a refusal.
//!
//! The gateway calls [`authorize`] before every effect. Fields are private and only this crate
//! builds these types, so a [`Permit`] proves that its request has passed the rules and, if a rule
//! asks, a person. A permit owns its request: the effect does exactly what was decided about.
//!
//! No other code makes a permit, not even from another one:
//!
//! ```compile_fail,E0451
//! use hobnob_policy::{Permit, Subject};
//! fn redirect<'a>(permit: Permit<Subject<'a>>, request: Subject<'a>) -> Permit<Subject<'a>> {
//!     Permit { request, ..permit }
//! }
//! ```
//!
//! Nor can it make one from a verdict, or use one twice by copying it:
//!
//! ```compile_fail,E0277
//! use hobnob_policy::{Permit, RuleSet, Subject, decide};
//! fn forge<'a>(rules: &RuleSet, request: Subject<'a>) -> Permit<Subject<'a>> {
//!     // error[E0277]: there is no way from a verdict to a permit
//!     decide(rules, &request).into()
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use hobnob_policy::{Permit, Subject};
//! fn copy<'a>(permit: &Permit<Subject<'a>>) -> Permit<Subject<'a>> {
//!     // error[E0308]: a permit is no `Clone`, so this copies only the reference
//!     permit.clone()
//! }
//! ```
//!
//! The way to a permit is this:
//!
//! ```
//! use hobnob_policy::{
//!     Authorization, RuleSet, Subject, SubjectCaller, SubjectKind, authorize,
//! };
//! let request = Subject {
//!     tool: "memory_recall",
//!     usual: None,
//!     server: None,
//!     original: None,
//!     caller: SubjectCaller::Nameless,
//!     kind: SubjectKind::BuiltIn,
//!     arguments: None,
//! };
//! let Authorization::Permitted(permit) = authorize(&RuleSet::default(), request) else {
//!     panic!("no rule names it")
//! };
//! assert_eq!(permit.request().tool, "memory_recall");
//! ```

use crate::audit::{AuditDecision, Decision};
use crate::consents::{ConsentKey, DefinitionDigest, RememberedConsents};
use crate::decide::decide;
use crate::grants::GrantedAction;
use crate::rule::{RuleAction, RuleSet};
use crate::subject::{PermissionRequest, SubjectKind};
use crate::verdict::{DecidingRule, RuleVerdict};

/// What a request becomes.
#[derive(Debug)]
#[must_use = "a decision that nobody looks at protects nothing"]
pub enum Authorization<R> {
    /// The rules allow it.
    Permitted(Permit<R>),
    /// A rule asks for a person: then [`PendingConsent::granted`] or [`PendingConsent::refused`].
    NeedsConsent(PendingConsent<R>),
    /// A rule denies it.
    Denied(Denied),
}

/// The witness that a request may be carried out, and the request itself. It cannot be copied.
#[derive(Debug)]
pub struct Permit<R> {
    request: R,
    rule: DecidingRule,
    granted: Option<GrantedBy>,
}

/// A request that waits for a person.
#[derive(Debug)]
pub struct PendingConsent<R> {
    request: R,
    verdict: RuleVerdict,
}

/// A request that may not be carried out; its message is for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Denied {
    message: String,
    rule: DecidingRule,
    decision: Decision,
}

/// How a person's agreement reached Hobnob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantedBy {
    /// A person agreed at the terminal.
    Terminal,
    /// A person agreed through the client that made the call.
    Client,
    /// A person typed the call as a command.
    CommandLine,
    /// An earlier answer still holds.
    Remembered,
    /// The owner of the hub agreed, with a command.
    Owner,
}

/// Why no person agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedBy {
    /// A person said no.
    Person,
    /// The owner of the hub said no.
    Owner,
    /// Too many questions wait for the owner already.
    BusyOwner,
    /// There was no person to ask.
    Nobody,
    /// The question was not answered in time.
    Timeout,
    /// The request could not be shown to a person.
    NotShown,
}

/// The rule behind a question to the owner, kept until the owner answers, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerRule(DecidingRule);

impl OwnerRule {
    /// What the audit says of the owner's yes.
    #[must_use]
    pub fn granted(&self) -> AuditDecision {
        AuditDecision::new(Decision::AskGranted, self.0.clone())
    }

    /// What the audit says of the owner's no.
    #[must_use]
    pub fn refused(&self) -> AuditDecision {
        AuditDecision::new(Decision::AskRefused, self.0.clone())
    }
}

/// Asks the rules about a request. This is the only way to a permit for requests that rules are
/// about. Permits for actions on the machine come from [`GrantSet`](crate::GrantSet) only.
pub fn authorize<R: PermissionRequest>(rules: &RuleSet, request: R) -> Authorization<R> {
    let verdict = decide(rules, &request.subject());
    match verdict.action() {
        RuleAction::Allow => {
            let rule = verdict.deciding_rule();
            Authorization::Permitted(Permit { request, rule, granted: None })
        }
        RuleAction::Ask | RuleAction::AskOwner => {
            Authorization::NeedsConsent(PendingConsent { request, verdict })
        }
        RuleAction::Deny => Authorization::Denied(Denied {
            message: verdict.explain(),
            rule: verdict.deciding_rule(),
            decision: Decision::Deny,
        }),
    }
}

impl<R> Authorization<R> {
    /// The permit of a request that is allowed, if there is no person to ask.
    ///
    /// # Errors
    /// When a rule denies the request or asks for a person.
    pub fn without_asking(self) -> Result<Permit<R>, Denied> {
        match self {
            Self::Permitted(permit) => Ok(permit),
            Self::NeedsConsent(pending) => Err(pending.refused(RefusedBy::Nobody)),
            Self::Denied(denied) => Err(denied),
        }
    }
}

impl<R> PendingConsent<R> {
    /// The verdict that asks, for the text of the question.
    pub fn verdict(&self) -> &RuleVerdict {
        &self.verdict
    }

    /// The request that waits, for the text of the question.
    pub fn request(&self) -> &R {
        &self.request
    }

    /// The rule that a question to the owner keeps.
    #[must_use]
    pub fn owner_rule(&self) -> OwnerRule {
        OwnerRule(self.verdict.deciding_rule())
    }

    /// The key under which an answer to this question is remembered.
    #[must_use]
    pub fn consent_key(&self, principal: &str, definition: DefinitionDigest) -> ConsentKey {
        ConsentKey { principal: principal.into(), tool: self.verdict.tool().into(), definition }
    }

    /// Makes the permit of a person who agreed.
    #[must_use]
    pub fn granted(self, by: GrantedBy) -> Permit<R> {
        let rule = self.verdict.deciding_rule();
        Permit { request: self.request, rule, granted: Some(by) }
    }

    /// The permit of an earlier answer that still holds for this tool.
    ///
    /// # Errors
    /// Gives the request back if there is none, or if the key is for another tool.
    pub fn remembered(
        self,
        consents: &RememberedConsents,
        key: &ConsentKey,
    ) -> Result<Permit<R>, Self> {
        match *key.tool == *self.verdict.tool() && consents.holds(key) {
            true => Ok(self.granted(GrantedBy::Remembered)),
            false => Err(self),
        }
    }

    /// Ends the request, since no person agreed.
    #[must_use]
    pub fn refused(self, by: RefusedBy) -> Denied {
        let why = match by {
            RefusedBy::Person => "refused by a person",
            RefusedBy::Owner => "refused by the owner of this hub",
            RefusedBy::BusyOwner => {
                "refused because too many questions wait for the owner of this hub already; try \
                 again later"
            }
            RefusedBy::Nobody => "refused because nobody could be asked",
            RefusedBy::Timeout => "refused because nobody answered the question in time",
            RefusedBy::NotShown => {
                "refused because its arguments are too long for a question and could not be \
                 written to a file"
            }
        };
        let message = format!("{why} ({})", self.verdict.explain());
        Denied { message, rule: self.verdict.deciding_rule(), decision: Decision::AskRefused }
    }

    /// What the audit says about a call that ends with the question.
    #[must_use]
    pub fn audit(&self) -> AuditDecision {
        AuditDecision::new(Decision::None, DecidingRule::Question)
    }
}

impl<R> Permit<R> {
    /// The request that is permitted: the effect reads from it what it does.
    #[must_use]
    pub fn request(&self) -> &R {
        &self.request
    }

    /// Uses up the permit and returns its request, which by itself permits nothing.
    #[must_use]
    pub fn into_request(self) -> R {
        self.request
    }

    /// The deciding rule in one line, or `default`.
    #[must_use]
    pub fn rule(&self) -> &str {
        self.rule.as_str()
    }

    /// Ends a request that the rules permit, since a person has said no to it.
    #[must_use]
    pub fn declined(self) -> Denied {
        let message = format!("refused by a person (the rules permit it: {})", self.rule.as_str());
        Denied { message, rule: self.rule, decision: Decision::AskRefused }
    }

    /// How a person agreed, if a rule asked for one.
    #[must_use]
    pub fn granted_by(&self) -> Option<GrantedBy> {
        self.granted
    }

    /// The permit of an action that a grant covers; only [`GrantSet`](crate::GrantSet) makes these.
    pub(crate) fn of_grant(granted: GrantedAction<R>) -> Self {
        let (request, grant) = granted.into_parts();
        Self { request, rule: DecidingRule::Granted(grant), granted: None }
    }

    /// What the audit says about an action that a grant covers; `None` if rules decided.
    #[must_use]
    pub fn grant_audit(&self) -> Option<AuditDecision> {
        matches!(self.rule, DecidingRule::Granted(_))
            .then(|| AuditDecision::new(Decision::Allow, self.rule.clone()))
    }
}

impl<R: PermissionRequest> Permit<R> {
    /// What the audit says about the request. Rules can only deny resources and prompts, so if one
    /// is permitted, there was nothing to decide.
    #[must_use]
    pub fn audit(&self) -> AuditDecision {
        let decision = match (self.request.subject().kind, self.granted) {
            (SubjectKind::ServerContents | SubjectKind::OwnContents, _) => {
                return AuditDecision::default();
            }
            (_, None) => Decision::Allow,
            (_, Some(_)) => Decision::AskGranted,
        };
        AuditDecision::new(decision, self.rule.clone())
    }
}

impl Denied {
    /// The deciding rule in one line, or `default`.
    #[must_use]
    pub fn rule(&self) -> &str {
        self.rule.as_str()
    }

    /// Whether a rule said no, or no person said yes.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// What the audit says about the refusal.
    #[must_use]
    pub fn audit(&self) -> AuditDecision {
        AuditDecision::new(self.decision, self.rule.clone())
    }
}
