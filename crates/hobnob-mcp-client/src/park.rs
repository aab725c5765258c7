//! Calls that a legacy server has stopped in the middle, to ask something.
//!
//! Inside, a question ends the call and the answer comes with the next one. The server's own call
//! is still open meanwhile, so it is kept here under a name nobody can guess, for a while.

use crate::exchange::{Exchange, RequestError};
use crate::peer::Peer;
use crate::pending::ServerQuestion;
use hobnob_mcp_engine::{Answers, Held, Notes, Questions, Refusable, SealKey};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// What tells the state of a kept call from a server's own state.
const STATE: &str = "held:";

/// Calls that wait for somebody's answer.
#[derive(Debug, Default)]
pub(crate) struct Parked(Mutex<BTreeMap<u128, Waits>>);

/// One of them.
#[derive(Debug)]
struct Waits {
    exchange: Exchange,
    /// The question, as the server knows it and as the caller does.
    question: hobnob_mcp_types::RequestId,
    key: String,
    since: Instant,
    /// Dropped with the call, it ends the clock.
    _clock: oneshot::Sender<()>,
}

impl Parked {
    /// Keeps a call and makes its question one of the inside's.
    pub(crate) fn park(
        self: &Arc<Self>,
        exchange: Exchange,
        asked: ServerQuestion,
        most: usize,
        patience: Duration,
        peer: &Peer,
    ) -> Result<Questions, RequestError> {
        let token = token()?;
        // Each question has a name of its own, so that no earlier answer passes for its answer.
        let key = format!("question-{:08x}", token as u32);
        let (clock, mut gone) = oneshot::channel();
        let (question, since) = (asked.id, Instant::now());
        let answered = exchange.answered().clone();
        let waits = Waits { exchange, question, key: key.clone(), since, _clock: clock };
        {
            let mut parked = self.lock();
            while parked.len() >= most {
                // The one that has waited longest is the least likely to be answered.
                let oldest = parked.iter().min_by_key(|(_, waits)| waits.since);
                let Some(oldest) = oldest.map(|(token, _)| *token) else { break };
                parked.remove(&oldest).inspect(Waits::refuse);
            }
            parked.insert(token, waits);
        }
        let waiting = Arc::downgrade(self);
        let held = Held::new({
            let waiting = Weak::clone(&waiting);
            move || {
                let forgotten = waiting.upgrade().and_then(|parked| parked.lock().remove(&token));
                forgotten.inspect(Waits::abandon);
            }
        });
        let withdrawal = held.withdrawal();
        peer.spawn(async move {
            let end = Instant::now() + patience;
            tokio::select! {
                biased;
                _ = &mut gone => return,
                _ = asked.taken_back => {}
                () = answered.cancelled() => {}
                () = tokio::time::sleep_until(end) => {}
            }
            // Nobody need answer any more, but somebody may still come for what became of it.
            drop(withdrawal);
            if timeout_at(end, gone).await.is_ok() {
                return;
            }
            let forgotten = waiting.upgrade().and_then(|parked| parked.lock().remove(&token));
            forgotten.inspect(Waits::refuse);
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

    /// Gives the answer to the call it belongs to, which then goes on; `None` if the state is
    /// not about such a call.
    pub(crate) fn resume(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Option<Result<Exchange, RequestError>> {
        let token = answers.state()?.strip_prefix(STATE)?;
        let token = u128::from_str_radix(token, 16).ok();
        let Some(waits) = token.and_then(|token| self.lock().remove(&token)) else {
            let message = "the question is no longer open: it was answered already, or it took \
                           too long; make the call again";
            return Some(Err(RequestError::Rpc(RpcError::new(ErrorCode::INVALID_PARAMS, message))));
        };
        let Waits { mut exchange, question, key, since, .. } = waits;
        match (answers.refusal(&key), answers.get(&key)) {
            (Some(refusal), _) => exchange.peer().respond(&question, Err(&refusal)),
            (None, Some(answer)) => exchange.peer().respond(&question, Ok(answer.get())),
            (None, None) => exchange.peer().respond(&question, Err(&crate::host::nobody_to_ask())),
        }
        exchange.resume(since.elapsed(), notes.clone());
        Some(Ok(exchange))
    }

    /// Gives all of them up, since nobody can answer any more.
    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u128, Waits>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waits {
    /// Whoever made the call is gone.
    fn abandon(&self) {
        self.exchange.peer().respond(&self.question, Err(&crate::host::nobody_to_ask()));
    }

    fn refuse(&self) {
        let error = RpcError::new(ErrorCode::TIMEOUT, "nobody answered in time");
        self.exchange.peer().respond(&self.question, Err(&error));
    }
}

/// What nobody can guess.
fn token() -> Result<u128, RequestError> {
    let bytes = SealKey::generate_bytes().map_err(|error| {
        RequestError::Unreadable(RpcError::new(ErrorCode::INTERNAL, error.to_string()))
    })?;
    let (halves, _) = bytes.as_chunks::<16>();
    Ok(halves.iter().fold(0, |token, half| token ^ u128::from_be_bytes(*half)))
}
