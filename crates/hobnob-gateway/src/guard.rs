//! Before a tool of an upstream runs: what the rules say, and a person where they ask for one.
//!
//! Only here are permits made, and nothing runs an upstream's tool without one.

use crate::catalog::{Owner, ToolRoute};
use crate::consent::{ALWAYS, CallDigest, ONCE, Question, RequestState, Stage};
use crate::names::public_name;
use crate::route::GatewayService;
use crate::state::{Snapshot, subject};
use hobnob_mcp_engine::{Answers, Call, CallError, Caller, Outcome, Questions, Refusable};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitResult};
use hobnob_mcp_types::input::InputRequests;
use hobnob_policy::{
    Asked, DefinitionDigest, Denied, GrantKey, GrantedBy, Permit, RefusedBy, Scope, Settled, decide,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

/// The key of the question, among whatever the upstream itself asks; a profile's name follows.
const KEY: &str = "hobnob-permission";

/// What the guard says.
pub(crate) enum Word {
    /// The call may be made.
    Go(Cleared),
    /// A person has to be asked first.
    Ask(Questions),
    /// It may not.
    No(Denied),
}

/// A call that may be made.
pub(crate) struct Cleared {
    permit: Permit,
    /// The answers that are the upstream's business.
    answers: Answers,
    /// Where a person agreed to this one call: the consent counts on when the upstream asks.
    consent: Option<CallDigest>,
}

/// Resources and prompts of a server whose tools are all denied are denied with them.
pub(crate) fn check_server(snapshot: &Snapshot, server: &Arc<str>) -> Result<(), CallError> {
    if !snapshot.denied.contains(server) {
        return Ok(());
    }
    let owner = Owner::Server(Arc::clone(server));
    let public = public_name(server, "*");
    let verdict = decide(&snapshot.rules, &subject(&owner, public.as_str(), "*", None));
    Err(CallError::params(format!("server `{server}` is {}", verdict.explain())))
}

impl GatewayService {
    /// Decides about a call of an upstream's tool.
    pub(crate) fn guard(
        &self,
        snapshot: &Snapshot,
        public: &str,
        route: &ToolRoute,
        call: &Call,
    ) -> Word {
        let owner = Owner::Server(Arc::clone(&route.server));
        let arguments = call.params.get("arguments");
        let usual = public_name(&route.server, &route.original);
        let verdict_for = |name: &str| {
            decide(&snapshot.rules, &subject(&owner, name, &route.original, arguments))
        };
        // A profile may have renamed it: the stricter of what both names lead to counts.
        let (name, verdict) = match (verdict_for(public), verdict_for(usual.as_str())) {
            (shown, strict) if strict.action() > shown.action() => (usual.as_str(), strict),
            (shown, _) => (public, shown),
        };
        let state = RequestState::of(&call.answers);
        let cleared =
            |permit| Cleared { permit, answers: state.for_upstream(&call.answers), consent: None };
        let asked = match verdict.settle() {
            Settled::Permitted(permit) => return Word::Go(cleared(permit)),
            Settled::Denied(denied) => return Word::No(denied),
            Settled::Asked(asked) => asked,
        };
        let key = GrantKey {
            principal: call.caller.principal.as_str().into(),
            tool: name.into(),
            definition: DefinitionDigest(bytes_of(route.digest.as_str())),
        };
        let asked = match asked.remembered(&self.view.grants, &key) {
            Ok(permit) => return Word::Go(cleared(permit)),
            Err(asked) => asked,
        };
        let principal = call.caller.principal.as_str();
        let digest = CallDigest::of(self.view.id.0, principal, public, route, arguments);
        let is_open =
            |token, stage| self.gateway.open_questions.take(token, stage, digest, Instant::now());
        let choice = match state {
            RequestState::Granted { token, .. } if is_open(token, Stage::Granted) => {
                Some(Choice::Yes(Scope::Once))
            }
            RequestState::Question(token) if is_open(token, Stage::Asked) => {
                let key = self.question_key();
                call.answers.fresh().find(|(name, _)| *name == key).map(|(_, it)| choice(it.get()))
            }
            _ => None,
        };
        match choice {
            Some(Choice::Yes(scope)) => {
                self.view.grants.remember(key, scope);
                let consent = Some(digest);
                Word::Go(Cleared { consent, ..cleared(asked.granted(GrantedBy::Client)) })
            }
            Some(Choice::No) => Word::No(asked.refused(RefusedBy::Person)),
            None => self.ask_person(asked, digest, public, route, call),
        }
    }

    fn ask_person(
        &self,
        asked: Asked,
        digest: CallDigest,
        public: &str,
        route: &ToolRoute,
        call: &Call,
    ) -> Word {
        let able = call.caller.capabilities.can_fill_forms()
            && call.caller.revision >= Revision::V2025_06_18;
        if !able {
            return Word::No(asked.refused(RefusedBy::Nobody));
        }
        let folder = self.gateway.places.state_dir.join("questions");
        let question = Question::new(public, route, call.params.get("arguments"), &folder);
        let Question { form, file } = match question {
            Ok(question) => question,
            Err(error) => {
                tracing::warn!(%error, "arguments too long for a question cannot be written");
                return Word::No(asked.refused(RefusedBy::Unseen));
            }
        };
        let (open, client) = (&self.gateway.open_questions, call.caller.share());
        let token = open.open(Stage::Asked, digest, client, file, Instant::now());
        Word::Ask(Questions {
            requests: InputRequests::new().elicit(&*self.question_key(), form),
            state: RequestState::Question(&token).write(),
            refusable: Refusable::No,
            held: None,
        })
    }

    /// What becomes of a call that was let through. Where its upstream asks something, the consent
    /// to the call counts for the round with the answers, once.
    pub(crate) fn carry_consent(
        &self,
        outcome: Outcome,
        consent: Option<CallDigest>,
        caller: &Caller,
    ) -> Outcome {
        let Outcome::NeedsInput(mut questions) = outcome else { return outcome };
        let foreign = questions.state.take();
        let token = consent.map(|call| {
            let open = &self.gateway.open_questions;
            open.open(Stage::Granted, call, caller.share(), None, Instant::now())
        });
        let state = match &token {
            Some(token) => RequestState::Granted { token, foreign: foreign.as_deref() },
            None => RequestState::Foreign(foreign.as_deref()),
        };
        questions.state = state.write();
        Outcome::NeedsInput(questions)
    }
}

impl Cleared {
    /// Takes it apart: the permit, the upstream's answers, and the consent to carry on.
    pub(crate) fn into_parts(self) -> (Permit, Answers, Option<CallDigest>) {
        (self.permit, self.answers, self.consent)
    }
}

impl GatewayService {
    /// All views may seal with one key, and a yes to one is none to another.
    fn question_key(&self) -> Cow<'static, str> {
        match &self.view.name {
            None => KEY.into(),
            Some(name) => format!("{KEY}/{name}").into(),
        }
    }
}

enum Choice {
    Yes(Scope),
    No,
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
        Some(ONCE) => Choice::Yes(Scope::Once),
        Some(ALWAYS) => Choice::Yes(Scope::Process),
        _ => Choice::No,
    }
}

/// The bytes of a digest written in hexadecimal.
fn bytes_of(digits: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    bytes
}
