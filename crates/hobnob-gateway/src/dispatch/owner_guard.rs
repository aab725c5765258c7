//! Guards calls that need the owner's consent and that another caller makes.
//!
//! `guard` comes here instead of asking the caller's client. What must stay true: only the owner's
//! answer, given with a command, lets the call run, and it is on the disk before it counts.

use crate::calls::record::event_of;
use crate::consent::{
    AskedOwner, AskedTool, CallDigest, ConsentStage, GivenConsent, MetQuestion, NotAnswered,
    OwnerAnswer, OwnerQuestion, RequestState,
};
use crate::dispatch::guard::{NotPermitted, PermittedCall};
use crate::dispatch::service::{DispatchContext, GatewayService};
use crate::permitted::AskableRequest;
use hobnob_policy::audit::{AuditOutcome, AuditRecord, AuditTarget};
use hobnob_policy::{GrantedBy, PendingConsent, RefusedBy};
use std::time::Instant;

impl GatewayService {
    /// Decides about a call that needs the owner. The client's state counts only if its token names
    /// a call that the owner agreed to and that is still going on.
    pub(super) fn guard_by_owner<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
        state: RequestState<'_>,
    ) -> Result<PermittedCall<R>, NotPermitted> {
        let (stage, now) = (ConsentStage::GrantedByOwner, Instant::now());
        let goes_on = match state {
            RequestState::Granted { token, .. } => {
                self.context.open_consents.take(token, stage, digest, now)
            }
            RequestState::Question(_) | RequestState::Foreign(_) => false,
        };
        let met = match goes_on {
            true => MetQuestion::Granted,
            false => self.context.owner_questions.meet(digest, now),
        };
        match met {
            MetQuestion::Granted => {
                let permit = pending.granted(GrantedBy::Owner);
                let consent = GivenConsent { call: digest, stage };
                Ok(PermittedCall { permit, consent: Some(Box::new(consent)) })
            }
            MetQuestion::Refused => Err(NotPermitted::Denied(pending.refused(RefusedBy::Owner))),
            MetQuestion::Waiting(number) => Err(needs_owner(&pending, number)),
            MetQuestion::New => Err(self.ask_owner(pending, tool, digest, now)),
        }
    }

    fn ask_owner<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        tool: AskedTool<'_>,
        digest: CallDigest,
        now: Instant,
    ) -> NotPermitted {
        let call = pending.request().asked_call();
        let why = (pending.owner_rule(), pending.verdict().asked_because());
        let arguments = call.params.get("arguments");
        let folder = &self.context.questions;
        let asked = match AskedOwner::new(&call.caller, tool, arguments, why, folder) {
            Ok(asked) => asked,
            Err(error) => {
                tracing::warn!(%error, "arguments too long for a question cannot be written");
                return NotPermitted::Denied(pending.refused(RefusedBy::NotShown));
            }
        };
        match self.context.owner_questions.ask(digest, asked, now) {
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
}

impl DispatchContext {
    /// Takes the owner's answer: records it on the disk, then applies it.
    pub(crate) async fn answer_for_owner(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> Result<OwnerQuestion, NotAnswered> {
        let asked = self.owner_questions.waiting(number, Instant::now())?;
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
        self.owner_questions.answer(number, answer, Instant::now())
    }
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
