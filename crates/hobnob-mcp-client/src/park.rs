//! Calls that a legacy server has interrupted to ask a question.
//!
//! In the engine, a question ends the call, and the answer comes with the next call. The server's
//! own call stays open meanwhile, so `OpenConnection` parks it here under an unguessable token,
//! until the answer comes, the server withdraws the question, or the time is up.

use crate::error::RequestError;
use crate::exchange::Exchange;
use crate::host::declined_question;
use crate::peer::Peer;
use crate::peer::server_questions::ServerQuestion;
use hobnob_mcp_engine::{Answers, Held, Notes, Questions, Refusable, random_bytes};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::{ErrorCode, RequestId, RpcError};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// The prefix that distinguishes the state of a parked call from a server's own state.
const STATE_PREFIX: &str = "held:";

/// The parked calls of one connection, by token.
#[derive(Debug, Default)]
pub(crate) struct ParkedCalls(Mutex<BTreeMap<u128, ParkedCall>>);

#[derive(Debug)]
struct ParkedCall {
    peer: Arc<Peer>,
    /// The request in flight; `None` if the question came before the call, which is sent after the
    /// answer.
    exchange: Option<Exchange>,
    /// The id of the question on the server.
    question: RequestId,
    /// The key of the question for the caller.
    key: String,
    since: Instant,
    /// Dropping it ends the task that watches the time limit.
    _clock: oneshot::Sender<()>,
}

/// A call whose question has been answered.
#[derive(Debug)]
pub(crate) enum Resumed {
    /// The server has the call already, and it goes on.
    Sent(Exchange),
    /// The call has not been sent yet.
    Unsent,
}

/// The limits for parked calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParkLimits {
    /// The maximum number of calls; the call that has waited longest makes way for a new one.
    pub(crate) max_calls: usize,
    /// The time limit for a person or a model to answer.
    pub(crate) max_time: Duration,
}

impl ParkedCalls {
    /// Parks a call, and turns its question into one of the engine.
    pub(crate) fn park(
        self: &Arc<Self>,
        exchange: Option<Exchange>,
        asked: ServerQuestion,
        limits: ParkLimits,
        peer: &Arc<Peer>,
    ) -> Result<Questions, RequestError> {
        let token = token()?;
        // Each question has a key of its own, so that an earlier answer cannot pass for its answer.
        let key = format!("question-{:08x}", token as u32);
        let (clock, gone) = oneshot::channel();
        let (question, since) = (asked.id, Instant::now());
        let answered = exchange
            .as_ref()
            .map_or_else(CancellationToken::new, |exchange| exchange.answered().clone());
        let call = ParkedCall {
            peer: Arc::clone(peer),
            exchange,
            question,
            key: key.clone(),
            since,
            _clock: clock,
        };
        self.insert(token, call, limits.max_calls);
        let held = Held::new({
            let parked = Arc::downgrade(self);
            move || drop(take(&parked, token).inspect(ParkedCall::abandon))
        });
        let withdrawal = held.withdrawal();
        let parked = Arc::downgrade(self);
        peer.spawn(async move {
            let (mut gone, end) = (gone, Instant::now() + limits.max_time);
            tokio::select! {
                biased;
                _ = &mut gone => return,
                _ = asked.closed => {}
                () = answered.cancelled() => {}
                () = tokio::time::sleep_until(end) => {}
            }
            // The question is withdrawn, but the caller may still ask for the outcome of the call.
            drop(withdrawal);
            if timeout_at(end, gone).await.is_ok() {
                return;
            }
            take(&parked, token).inspect(ParkedCall::expire);
        });
        let mut requests = InputRequests::new();
        requests.0.insert(key, asked.request);
        Ok(Questions {
            requests,
            state: Some(format!("{STATE_PREFIX}{token:032x}")),
            refusable: Refusable::Yes,
            held: Some(held),
        })
    }

    /// Sends the answer to the server and returns the call that it belongs to; `None` if the state
    /// does not belong to a parked call.
    pub(crate) fn resume(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Option<Result<Resumed, RequestError>> {
        let token = answers.state()?.strip_prefix(STATE_PREFIX)?;
        let token = u128::from_str_radix(token, 16).ok();
        let Some(call) = token.and_then(|token| self.lock().remove(&token)) else {
            let message = "the question is no longer open: it was answered already, or it took \
                           too long; make the call again";
            return Some(Err(RequestError::Rpc(RpcError::new(ErrorCode::INVALID_PARAMS, message))));
        };
        let ParkedCall { peer, exchange, question, key, since, .. } = call;
        match (answers.refusal(&key), answers.get(&key)) {
            (Some(refusal), _) => peer.respond(&question, Err(&refusal)),
            (None, Some(answer)) => peer.respond(&question, Ok(answer.get())),
            (None, None) => peer.respond(&question, Err(&declined_question())),
        }
        Some(Ok(match exchange {
            None => Resumed::Unsent,
            Some(mut exchange) => {
                exchange.resume(since.elapsed(), notes.clone());
                Resumed::Sent(exchange)
            }
        }))
    }

    /// Abandons all parked calls, because their questions can no longer be answered.
    pub(crate) fn abandon_all(&self) {
        // Not under the lock: dropping a call cancels its request.
        let all = std::mem::take(&mut *self.lock());
        all.values().for_each(ParkedCall::abandon);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn insert(&self, token: u128, call: ParkedCall, max: usize) {
        let mut parked = self.lock();
        while parked.len() >= max {
            // The call that has waited longest is the least likely to be answered.
            let oldest = parked.iter().min_by_key(|(_, call)| call.since);
            let Some(oldest) = oldest.map(|(token, _)| *token) else { break };
            parked.remove(&oldest).inspect(ParkedCall::expire);
        }
        parked.insert(token, call);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u128, ParkedCall>> {
        self.0.lock()
    }
}

/// Takes a call out, unless it was resumed or the connection is gone.
fn take(parked: &Weak<ParkedCalls>, token: u128) -> Option<ParkedCall> {
    parked.upgrade().and_then(|parked| parked.lock().remove(&token))
}

impl ParkedCall {
    /// Answers the question of a call whose caller is gone.
    fn abandon(&self) {
        self.peer.respond(&self.question, Err(&declined_question()));
    }

    fn expire(&self) {
        let error = RpcError::new(ErrorCode::TIMEOUT, "the question was not answered in time");
        self.peer.respond(&self.question, Err(&error));
    }
}

fn token() -> Result<u128, RequestError> {
    let bytes = random_bytes().map_err(|error| RequestError::unreadable(error.to_string()))?;
    Ok(u128::from_be_bytes(bytes))
}
