//! The question to log in, for a caller that can be shown a page: the call goes on when it is done.
//!
//! `upstream_tool` asks it when its upstream wants a login, once for each call, and asks the caller for
//! their own login only. Whoever cannot be asked is told which command logs in.

use crate::question_origin::QuestionOrigin;
use crate::upstream::server::Upstream;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::{Answers, Call, Questions, Refusable};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams, ElicitResult};
use hobnob_mcp_types::input::InputRequests;
use std::sync::Arc;

/// What became of the question, as far as it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoginAnswer {
    /// It was not asked in the round before.
    NotAsked,
    /// The person visits the page.
    Agreed,
    /// The person does not want to.
    Refused,
}

/// The key of the question, among whatever else is asked.
fn key(upstream: &Upstream) -> String {
    format!("hobnob-login/{}", upstream.name())
}

/// What the newest answers say about a login.
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

/// Where the caller has agreed to log in to a server, waits until that is over.
pub(super) async fn wait_if_agreed(snapshot: &Snapshot, call: &Call) {
    if call.answers.fresh().next().is_none() {
        return;
    }
    for upstream in snapshot.upstreams.values() {
        if answered(upstream, &call.answers) == LoginAnswer::Agreed {
            upstream.page_logins.ended(&call.caller.principal).await;
        }
    }
}

/// The question, if this caller can be asked it and there is a page to visit.
pub(super) async fn ask(upstream: &Arc<Upstream>, call: &Call) -> Option<Questions> {
    let caller = &call.caller;
    let able = caller.capabilities.can_visit_pages() && caller.revision >= Revision::V2025_11_25;
    if !able {
        return None;
    }
    upstream.login_needed(&upstream.key(caller))?;
    let page = upstream.login_page(&caller.principal).await?;
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
