//! Decides who answers a question of the server: the caller it belongs to, or the host.
//!
//! The inbox brings every question here once; an exchange that ends brings back unread questions.
//! Invariant: a question goes to one client at most, and to none if calls of several clients match.

use crate::host::declined_question;
use crate::peer::Peer;
use crate::peer::pending_requests::QuestionTarget;
use crate::peer::server_questions::ServerQuestion;
use hobnob_mcp_engine::{Caller, can_answer};
use hobnob_mcp_types::RpcError;
use std::sync::Arc;
use std::time::Duration;

/// How long a question waits for a call. Most servers give up after a minute by themselves.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Puts a question to the call on whose stream it came, else to the likeliest call, else to the
/// host. Questions that the host knows how to answer never go to a caller.
pub(crate) fn route(peer: &Arc<Peer>, question: ServerQuestion) {
    if peer.host.knows(&question.request) {
        return ask_host(peer, question);
    }
    let lane = {
        let pending = peer.pending();
        let of_exchange = question.exchange.and_then(|number| pending.get(number));
        let target = match of_exchange.filter(|request| request.questions.is_some()) {
            Some(request) => QuestionTarget::Call(request),
            None => pending.target_of(&question.request),
        };
        match target {
            QuestionTarget::Call(request) => {
                request.activity.record();
                Ok(request.questions.clone())
            }
            QuestionTarget::Ambiguous => Err(ambiguous()),
            QuestionTarget::NoCall => Ok(None),
        }
    };
    let lane = match lane {
        Ok(Some(lane)) => lane,
        Ok(None) if peer.host.waits_for_call(&question.request) => {
            return wait_for_call(peer, question);
        }
        Ok(None) => return ask_host(peer, question),
        Err(error) => return peer.respond(&question.id, Err(&error)),
    };
    if let Err(unasked) = lane.try_send(question) {
        peer.respond(&unasked.into_inner().id, Err(&declined_question()));
    }
}

/// Routes a question again whose call has ended without looking at it: to another call or to the
/// host, unless it belonged to that very call.
pub(crate) fn route_again(peer: &Arc<Peer>, question: ServerQuestion) {
    if !peer.questions.is_open(&question.id) {
        return;
    }
    match question.exchange {
        None => route(peer, question),
        Some(_) => peer.respond(&question.id, Err(&declined_question())),
    }
}

/// Keeps a question for the next call. A server may process nothing before it has an answer, and it
/// must not wait for ever, so the host is asked after a while.
fn wait_for_call(peer: &Arc<Peer>, question: ServerQuestion) {
    let (asking, id) = (Arc::clone(peer), question.id.clone());
    peer.waiting.push(question);
    peer.spawn(async move {
        tokio::time::sleep(MAX_WAIT).await;
        if let Some(question) = asking.waiting.take_by_id(&id) {
            ask_host(&asking, question);
        }
    });
}

/// The oldest question that came before this caller's call and that the caller can answer. The host
/// gets the questions that the caller cannot answer.
pub(crate) fn take_waiting(peer: &Arc<Peer>, caller: &Caller) -> Option<ServerQuestion> {
    while let Some(question) = peer.waiting.take(|_| true) {
        match can_answer(&question.request, caller) {
            _ if !peer.questions.is_open(&question.id) => {}
            true => return Some(question),
            false => ask_host(peer, question),
        }
    }
    None
}

fn ask_host(peer: &Arc<Peer>, question: ServerQuestion) {
    let asking = Arc::clone(peer);
    peer.tasks.spawn(async move {
        let ServerQuestion { id, request, closed, .. } = question;
        tokio::select! {
            answer = asking.host.answer(&request) => {
                asking.respond(&id, answer.as_ref().map(|answer| answer.get()));
            }
            _ = closed => {}
        }
    });
}

/// The refusal of a question that could belong to calls of several clients.
fn ambiguous() -> RpcError {
    let message = "calls of several clients are running, and the question does not say which of \
                   them it belongs to, so it was not asked";
    RpcError::invalid_request(message)
}
