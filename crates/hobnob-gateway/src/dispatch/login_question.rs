//! The question to log in, for clients that can show a page; the call goes on after the login.
//!
//! `upstream_tool` asks once per call, for the caller's own login. Other callers get the command.

use crate::question_origin::QuestionOrigin;
use crate::upstream::BegunLogin;
use crate::upstream::server::Upstream;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::{Answers, Call, Questions, Refusable};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams, ElicitResult};
use hobnob_mcp_types::input::InputRequests;
use std::sync::Arc;

/// What the caller answered to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoginAnswer {
    /// The question was not part of the previous round.
    NotAsked,
    /// The person is visiting the page.
    Agreed,
    /// The person refused to log in.
    Refused,
}

/// The question's key among all questions of the call.
fn key(upstream: &Upstream) -> String {
    format!("hobnob-login/{}", upstream.name())
}

/// What the newest answers say about this login.
pub(super) fn answered(upstream: &Upstream, answers: &Answers) -> LoginAnswer {
    let key = key(upstream);
    let Some((_, answer)) = answers.fresh().find(|(name, _)| *name == key) else {
        return LoginAnswer::NotAsked;
    };
    match serde_json::from_str::<ElicitResult>(answer.get()) {
        Ok(ElicitResult { action: ElicitAction::Accept, .. }) => LoginAnswer::Agreed,
        Ok(_) | Err(_) => LoginAnswer::Refused,
    }
}

/// If the caller agreed to log in to a server, waits until that login is over.
pub(super) async fn wait_if_agreed(snapshot: &Snapshot, call: &Call) {
    if call.answers.fresh().next().is_none() {
        return;
    }
    for upstream in snapshot.upstreams.values() {
        if answered(upstream, &call.answers) == LoginAnswer::Agreed {
            upstream.logins.pages.ended(&call.caller.principal).await;
        }
    }
}

/// The question, if it has no answer yet, the caller's client can show a page and the login offers
/// one.
pub(super) async fn ask(
    upstream: &Arc<Upstream>,
    call: &Call,
    answer: LoginAnswer,
) -> Option<Questions> {
    let caller = &call.caller;
    let can_be_asked = answer == LoginAnswer::NotAsked
        && caller.capabilities.can_visit_pages()
        && caller.revision >= Revision::V2025_11_25;
    if !can_be_asked {
        return None;
    }
    upstream.logins.needed(&caller.principal)?;
    let Ok(BegunLogin::Page(page)) = upstream.begin_login(&caller.principal).await else {
        return None;
    };
    let message = format!(
        "Server `{}` wants to know who you are. Log in on this page; the call goes on when you are \
         done.",
        upstream.name()
    );
    Some(QuestionOrigin::Hobnob.asks(Questions {
        requests: InputRequests::new().elicit(key(upstream), ElicitParams::url(message, page)),
        state: None,
        refusable: Refusable::No,
        held: None,
    }))
}
