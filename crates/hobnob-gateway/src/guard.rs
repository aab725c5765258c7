//! Before a tool of an upstream runs: what the rules say, and a person where they ask for one.
//!
//! Only here are permits made, and nothing runs an upstream's tool without one.

use crate::catalog::{Owner, ToolRoute};
use crate::names::public_name;
use crate::route::GatewayService;
use crate::state::{Snapshot, subject};
use hobnob_policy::poison::display_safe;
use hobnob_policy::{
    Asked, DefinitionDigest, Denied, GrantKey, GrantedBy, Permit, RefusedBy, Scope, Settled, decide,
};
use mcp_engine::{Answers, Call, CallError, Questions, Refusable};
use mcp_types::Revision;
use mcp_types::elicitation::{ElicitAction, ElicitParams, ElicitResult};
use mcp_types::form::{FormSchema, PrimitiveSchema};
use mcp_types::form_field::{TitledSingleSelectEnumSchema, TitledValue};
use mcp_types::input::InputRequests;
use std::borrow::Cow;
use std::sync::Arc;

/// The key of the question, among whatever the upstream itself asks; a profile's name follows.
const KEY: &str = "hobnob-permission";

/// The state that says we asked. An answer nobody asked for counts for nothing.
const STATE: &str = "hobnob-permission";

/// The answers a person may choose.
const ONCE: &str = "once";
const PROCESS: &str = "always";
const NO: &str = "no";

/// Characters of the arguments that a person is shown, and of one value among them.
const SHOWN: usize = 2000;
const VALUE_SHOWN: usize = 200;

/// What the guard says.
pub(crate) enum Word {
    /// The call may be made, with these answers for the upstream.
    Go(Permit, Answers),
    /// A person has to be asked first.
    Ask(Questions),
    /// It may not.
    No(Denied),
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
        let asked = match verdict.settle() {
            Settled::Permitted(permit) => return Word::Go(permit, call.answers.clone()),
            Settled::Denied(denied) => return Word::No(denied),
            Settled::Asked(asked) => asked,
        };
        let key = GrantKey {
            principal: call.caller.principal.as_str().into(),
            tool: name.into(),
            definition: DefinitionDigest(bytes_of(route.digest.as_str())),
        };
        let asked = match asked.remembered(&self.view.grants, &key) {
            Ok(permit) => return Word::Go(permit, call.answers.clone()),
            Err(asked) => asked,
        };
        self.ask_person(asked, key, public, route, call)
    }

    fn ask_person(
        &self,
        asked: Asked,
        key: GrantKey,
        public: &str,
        route: &ToolRoute,
        call: &Call,
    ) -> Word {
        let question_key = self.question_key();
        let ours = call.answers.state() == Some(STATE);
        let earlier = call.answers.fresh().all(|(name, _)| name != &*question_key);
        // Answers of earlier rounds come back sealed, so they are what was given to our question.
        let answer = call.answers.get(&question_key).filter(|_| ours || earlier);
        if let Some(answer) = answer {
            return match choice(answer.get()) {
                Choice::Yes(scope) => {
                    self.view.grants.remember(key, scope);
                    let answers = if ours { Answers::default() } else { call.answers.clone() };
                    Word::Go(asked.granted(GrantedBy::Client), answers)
                }
                Choice::No => Word::No(asked.refused(RefusedBy::Person)),
            };
        }
        let able = call.caller.capabilities.can_fill_forms()
            && call.caller.revision >= Revision::V2025_06_18;
        if !able {
            return Word::No(asked.refused(RefusedBy::Nobody));
        }
        let message = question(public, route, call.params.get("arguments"));
        let form = FormSchema::new().required("answer", choices());
        Word::Ask(Questions {
            requests: InputRequests::new()
                .elicit(&*question_key, ElicitParams::form(message, form)),
            state: Some(STATE.into()),
            refusable: Refusable::No,
            held: None,
        })
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

/// The answers a person may choose from.
fn choices() -> PrimitiveSchema {
    let named = |value: &str, title: &str| TitledValue { value: value.into(), title: title.into() };
    PrimitiveSchema::TitledSingleSelect(TitledSingleSelectEnumSchema {
        title: Some("May it run?".into()),
        one_of: vec![
            named(ONCE, "Yes, this once"),
            named(PROCESS, "Yes, until Hobnob restarts"),
            named(NO, "No"),
        ],
        ..TitledSingleSelectEnumSchema::default()
    })
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
        Some(PROCESS) => Choice::Yes(Scope::Process),
        _ => Choice::No,
    }
}

/// What a person is asked. Whatever a peer wrote is shown so that it cannot pretend.
fn question(public: &str, route: &ToolRoute, arguments: Option<&str>) -> String {
    format!(
        "Server `{}` would run its tool `{}` ({public}) with {}",
        display_safe(&route.server),
        display_safe(&route.original),
        shown(arguments.unwrap_or("{}")),
    )
}

/// Arguments as a person can judge them: no padding, every value's beginning, and a word where
/// something is left out.
fn shown(arguments: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    shorten(&mut value);
    let text = value.to_string();
    let safe = display_safe(&text);
    match safe.char_indices().nth(SHOWN) {
        None => safe.into_owned(),
        Some((cut, _)) => {
            let left = safe[cut..].chars().count();
            format!("{}… ({left} more characters)", &safe[..cut])
        }
    }
}

fn shorten(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => {
            if let Some((cut, _)) = text.char_indices().nth(VALUE_SHOWN) {
                let left = text[cut..].chars().count();
                text.truncate(cut);
                text.push_str(&format!("… ({left} more characters)"));
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(shorten),
        serde_json::Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
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
