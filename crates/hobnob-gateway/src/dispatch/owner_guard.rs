//! Guards calls that need the owner's consent and that another caller makes.
//!
//! `guard` comes here instead of asking the caller's client. What must stay true: only the owner's
//! answer, given with a command, lets the call run, and it is on the disk before it counts.

use crate::calls::record::{Recorder, event_of};
use crate::consent::{
    AskedOwner, AskedTool, CallDigest, MetQuestion, NotAnswered, OwnerAnswer, OwnerQuestion,
    OwnerQuestions,
};
use crate::dispatch::not_permitted::NotPermitted;
use crate::permitted::AskableRequest;
use hobnob_mcp_engine::random_bytes;
use hobnob_policy::audit::{AuditOutcome, AuditRecord, AuditTarget};
use hobnob_policy::{GrantedBy, PendingConsent, Permit, RefusedBy};
use std::path::PathBuf;
use std::time::Instant;

/// Asks the owner about other callers' calls and takes the answers.
pub(crate) struct OwnerGuard {
    questions: OwnerQuestions,
    /// The folder for arguments that are too long to be shown in a question.
    pub(super) folder: PathBuf,
    recorder: Recorder,
}

impl OwnerGuard {
    pub(crate) fn new(folder: PathBuf, recorder: Recorder) -> Self {
        Self { questions: OwnerQuestions::new(first_question()), folder, recorder }
    }

    /// Decides about a call that needs the owner; asks them if they were not asked yet.
    pub(super) fn permit<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
    ) -> Result<Permit<R>, NotPermitted> {
        let now = Instant::now();
        match self.questions.meet(digest, now) {
            MetQuestion::Granted => Ok(pending.granted(GrantedBy::Owner)),
            MetQuestion::Refused => Err(NotPermitted::Denied(pending.refused(RefusedBy::Owner))),
            MetQuestion::Waiting(number) => Err(needs_owner(&pending, number)),
            MetQuestion::New => Err(self.ask(pending, tool, digest, now)),
        }
    }

    fn ask<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
        now: Instant,
    ) -> NotPermitted {
        let call = pending.request().asked_call();
        let why = (pending.owner_rule(), pending.verdict().asked_because());
        let arguments = call.params.get("arguments");
        let asked = match AskedOwner::new(&call.caller, tool, arguments, why, &self.folder) {
            Ok(asked) => asked,
            Err(error) => {
                tracing::warn!(%error, "arguments too long for a question cannot be written");
                return NotPermitted::Denied(pending.refused(RefusedBy::NotShown));
            }
        };
        match self.questions.ask(digest, asked, now) {
            Ok(number) => {
                tracing::info!(
                    number,
                    tool = tool.public,
                    principal = call.caller.principal.as_str(),
                    "the owner is asked about a call: hobnob questions"
                );
                needs_owner(&pending, number)
            }
            Err(_) => NotPermitted::Denied(pending.refused(RefusedBy::BusyOwner)),
        }
    }

    /// The open questions, the oldest first.
    pub(crate) fn questions(&self) -> Vec<OwnerQuestion> {
        self.questions.list(Instant::now())
    }

    /// Takes the owner's answer: records it on the disk, then applies it.
    pub(crate) async fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> Result<OwnerQuestion, NotAnswered> {
        let asked = self.questions.waiting(number, Instant::now())?;
        let (decision, outcome) = match answer {
            OwnerAnswer::Yes => (asked.rule.granted(), AuditOutcome::Ok),
            OwnerAnswer::No => (asked.rule.refused(), AuditOutcome::Refused),
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
        self.questions.answer(number, answer, Instant::now())
    }
}

/// The first number of questions to the owner. It is random, so that an answer to a question from
/// before a restart never meets another question. It is not a secret.
fn first_question() -> u64 {
    let random = random_bytes().unwrap_or_else(|_| std::process::id().to_le_bytes());
    100_000 + u64::from(u32::from_le_bytes(random)) % 900_000
}

/// What the caller reads while the call waits for the owner.
fn needs_owner<R>(pending: &PendingConsent<R>, number: u64) -> NotPermitted {
    let text = format!(
        "not run yet: the owner of this hub was asked (question {number}), because {}; after the owner \
         has run `hobnob answer {number} yes`, make the same call again, and it goes through once",
        pending.verdict().asked_because()
    );
    NotPermitted::NeedsOwner(text, pending.audit())
}
