//! One request in flight, and every way in which it can end.
//!
//! Code that asks the server anything sends a [`NewRequest`] and holds the [`Exchange`] until the
//! answer comes. The exchange is the only handle: dropping it early cancels the request.

use crate::error::RequestError;
use crate::fair_queue::Turn;
use crate::options::Timeouts;
use crate::peer::Peer;
use crate::peer::activity::Activity;
use crate::peer::message_sender::Wire;
use crate::peer::pending_requests::{PendingRequest, RequestResult};
use crate::peer::server_questions::{MAX_OPEN_PER_CALL, ServerQuestion};
use crate::question_routing;
use hobnob_mcp_engine::{Caller, Notes};
use hobnob_mcp_transport::{RequestHead, SendError};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use hobnob_mcp_types::{Era, Method, RequestId, Revision, encode};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A request to be sent.
pub(crate) struct NewRequest<'a> {
    pub(crate) method: Method,
    /// Writes the whole message under this id.
    pub(crate) text: Box<dyn FnOnce(&RequestId) -> String + 'a>,
    /// The revision of this request, if none is agreed on yet.
    pub(crate) revision: Option<Revision>,
    /// The value of the `Mcp-Name` header.
    pub(crate) name: Option<Box<str>>,
    /// The `Mcp-Param-*` headers: the part of the name after the prefix, and the value.
    pub(crate) mirrored: Vec<(Box<str>, String)>,
    /// Receives progress and log messages.
    pub(crate) notes: Option<Notes>,
    pub(crate) questions: MayAsk,
    /// The caller on whose behalf it is sent; `None` for a request of our own.
    pub(crate) caller: Option<Caller>,
    /// Receives the acknowledgement of `subscriptions/listen`.
    pub(crate) acknowledged: Option<oneshot::Sender<SubscriptionFilter>>,
    /// The caller's turn in the queue, held until the request ends. Our own requests need none.
    pub(crate) turn: Option<Turn>,
}

impl<'a> NewRequest<'a> {
    /// A request of our own: no headers, no notes, and the server may not ask back.
    pub(crate) fn own(method: Method, text: impl FnOnce(&RequestId) -> String + 'a) -> Self {
        Self {
            method,
            text: Box::new(text),
            revision: None,
            name: None,
            mirrored: Vec::new(),
            notes: None,
            questions: MayAsk::No,
            caller: None,
            acknowledged: None,
            turn: None,
        }
    }
}

/// Whether a server may ask questions during a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MayAsk {
    Yes,
    No,
}

/// A request in flight. Dropping it before its answer cancels it.
#[derive(Debug)]
pub(crate) struct Exchange {
    peer: Arc<Peer>,
    number: i64,
    method: Method,
    result: oneshot::Receiver<RequestResult>,
    questions: Option<mpsc::Receiver<ServerQuestion>>,
    activity: Arc<Activity>,
    /// Cancelled once the request is no longer pending.
    answered: CancellationToken,
    /// How long the request waited for answers to questions; this is not the server's time.
    parked: Duration,
    over: bool,
}

/// The next step of a request in flight.
pub(crate) enum ExchangeStep {
    Done(RequestResult),
    Question(ServerQuestion),
}

impl Exchange {
    /// Sends a request; fails if it cannot leave, and then the server cannot have run it.
    pub(crate) fn begin(peer: &Arc<Peer>, new: NewRequest<'_>) -> Result<Self, RequestError> {
        let (sender, result) = oneshot::channel();
        let (ask, questions) = match new.questions {
            MayAsk::Yes => {
                let (sender, receiver) = mpsc::channel(MAX_OPEN_PER_CALL);
                (Some(sender), Some(receiver))
            }
            MayAsk::No => (None, None),
        };
        let observed_caller = match peer.sender.is_observed() {
            true => new.caller.clone(),
            false => None,
        };
        let activity = Activity::begin();
        let answered = CancellationToken::new();
        let request = PendingRequest {
            method: new.method,
            result: sender,
            notes: new.notes,
            questions: ask,
            activity: Arc::clone(&activity),
            caller: new.caller,
            acknowledged: new.acknowledged,
            _turn: new.turn,
            _waiting: answered.clone().drop_guard(),
        };
        let number = peer.pending().add(request, peer.max_in_flight)?;
        let id = RequestId::from(number);
        let text = (new.text)(&id);
        let head = RequestHead {
            id,
            method: new.method,
            revision: new.revision.or_else(|| peer.sender.revision()),
            name: new.name,
            mirrored: new.mirrored,
        };
        if let Err(error) = peer.sender.request(text, head, observed_caller.as_ref()) {
            peer.pending().take(number);
            let why = error.to_string().into();
            return Err(match error {
                SendError::Ended => RequestError::Unsent(why),
                SendError::Full => RequestError::Busy(why),
            });
        }
        Ok(Self {
            peer: Arc::clone(peer),
            number,
            method: new.method,
            result,
            questions,
            activity,
            answered,
            parked: Duration::ZERO,
            over: false,
        })
    }

    /// Waits for the answer, but at most `limit`; signs of life do not extend it.
    pub(crate) async fn answer_within(mut self, limit: Duration) -> RequestResult {
        match tokio::time::timeout(limit, &mut self.result).await {
            Ok(result) => self.ended(result),
            Err(_) => Err(RequestError::Late(limit)),
        }
    }

    /// Waits for the answer without a time limit.
    pub(crate) async fn answer(&mut self) -> RequestResult {
        let result = (&mut self.result).await;
        self.ended(result)
    }

    /// Waits for the answer or a question. Signs of life extend the time, up to the hard limit.
    pub(crate) async fn next(&mut self, timeouts: &Timeouts) -> ExchangeStep {
        loop {
            let quiet_end = self.activity.last() + timeouts.call;
            let hard_end = self.activity.begun() + timeouts.call_max + self.parked;
            let question = async {
                match &mut self.questions {
                    Some(questions) => questions.recv().await,
                    None => None,
                }
            };
            tokio::select! {
                biased;
                result = &mut self.result => return ExchangeStep::Done(self.ended(result)),
                Some(question) = question => return ExchangeStep::Question(question),
                () = tokio::time::sleep_until(quiet_end.min(hard_end)) => {}
            }
            let now = Instant::now();
            if now >= hard_end {
                return ExchangeStep::Done(Err(RequestError::Late(timeouts.call_max)));
            }
            if now >= self.activity.last() + timeouts.call {
                return ExchangeStep::Done(Err(RequestError::Late(timeouts.call)));
            }
        }
    }

    /// Goes on after a question that took `parked` to answer; `notes` are those of the new round.
    pub(crate) fn resume(&mut self, parked: Duration, notes: Notes) {
        self.parked += parked;
        self.activity.record();
        self.peer.pending().set_notes(self.number, notes);
    }

    /// Cancelled once the request is no longer pending, even if no task polls the exchange.
    pub(crate) fn answered(&self) -> &CancellationToken {
        &self.answered
    }

    /// The number in the request's id, which is also its progress token.
    pub(crate) fn number(&self) -> i64 {
        self.number
    }

    /// Takes over the progress of the earlier call that became the task this request waits for.
    pub(crate) fn take_progress_of(&self, token: i64, notes: Notes) {
        let mut pending = self.peer.pending();
        pending.set_notes(self.number, notes);
        pending.add_task_token(token, self.number);
    }

    fn ended(&mut self, result: Result<RequestResult, oneshot::error::RecvError>) -> RequestResult {
        self.over = true;
        result.unwrap_or_else(|_| Err(RequestError::Ended("the connection is gone".into())))
    }

    /// Cancels the request on the server, because its caller no longer waits for the answer.
    fn cancel(&self) {
        let peer = &self.peer;
        let Some(request) = peer.pending().take(self.number) else { return };
        let id = RequestId::from(self.number);
        let is_legacy = peer.sender.speaks(Era::Legacy);
        // Only a legacy server asks by itself, and only on a pipe nothing names the call.
        let may_ask_on = peer.sender.wire() == Wire::Pipe && is_legacy;
        let ping = if may_ask_on { peer.pending().abandon(self.number, &request) } else { None };
        drop(request);
        // A modern server over HTTP notices the closed stream. A handshake is never cancelled
        // (spec, cancellation).
        let by_stream = peer.sender.wire() == Wire::Http && !is_legacy;
        if !by_stream && self.method != Method::Initialize {
            let params = object(|object| {
                id.write(object.key("requestId"));
                object.string("reason", "the caller no longer waits for the answer");
            });
            peer.sender.notify(Method::Cancelled, &params);
        }
        if let Some(ping) = ping {
            peer.sender.one_way(encode::request(&ping.into(), Method::Ping, "{}"));
        }
        peer.sender.abandon(&id);
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.over {
            self.cancel();
        }
        // On a pipe a question is routed to the likeliest call, so it may belong to another one.
        let Some(questions) = &mut self.questions else { return };
        questions.close();
        while let Ok(question) = questions.try_recv() {
            question_routing::route_again(&self.peer, question);
        }
    }
}
