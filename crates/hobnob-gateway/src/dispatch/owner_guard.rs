//! The owner's queue of questions: about other callers' calls that need the owner's consent, and
//! about calls of the owner's own clients.
//!
//! `guard` comes here where the caller's client may not or cannot ask, and for a second place to
//! answer what a client of the owner's asks. What must stay true: only the owner's answer, given with
//! a command or on the page, lets a call run from here, and it is on the disk before it counts.

use crate::calls::record::{Recorder, event_of};
use crate::consent::{
    AskedOwner, AskedTool, CallDigest, CallOf, MetQuestion, NotAnswered, OpenForm, OwnerAnswer,
    OwnerQuestion, OwnerQuestions,
};
use crate::dispatch::not_permitted::NotPermitted;
use crate::dispatch::rule_writer::RuleWriter;
use crate::permitted::AskableRequest;
use hobnob_mcp_engine::{ClientId, Held, random_bytes};
use hobnob_policy::audit::{AuditOutcome, AuditRecord, AuditTarget};
use hobnob_policy::{GrantedBy, PendingConsent, Permit, RefusedBy};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Asks the owner about calls and takes the answers.
pub(crate) struct OwnerGuard {
    questions: Arc<OwnerQuestions>,
    /// The folder for arguments that are too long to be shown in a question.
    pub(super) folder: PathBuf,
    /// Writes the rule of an "always" or a "never".
    pub(super) rules: RuleWriter,
    recorder: Recorder,
    /// Whether a command or the page reaches this hub. Otherwise only clients ask about the owner's
    /// own calls.
    is_reachable: AtomicBool,
}

impl OwnerGuard {
    pub(crate) fn new(folder: PathBuf, rules: RuleWriter, recorder: Recorder) -> Self {
        let questions = Arc::new(OwnerQuestions::new(first_question()));
        Self { questions, folder, rules, recorder, is_reachable: AtomicBool::new(false) }
    }

    /// From now on, the owner can answer by a command or on the page.
    pub(crate) fn is_reachable_now(&self) {
        self.is_reachable.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_reachable(&self) -> bool {
        self.is_reachable.load(Ordering::Relaxed)
    }

    /// Decides about a call that needs the owner; asks them if they were not asked yet.
    pub(super) fn permit<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
        of: CallOf,
    ) -> Result<Permit<R>, NotPermitted> {
        let now = Instant::now();
        match self.questions.meet(digest, now) {
            MetQuestion::Granted => Ok(pending.granted(GrantedBy::Owner)),
            MetQuestion::Refused => Err(NotPermitted::Denied(pending.refused(RefusedBy::Owner))),
            MetQuestion::Waiting(number) => Err(needs_owner(&pending, number, of)),
            MetQuestion::New => Err(self.ask(pending, tool, digest, of)),
        }
    }

    /// Uses up the owner's yes to an earlier attempt at this very call.
    pub(super) fn take_yes(&self, digest: CallDigest) -> bool {
        self.questions.take_yes(digest, Instant::now())
    }

    /// Adds a question that a client of the owner's shows as well, with this token. The handle
    /// belongs to the form: dropping it ends the question here, and an answer here ends the form.
    /// `None` if there is no room for it here.
    pub(super) fn ask_beside<R: AskableRequest>(
        &self,
        token: &str,
        pending: &PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
        of: CallOf,
    ) -> Option<Held> {
        let asked = self.asked(pending, tool, of).ok()?;
        let held = Held::new({
            let (questions, token) = (Arc::downgrade(&self.questions), Box::<str>::from(token));
            move || {
                if let Some(questions) = questions.upgrade() {
                    questions.close(&token);
                }
            }
        });
        let client = pending.request().asked_call().caller.client_id;
        let form = OpenForm::new(token, client, held.withdrawal());
        self.questions.ask_beside(form, digest, asked, Instant::now()).ok().map(|_| held)
    }

    /// Ends the question that the form with this token shows too; returns the owner's answer, if
    /// that came first.
    pub(super) fn close(&self, token: &str) -> Option<OwnerAnswer> {
        self.questions.close(token)
    }

    /// Ends the questions that a client showed too, because it is gone.
    pub(super) fn client_gone(&self, client: ClientId) {
        self.questions.client_gone(client);
    }

    fn asked<R: AskableRequest>(
        &self,
        pending: &PendingConsent<R>,
        tool: AskedTool<'_>,
        of: CallOf,
    ) -> io::Result<AskedOwner> {
        let call = pending.request().asked_call();
        let why = (of, pending.owner_rule(), pending.verdict().asked_because());
        AskedOwner::new(&call.caller, tool, call.params.get("arguments"), why, &self.folder)
    }

    fn ask<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
        of: CallOf,
    ) -> NotPermitted {
        let asked = match self.asked(&pending, tool, of) {
            Ok(asked) => asked,
            Err(error) => {
                tracing::warn!(%error, "arguments too long for a question cannot be written");
                return NotPermitted::Denied(pending.refused(RefusedBy::NotShown));
            }
        };
        match self.questions.ask(digest, asked, Instant::now()) {
            Ok(number) => {
                let caller = &pending.request().asked_call().caller;
                tracing::info!(
                    number,
                    tool = tool.public,
                    principal = caller.principal.as_str(),
                    "the owner is asked about a call: hobnob questions"
                );
                needs_owner(&pending, number, of)
            }
            Err(_) => NotPermitted::Denied(pending.refused(RefusedBy::BusyOwner)),
        }
    }

    /// The open questions, the oldest first.
    pub(crate) fn questions(&self) -> Vec<OwnerQuestion> {
        self.questions.list(Instant::now())
    }

    /// Takes the owner's answer: records it on the disk, applies it, then writes its rule, if any.
    pub(crate) async fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> Result<OwnerQuestion, NotAnswered> {
        let asked = self.questions.waiting(number, Instant::now())?;
        let action = answer.writes();
        let rule = action.and_then(|action| asked.rule_for(action));
        if action.is_some() && rule.is_none() {
            return Err(NotAnswered::WritesNoRule);
        }
        let (decision, outcome) = match answer.agrees() {
            true => (asked.rule.granted(), AuditOutcome::Ok),
            false => (asked.rule.refused(), AuditOutcome::Refused),
        };
        let record = AuditRecord {
            target: AuditTarget::Tool(&asked.public),
            server: asked.server.as_deref(),
            original: Some(&asked.original),
            decision,
            outcome,
            ..event_of(&asked.caller, "rules/owner-answer")
        };
        let recorded = self.recorder.decide(&record).await;
        recorded.map_err(|error| NotAnswered::NotRecorded(error.to_string()))?;
        let question = self.questions.answer(number, answer, Instant::now())?;
        // Only now: of two answers at once, the one that came too late writes no rule.
        if let Some(rule) = rule {
            self.rules.write(&asked.caller, &rule).await.map_err(|why| {
                self.questions.has_no_rule(number);
                NotAnswered::RuleNotWritten(why)
            })?;
        }
        Ok(question)
    }
}

/// The first number of questions to the owner. It is random, so that an answer to a question from
/// before a restart never meets another question. It is not a secret.
fn first_question() -> u64 {
    let random = random_bytes().unwrap_or_else(|_| std::process::id().to_le_bytes());
    100_000 + u64::from(u32::from_le_bytes(random)) % 900_000
}

/// What the caller reads while the call waits for the owner.
fn needs_owner<R>(pending: &PendingConsent<R>, number: u64, of: CallOf) -> NotPermitted {
    let because = pending.verdict().asked_because();
    let text = match of {
        CallOf::Other => format!(
            "not run yet: the owner of this hub was asked (question {number}), because {because}; after \
             the owner has run `hobnob answer {number} yes`, make the same call again, and it goes \
             through once"
        ),
        CallOf::Owner { .. } => format!(
            "not run yet: it waits for an answer (question {number}), because {because}, and this client \
             shows no forms; answer on the page (`hobnob ui`) or with `hobnob answer {number} yes`, then \
             make the same call again, and it goes through once"
        ),
    };
    NotPermitted::NeedsOwner(text, pending.audit())
}
