//! Guards tool calls: the rules decide, and where they say so, a person does.
//!
//! `call` asks here and gets a permit, a question for the client or a refusal. An answer permits
//! exactly the call that was shown, and only once.

use crate::calls::record::{NotRecorded, event_of};
use crate::consent::{
    ALWAYS, AskedTool, CallDigest, ConsentQuestion, ConsentStage, GivenConsent, LastingAnswers,
    NEVER, ONCE, RequestState, UNTIL_RESTART, UntilRestart,
};
use crate::dispatch::service::GatewayService;
use crate::permitted::AskableRequest;
use crate::question_origin::QuestionOrigin;
use crate::view::snapshot::Snapshot;
use hobnob_config::RulePlan;
use hobnob_mcp_engine::{
    Call, CallError, Caller, Outcome, Principal, Questions, Refusable, ShareKey,
};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitResult};
use hobnob_mcp_types::input::InputRequests;
use hobnob_policy::audit::{AuditDecision, AuditOutcome, AuditRecord, AuditTarget};
use hobnob_policy::{
    Authorization, ConsentKey, ConsentScope, Denied, GrantedBy, PendingConsent, Permit, RefusedBy,
    RuleAction, authorize,
};
use std::borrow::Cow;
use std::time::Instant;

/// The question's key among the upstream's own questions; a profile's name is appended.
const QUESTION_KEY: &str = "hobnob-permission";

/// A call that may be made.
pub(crate) struct PermittedCall<R> {
    pub(crate) permit: Permit<R>,
    /// The person's consent to this one call: it stays valid when the tool asks a question.
    pub(crate) consent: Option<Box<GivenConsent>>,
}

/// Why a call is not made, or not yet.
pub(crate) enum NotPermitted {
    /// The person at the client has to be asked first.
    NeedsConsent(Questions),
    /// The owner has to agree first and was asked; the text is for the caller.
    NeedsOwner(String, AuditDecision),
    /// A rule or a person refuses the call, or no person can be asked.
    Denied(Denied),
    /// A person agreed, but their answer has to be recorded and could not be.
    NotRecorded(NotRecorded, AuditDecision),
}

/// What a person said about a call.
struct PersonAnswer<'a> {
    choice: Choice,
    tool: AskedTool<'a>,
    /// Whether the answer came with this round, not with an earlier round of the same call.
    is_new: bool,
}

impl GatewayService {
    /// Decides about a call of a tool; `request` turns the call into the request to permit.
    pub(crate) async fn guard<R: AskableRequest>(
        &self,
        snapshot: &Snapshot,
        tool: AskedTool<'_>,
        mut call: Call,
        request: impl FnOnce(Call) -> R,
    ) -> Result<PermittedCall<R>, NotPermitted> {
        let answers = std::mem::take(&mut call.answers);
        let state = RequestState::of(&answers);
        call.answers = state.for_upstream(&answers);
        let pending = match authorize(&snapshot.rules, request(call)) {
            Authorization::Permitted(permit) => return Ok(PermittedCall { permit, consent: None }),
            Authorization::Denied(denied) => return Err(NotPermitted::Denied(denied)),
            Authorization::NeedsConsent(pending) => pending,
        };
        let principal = pending.request().asked_call().caller.principal.clone();
        let digest_of = |pending: &PendingConsent<R>| {
            let arguments = pending.request().asked_call().params.get("arguments");
            CallDigest::of(self.view.id.0, principal.as_str(), tool, arguments)
        };
        // The owner's decision comes before any answer of the caller's own person.
        if waits_for_owner(&pending) {
            let digest = digest_of(&pending);
            return self.guard_by_owner(pending, tool, digest, state);
        }
        let key = pending.consent_key(principal.as_str(), tool.definition());
        let pending = match self.remembered(pending, &key) {
            Ok(permit) => return Ok(PermittedCall { permit, consent: None }),
            Err(pending) => pending,
        };
        let digest = digest_of(&pending);
        let is_open =
            |token, stage| self.context.open_consents.take(token, stage, digest, Instant::now());
        let (choice, is_new) = match state {
            RequestState::Granted { token, .. } if is_open(token, ConsentStage::Granted) => {
                (Some(Choice::Once), false)
            }
            RequestState::Question(token) if is_open(token, ConsentStage::Asked) => {
                let key = self.question_key();
                let answer = answers.fresh().find(|(name, _)| *name == key);
                (answer.map(|(_, it)| choice(it.get())), true)
            }
            _ => (None, false),
        };
        let Some(choice) = choice else { return Err(self.ask_person(pending, digest, tool)) };
        let answer = PersonAnswer { choice, tool, is_new };
        let permit = self.answered(pending, answer, key).await?;
        let consent = GivenConsent { call: digest, stage: ConsentStage::Granted };
        Ok(PermittedCall { permit, consent: Some(Box::new(consent)) })
    }

    /// The permit that an earlier, lasting answer gives. A stranger has given none: what is stored
    /// under their empty name is the owner's.
    fn remembered<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        key: &ConsentKey,
    ) -> Result<Permit<R>, PendingConsent<R>> {
        match is_stranger(&pending.request().asked_call().caller) {
            true => Err(pending),
            false => pending.remembered(&self.view.consents, key),
        }
    }

    /// Applies a person's answer to a call. The answer is on the disk before it takes effect.
    async fn answered<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        PersonAnswer { choice, tool, is_new }: PersonAnswer<'_>,
        key: ConsentKey,
    ) -> Result<Permit<R>, NotPermitted> {
        let caller = pending.request().asked_call().caller.clone();
        let may_write = self.lasting_answers(&pending).rules.is_some();
        let scope = match choice {
            Choice::Once => ConsentScope::Once,
            Choice::UntilRestart if !is_stranger(&caller) => ConsentScope::Process,
            Choice::Always if may_write => ConsentScope::Process,
            // An answer that was not offered counts as a refusal.
            Choice::No | Choice::UntilRestart | Choice::Always | Choice::Never => {
                let denied = pending.refused(RefusedBy::Person);
                let answer = answer_record(&caller, tool, denied.audit(), AuditOutcome::Refused);
                if let Err(error) = self.context.recorder.decide(&answer).await {
                    tracing::warn!(%error, "a person's refusal is not recorded");
                }
                if choice == Choice::Never && may_write {
                    self.write_rule(&caller, tool, RuleAction::Deny).await;
                }
                return Err(NotPermitted::Denied(denied));
            }
        };
        let permit = pending.granted(GrantedBy::Client);
        if is_new {
            let answer = answer_record(&caller, tool, permit.audit(), AuditOutcome::Ok);
            let recorded = self.context.recorder.decide(&answer).await;
            recorded.map_err(|error| NotPermitted::NotRecorded(error, permit.audit()))?;
        }
        if choice == Choice::Always {
            self.write_rule(&caller, tool, RuleAction::Allow).await;
        }
        self.view.consents.remember(key, scope);
        Ok(permit)
    }

    /// Which answers may hold for longer than this call. Only the owner of the settings may write a
    /// rule, and never to replace a rule that asks the owner: the new rule would apply to all
    /// callers.
    fn lasting_answers<R: AskableRequest>(
        &self,
        pending: &PendingConsent<R>,
    ) -> LastingAnswers<'_> {
        let caller = &pending.request().asked_call().caller;
        let may_write = is_owner(caller) && pending.verdict().action() != RuleAction::AskOwner;
        LastingAnswers {
            until_restart: match is_stranger(caller) {
                true => UntilRestart::Pointless,
                false => self.context.until_restart,
            },
            rules: may_write.then_some(&*self.context.rules_file),
        }
    }

    /// Writes a rule that allows or denies the tool. The person has already decided about this
    /// call, so if the file cannot be written, they are only asked again after a restart.
    async fn write_rule(&self, caller: &Caller, tool: AskedTool<'_>, action: RuleAction) {
        let file = &self.context.rules_file;
        let rule = tool.rule(action);
        let text = rule.to_string();
        let change =
            AuditRecord { target: AuditTarget::Grant(&text), ..event_of(caller, "rules/write") };
        if let Err(error) = self.context.recorder.decide(&change).await {
            tracing::warn!(%error, "the rule a person wanted is not written");
            return;
        }
        match RulePlan::new(file, &rule).and_then(RulePlan::write) {
            Ok(_) => tracing::info!(
                file = %file.display(), server = tool.server(), tool = tool.original(),
                action = action.as_str(), "a person decided about a tool with a rule"
            ),
            Err(error) => tracing::warn!(%error, "the rule a person wanted cannot be written"),
        }
    }

    fn ask_person<R: AskableRequest>(
        &self,
        pending: PendingConsent<R>,
        digest: CallDigest,
        tool: AskedTool<'_>,
    ) -> NotPermitted {
        let call = pending.request().asked_call();
        let can_be_asked = call.caller.capabilities.can_fill_forms()
            && call.caller.revision >= Revision::V2025_06_18;
        if !can_be_asked {
            return NotPermitted::Denied(pending.refused(RefusedBy::Nobody));
        }
        let question = ConsentQuestion::new(
            tool,
            call.params.get("arguments"),
            &self.context.questions,
            self.lasting_answers(&pending),
            &pending.verdict().asked_because(),
        );
        let ConsentQuestion { form, file } = match question {
            Ok(question) => question,
            Err(error) => {
                tracing::warn!(%error, "arguments too long for a question cannot be written");
                return NotPermitted::Denied(pending.refused(RefusedBy::NotShown));
            }
        };
        let (open, client) = (&self.context.open_consents, call.caller.share());
        let token = match open.open(ConsentStage::Asked, digest, client, file, Instant::now()) {
            Ok(token) => token,
            Err(error) => {
                tracing::error!(%error, "a person cannot be asked without a secret token");
                return NotPermitted::Denied(pending.refused(RefusedBy::NotShown));
            }
        };
        let questions = Questions {
            requests: InputRequests::new().elicit(&*self.question_key(), form),
            state: RequestState::Question(&token).write(),
            refusable: Refusable::No,
            held: None,
        };
        NotPermitted::NeedsConsent(QuestionOrigin::Hobnob.asks(questions))
    }

    /// Passes on the outcome of a permitted call. If the upstream asks a question, the consent
    /// counts for the round with the answers, once.
    pub(crate) fn carry_consent(
        &self,
        outcome: Outcome,
        consent: Option<Box<GivenConsent>>,
        client: ShareKey,
    ) -> Result<Outcome, CallError> {
        let Outcome::NeedsInput(mut questions) = outcome else { return Ok(outcome) };
        let foreign = questions.state.take();
        let token = consent.map(|given| {
            let open = &self.context.open_consents;
            open.open(given.stage, given.call, client, None, Instant::now())
        });
        let token = token.transpose().map_err(CallError::internal)?;
        let state = match &token {
            Some(token) => RequestState::Granted { token, foreign: foreign.as_deref() },
            None => RequestState::Foreign(foreign.as_deref()),
        };
        questions.state = state.write();
        Ok(Outcome::NeedsInput(questions))
    }
}

impl GatewayService {
    /// Names the profile: views may share a sealing key, and a yes in one is none in another.
    fn question_key(&self) -> Cow<'static, str> {
        match &self.view.name {
            None => QUESTION_KEY.into(),
            Some(name) => format!("{QUESTION_KEY}/{name}").into(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Once,
    UntilRestart,
    Always,
    No,
    Never,
}

/// The audit record of a person's answer.
fn answer_record<'a>(
    caller: &'a Caller,
    tool: AskedTool<'a>,
    decision: AuditDecision,
    outcome: AuditOutcome,
) -> AuditRecord<'a> {
    AuditRecord {
        target: AuditTarget::Tool(tool.public),
        server: tool.server(),
        original: Some(tool.original()),
        decision,
        outcome,
        ..event_of(caller, "rules/answer")
    }
}

fn choice(answer: &str) -> Choice {
    #[derive(serde::Deserialize)]
    struct Form {
        answer: String,
    }
    let Ok(result) = serde_json::from_str::<ElicitResult>(answer) else { return Choice::No };
    if result.action != ElicitAction::Accept {
        return Choice::No;
    }
    match result.form::<Form>().ok().flatten().map(|form| form.answer).as_deref() {
        Some(ONCE) => Choice::Once,
        Some(UNTIL_RESTART) => Choice::UntilRestart,
        Some(ALWAYS) => Choice::Always,
        Some(NEVER) => Choice::Never,
        _ => Choice::No,
    }
}

/// Whether the owner has to agree and is not the caller.
fn waits_for_owner<R: AskableRequest>(pending: &PendingConsent<R>) -> bool {
    let caller = &pending.request().asked_call().caller;
    pending.verdict().action() == RuleAction::AskOwner && !is_owner(caller)
}

/// Whether the caller is the owner of the hub: without a name, and on this machine.
fn is_owner(caller: &Caller) -> bool {
    caller.principal == Principal::anonymous() && caller.client_id.is_local()
}

/// Whether the caller has no name and is on another machine. A lasting answer of theirs would apply
/// to the owner of the settings, who has no name either.
fn is_stranger(caller: &Caller) -> bool {
    caller.principal == Principal::anonymous() && !caller.client_id.is_local()
}
