//! Calls that a legacy server has stopped in the middle, to ask something.
//!
//! Inside, a question ends the call and the answer comes with the next one. The server's own call
//! is still open meanwhile, so `OpenConnection` parks it here under a token nobody can guess, until
//! the answer, the server's change of mind, or the time limit.

use crate::error::RequestError;
use crate::exchange::Exchange;
use crate::host::nobody_to_ask;
use crate::peer::Peer;
use crate::peer::server_questions::ServerQuestion;
use hobnob_mcp_engine::{Answers, Held, Notes, Questions, Refusable, random_bytes};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::{ErrorCode, RequestId, RpcError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// What tells the state of a parked call from a server's own state.
const STATE: &str = "held:";

/// The parked calls of one connection, by token.
#[derive(Debug, Default)]
pub(crate) struct ParkedCalls(Mutex<BTreeMap<u128, ParkedCall>>);

#[derive(Debug)]
struct ParkedCall {
    peer: Arc<Peer>,
    /// The request under way; `None` if the question came before the call, which is sent once it is
    /// answered.
    exchange: Option<Exchange>,
    /// The question's id, as the server knows it.
    question: RequestId,
    /// The question's key, as the caller knows it.
    key: String,
    since: Instant,
    /// Dropped with the call, it ends the task that watches the time.
    _clock: oneshot::Sender<()>,
}

/// A call whose question has its answer.
#[derive(Debug)]
pub(crate) enum Resumed {
    /// The server has it already, and it goes on.
    Sent(Exchange),
    /// It has yet to be made.
    Unsent,
}

/// How many calls may be parked, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParkLimits {
    /// The call that has waited longest makes way for one more.
    pub(crate) max_calls: usize,
    /// For a person or a model to answer.
    pub(crate) max_time: Duration,
}

impl ParkedCalls {
    /// Parks a call and makes its question one of the inside's.
    pub(crate) fn park(
        self: &Arc<Self>,
        exchange: Option<Exchange>,
        asked: ServerQuestion,
        limits: ParkLimits,
        peer: &Arc<Peer>,
    ) -> Result<Questions, RequestError> {
        let token = token()?;
        // Each question has a key of its own, so that no earlier answer passes for its answer.
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
            // Nobody need answer any more, but somebody may still come for what became of it.
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
            state: Some(format!("{STATE}{token:032x}")),
            refusable: Refusable::Yes,
            held: Some(held),
        })
    }

    /// Gives the answer to the call it belongs to, which then goes on, or was not sent yet; `None` if
    /// the state is not about a parked call.
    pub(crate) fn resume(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Option<Result<Resumed, RequestError>> {
        let token = answers.state()?.strip_prefix(STATE)?;
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
            (None, None) => peer.respond(&question, Err(&nobody_to_ask())),
        }
        Some(Ok(match exchange {
            None => Resumed::Unsent,
            Some(mut exchange) => {
                exchange.resume(since.elapsed(), notes.clone());
                Resumed::Sent(exchange)
            }
        }))
    }

    /// Gives all of them up, since nobody can answer any more.
    pub(crate) fn abandon_all(&self) {
        // Not under the lock: each of them cancels its request.
        let all = std::mem::take(&mut *self.lock());
        all.values().for_each(ParkedCall::abandon);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn insert(&self, token: u128, call: ParkedCall, max: usize) {
        let mut parked = self.lock();
        while parked.len() >= max {
            // The one that has waited longest is the least likely to be answered.
            let oldest = parked.iter().min_by_key(|(_, call)| call.since);
            let Some(oldest) = oldest.map(|(token, _)| *token) else { break };
            parked.remove(&oldest).inspect(ParkedCall::expire);
        }
        parked.insert(token, call);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u128, ParkedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a call out, unless it was resumed or the connection is gone.
fn take(parked: &Weak<ParkedCalls>, token: u128) -> Option<ParkedCall> {
    parked.upgrade().and_then(|parked| parked.lock().remove(&token))
}

impl ParkedCall {
    /// Whoever made the call is gone.
    fn abandon(&self) {
        self.peer.respond(&self.question, Err(&nobody_to_ask()));
    }

    fn expire(&self) {
        let error = RpcError::new(ErrorCode::TIMEOUT, "nobody answered in time");
        self.peer.respond(&self.question, Err(&error));
    }
}

fn token() -> Result<u128, RequestError> {
    let bytes = random_bytes().map_err(|error| RequestError::unreadable(error.to_string()))?;
    Ok(u128::from_be_bytes(bytes))
}
