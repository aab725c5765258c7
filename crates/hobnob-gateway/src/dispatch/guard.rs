//! Guards tool calls: the rules decide, and where they say so, a person does.
//!
//! `call` asks here and gets a permit, a question for the client or a refusal. An answer permits
//! exactly the call that was shown, and only once.

use crate::calls::record::{Recorder, event_of};
use crate::consent::{
    ALWAYS, AskedTool, CallDigest, CallOf, ConsentQuestion, ConsentStage, GivenConsent,
    LastingAnswers, NEVER, ONCE, OpenConsents, OwnerAnswer, RequestState, UNTIL_RESTART,
    UntilRestart,
};
use crate::dispatch::not_permitted::NotPermitted;
use crate::dispatch::owner_guard::OwnerGuard;
use crate::permitted::AskableRequest;
use crate::question_origin::QuestionOrigin;
use crate::reload::Reload;
use crate::view::View;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::{
    Answers, Call, CallError, Caller, ClientId, Outcome, Principal, Questions, Refusable, ShareKey,
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
use std::sync::Arc;
use std::time::Instant;

/// The question's key among the upstream's own questions; a profile's name is appended.
const QUESTION_KEY: &str = "hobnob-permission";

/// A call that may be made.
pub(super) struct PermittedCall<R> {
    pub(super) permit: Permit<R>,
    /// The person's consent to this one call: it stays valid when the tool asks a question.
    pub(super) consent: Option<Box<GivenConsent>>,
}

impl<R> PermittedCall<R> {
    /// A call that a person permitted just now, or in an earlier round.
    fn once(permit: Permit<R>, call: CallDigest, stage: ConsentStage) -> Self {
        Self { permit, consent: Some(Box::new(GivenConsent { call, stage })) }
    }
}

/// What a person said about a call.
struct PersonAnswer<'a> {
    choice: Choice,
    tool: AskedTool<'a>,
}

/// The answers to a question that a client showed, and that may have been in the owner's queue too.
#[derive(Debug, Clone, Copy, Default)]
struct GivenAnswers {
    /// The caller's own person, just now.
    own: Option<Choice>,
    /// The owner, by a command or on the page.
    owner: Option<OwnerAnswer>,
}

/// The answer that counts.
#[derive(Debug, Clone, Copy)]
enum GivenAnswer {
    Person(Choice),
    Owner(OwnerAnswer),
}

impl GivenAnswers {
    fn is_own_refusal(self) -> bool {
        matches!(self.own, Some(Choice::No | Choice::Never))
    }

    fn is_refusal(self) -> bool {
        self.is_own_refusal() || self.owner.is_some_and(|answer| !answer.agrees())
    }

    /// The caller's own refusal always counts, otherwise the answer that was given first: an answer
    /// in the client ends the question of the owner, so the owner's came before it.
    fn decision(self) -> Option<GivenAnswer> {
        match (self.own, self.owner) {
            (Some(own), None) => Some(GivenAnswer::Person(own)),
            (Some(own), Some(_)) if self.is_own_refusal() => Some(GivenAnswer::Person(own)),
            (_, Some(owner)) => Some(GivenAnswer::Owner(owner)),
            (None, None) => None,
        }
    }
}

/// Decides whether calls of tools may be made, in all views.
pub(crate) struct Guard {
    /// Questions to people about calls, and consents that later rounds rely on.
    open_consents: OpenConsents,
    owner: Arc<OwnerGuard>,
    /// Whether people are offered an answer that holds until a restart.
    until_restart: UntilRestart,
    recorder: Recorder,
}

impl Guard {
    pub(crate) fn new(owner: Arc<OwnerGuard>, reload: Reload, recorder: Recorder) -> Self {
        let until_restart = match reload {
            Reload::Watch => UntilRestart::Offered,
            Reload::OnDemand => UntilRestart::Pointless,
        };
        let open_consents = OpenConsents::default();
        Self { open_consents, owner, until_restart, recorder }
    }

    /// Ends the questions that a client shows, because it is gone.
    pub(super) fn client_gone(&self, client: ClientId) {
        self.owner.client_gone(client);
    }

    /// Decides about a call of a tool; `request` turns the call into the request to permit.
    pub(super) async fn permit<R: AskableRequest>(
        &self,
        view: &View,
        snapshot: &Snapshot,
        tool: AskedTool<'_>,
        mut call: Call,
        request: impl FnOnce(Call) -> R,
    ) -> Result<PermittedCall<R>, NotPermitted> {
        let answers = std::mem::take(&mut call.answers);
        let state = RequestState::of(&answers);
        call.answers = state.for_upstream(&answers);
        let given = self.given_answers(view, state, &answers);
        let pending = match authorize(&snapshot.rules, request(call)) {
            // A rule that was written meanwhile does not overrule a person's no to this very call.
            Authorization::Permitted(permit) if given.is_refusal() => {
                return Err(self.declined(permit, tool, given).await);
            }
            Authorization::Permitted(permit) => return Ok(PermittedCall { permit, consent: None }),
            Authorization::Denied(denied) => return Err(NotPermitted::Denied(denied)),
            Authorization::NeedsConsent(pending) => pending,
        };
        let principal = pending.request().asked_call().caller.principal.clone();
        let arguments = pending.request().asked_call().params.get("arguments");
        let digest = CallDigest::of(view.id.0, principal.as_str(), tool, arguments);
        let is_open = |token, stage| self.open_consents.take(token, stage, digest, Instant::now());
        // The owner's decision comes before any answer of the caller's own person.
        if waits_for_owner(&pending) {
            let stage = ConsentStage::GrantedByOwner;
            let permit = match state {
                RequestState::Granted { token, .. } if is_open(token, stage) => {
                    pending.granted(GrantedBy::Owner)
                }
                _ => self.owner.permit(pending, tool, digest, CallOf::Other)?,
            };
            return Ok(PermittedCall::once(permit, digest, stage));
        }
        let key = pending.consent_key(principal.as_str(), tool.definition());
        // A stranger gave no lasting answer: what is stored under their empty name is the owner's.
        let is_asked = is_stranger(&pending.request().asked_call().caller) || given.is_refusal();
        let remembered =
            if is_asked { Err(pending) } else { pending.remembered(&view.consents, &key) };
        let pending = match remembered {
            Ok(permit) => return Ok(PermittedCall { permit, consent: None }),
            Err(pending) => pending,
        };
        let stage = ConsentStage::Granted;
        let permit = match state {
            RequestState::Granted { token, .. } if is_open(token, stage) => {
                pending.granted(GrantedBy::Client)
            }
            RequestState::Question(token) if is_open(token, ConsentStage::Asked) => {
                match given.decision() {
                    Some(GivenAnswer::Person(choice)) => {
                        let answer = PersonAnswer { choice, tool };
                        self.answered(view, pending, answer, key).await?
                    }
                    Some(GivenAnswer::Owner(answer)) if answer.agrees() => {
                        pending.granted(GrantedBy::Owner)
                    }
                    Some(GivenAnswer::Owner(_)) => {
                        return Err(NotPermitted::Denied(pending.refused(RefusedBy::Owner)));
                    }
                    None => self.ask(view, pending, digest, tool)?,
                }
            }
            _ => self.ask(view, pending, digest, tool)?,
        };
        Ok(PermittedCall::once(permit, digest, stage))
    }

    /// The answers to Hobnob's question that this round brings, or that the owner gave elsewhere
    /// meanwhile. The question is not in the owner's queue any more.
    fn given_answers(
        &self,
        view: &View,
        state: RequestState<'_>,
        answers: &Answers,
    ) -> GivenAnswers {
        let RequestState::Question(token) = state else { return GivenAnswers::default() };
        let key = question_key(view);
        let own = answers.fresh().find(|(name, _)| *name == key);
        GivenAnswers { own: own.map(|(_, it)| choice(it.get())), owner: self.owner.close(token) }
    }

    /// Asks about a call: in its client, and if the owner makes it, in the owner's queue as well. A
    /// yes from there to an earlier attempt is used up instead.
    fn ask<R: AskableRequest>(
        &self,
        view: &View,
        pending: PendingConsent<R>,
        digest: CallDigest,
        tool: AskedTool<'_>,
    ) -> Result<Permit<R>, NotPermitted> {
        let caller = &pending.request().asked_call().caller;
        let can_be_asked =
            caller.capabilities.can_fill_forms() && caller.revision >= Revision::V2025_06_18;
        let may_write_rule = self.lasting_answers(&pending).rules.is_some();
        let is_queued = is_owner(caller) && self.owner.is_reachable();
        let of = is_queued.then_some(CallOf::Owner { may_write_rule });
        match of {
            Some(_) if can_be_asked && self.owner.take_yes(digest) => {
                Ok(pending.granted(GrantedBy::Owner))
            }
            of if can_be_asked => Err(self.ask_person(view, pending, digest, tool, of)),
            Some(of) => self.owner.permit(pending, tool, digest, of),
            None => Err(NotPermitted::Denied(pending.refused(RefusedBy::Nobody))),
        }
    }

    /// Refuses a call that the rules permit, because a person said no to it.
    async fn declined<R: AskableRequest>(
        &self,
        permit: Permit<R>,
        tool: AskedTool<'_>,
        given: GivenAnswers,
    ) -> NotPermitted {
        let caller = permit.request().asked_call().caller.clone();
        let denied = permit.declined();
        // The owner's answer was recorded when it was given.
        if given.is_own_refusal() {
            self.record_refusal(&caller, tool, &denied).await;
        }
        NotPermitted::Denied(denied)
    }

    async fn record_refusal(&self, caller: &Caller, tool: AskedTool<'_>, denied: &Denied) {
        let answer = answer_record(caller, tool, denied.audit(), AuditOutcome::Refused);
        if let Err(error) = self.recorder.decide(&answer).await {
            tracing::warn!(%error, "a person's refusal is not recorded");
        }
    }

    /// Applies a person's answer to a call. The answer is on the disk before it takes effect.
    async fn answered<R: AskableRequest>(
        &self,
        view: &View,
        pending: PendingConsent<R>,
        PersonAnswer { choice, tool }: PersonAnswer<'_>,
        key: ConsentKey,
    ) -> Result<Permit<R>, NotPermitted> {
        let caller = pending.request().asked_call().caller.clone();
        let may_write = self.lasting_answers(&pending).rules.is_some();
        let scope = match choice {
            Choice::Once => ConsentScope::Once,
            Choice::UntilRestart if !is_stranger(&caller) => ConsentScope::Process,
            Choice::Always if may_write => ConsentScope::NextRules,
            // An answer that was not offered counts as a refusal.
            Choice::No | Choice::UntilRestart | Choice::Always | Choice::Never => {
                let denied = pending.refused(RefusedBy::Person);
                self.record_refusal(&caller, tool, &denied).await;
                if choice == Choice::Never && may_write {
                    // This call is refused in any case, and the writer logs why there is no rule.
                    drop(self.owner.rules.write(&caller, &tool.rule(RuleAction::Deny)).await);
                }
                return Err(NotPermitted::Denied(denied));
            }
        };
        let permit = pending.granted(GrantedBy::Client);
        let answer = answer_record(&caller, tool, permit.audit(), AuditOutcome::Ok);
        let recorded = self.recorder.decide(&answer).await;
        recorded.map_err(|error| NotPermitted::NotRecorded(error, permit.audit()))?;
        let scope = match choice {
            Choice::Always => self.allow_always(&caller, tool).await,
            _ => scope,
        };
        view.consents.remember(key, scope);
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
                false => self.until_restart,
            },
            rules: may_write.then(|| self.owner.rules.file()),
        }
    }

    /// Writes a rule that allows the tool. The answer itself holds until the rule does, or, if the
    /// file cannot be written, until a restart.
    async fn allow_always(&self, caller: &Caller, tool: AskedTool<'_>) -> ConsentScope {
        // The writer says in the log why a rule is not written.
        match self.owner.rules.write(caller, &tool.rule(RuleAction::Allow)).await {
            Ok(()) => ConsentScope::NextRules,
            Err(_) => ConsentScope::Process,
        }
    }

    fn ask_person<R: AskableRequest>(
        &self,
        view: &View,
        pending: PendingConsent<R>,
        digest: CallDigest,
        tool: AskedTool<'_>,
        of: Option<CallOf>,
    ) -> NotPermitted {
        let call = pending.request().asked_call();
        let question = ConsentQuestion::new(
            tool,
            call.params.get("arguments"),
            &self.owner.folder,
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
        let (stage, client) = (ConsentStage::Asked, call.caller.share());
        let token = match self.open_consents.open(stage, digest, client, file, Instant::now()) {
            Ok(token) => token,
            Err(error) => {
                tracing::error!(%error, "a person cannot be asked without a secret token");
                return NotPermitted::Denied(pending.refused(RefusedBy::NotShown));
            }
        };
        let questions = Questions {
            requests: InputRequests::new().elicit(&*question_key(view), form),
            state: RequestState::Question(&token).write(),
            refusable: Refusable::No,
            held: of.and_then(|of| self.owner.ask_beside(&token, &pending, tool, digest, of)),
        };
        NotPermitted::NeedsConsent(QuestionOrigin::Hobnob.asks(questions))
    }

    /// Passes on the outcome of a permitted call. If the upstream asks a question, the consent
    /// counts for the round with the answers, once.
    pub(super) fn carry_consent(
        &self,
        outcome: Outcome,
        consent: Option<Box<GivenConsent>>,
        client: ShareKey,
    ) -> Result<Outcome, CallError> {
        let Outcome::NeedsInput(mut questions) = outcome else { return Ok(outcome) };
        let foreign = questions.state.take();
        let token = consent.map(|given| {
            let open = &self.open_consents;
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

/// Names the profile: views may share a sealing key, and a yes in one is none in another.
fn question_key(view: &View) -> Cow<'static, str> {
    match &view.name {
        None => QUESTION_KEY.into(),
        Some(name) => format!("{QUESTION_KEY}/{name}").into(),
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
