//! One server at the other end of a carrier: requests go out, everything it says comes in here.
//!
//! Notifications and requests of the server in between disturb nothing: an answer is found by its
//! id, and nothing in here waits.

use crate::events::{EventHandler, ServerEvent};
use crate::exchange::{Ask, Exchange, RequestError};
use crate::host::{Host, nobody_to_ask};
use crate::pages::Pages;
use crate::pending::{Likeliest, OPEN_QUESTIONS, Pending, Pulse, ServerQuestion, Waiting};

use hobnob_mcp_transport::{
    Carrier, Loss, Outgoing, OutgoingKind, Receiver, RequestHead, SendError,
};
use hobnob_mcp_types::elicitation::ElicitationCompleteParams;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::logging::LoggingMessageParams;
use hobnob_mcp_types::progress::{CancelledParams, ProgressParams};
use hobnob_mcp_types::resources::ResourceUriParams;
use hobnob_mcp_types::subscriptions::ListenParams;
use hobnob_mcp_types::{
    Era, Incoming, Message, MessageKind, Method, MethodName, Notification, Params, Request,
    RequestId, Response, Revision, RpcError, Undecodable, encode, meta,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Messages of one batch that a server may send; only 2025-03-26 has batches.
const BATCH: usize = 100;

/// Questions of a server that may be open at once outside of calls.
const QUESTIONS: usize = 64;

/// What carries the messages, where that makes a difference to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// One stream for everything.
    Pipe,
    /// An exchange for each request.
    Http,
}

/// A server.
pub(crate) struct Peer {
    wire: Wire,
    carrier: OnceLock<Arc<dyn Carrier>>,
    pending: Mutex<Pending>,
    revision: OnceLock<Revision>,
    /// Questions of the server that are not answered yet. Whoever looks for an answer holds the
    /// other half, and stops when this one is dropped.
    open: Mutex<HashMap<RequestId, oneshot::Sender<()>>>,
    host: Arc<dyn Host>,
    events: Arc<dyn EventHandler>,
    pages: Pages,
    tasks: TaskTracker,
    /// Cancelled when the connection is over, with everything that only makes sense before.
    closed: CancellationToken,
    most: usize,
}

impl Peer {
    pub(crate) fn new(
        wire: Wire,
        host: Arc<dyn Host>,
        events: Arc<dyn EventHandler>,
        tasks: TaskTracker,
        most: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            wire,
            carrier: OnceLock::new(),
            pending: Mutex::default(),
            revision: OnceLock::new(),
            open: Mutex::default(),
            host,
            events,
            pages: Pages::default(),
            tasks,
            closed: CancellationToken::new(),
            most,
        })
    }

    /// The carrier needs a receiver before it exists, so it comes second.
    pub(crate) fn carry(&self, carrier: Arc<dyn Carrier>) {
        drop(self.carrier.set(carrier));
    }

    /// The revision both sides speak, once it is agreed.
    pub(crate) fn agree(&self, revision: Revision) {
        // The first agreement stands; both greetings may have been open at once.
        let _already = self.revision.set(revision);
    }

    pub(crate) fn revision(&self) -> Option<Revision> {
        self.revision.get().copied()
    }

    pub(crate) fn carrier(&self) -> Option<&Arc<dyn Carrier>> {
        self.carrier.get()
    }

    pub(crate) fn host(&self) -> &Arc<dyn Host> {
        &self.host
    }

    /// Runs something beside, at most until the connection is over.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let closed = self.closed.clone();
        self.tasks.spawn(async move {
            let _closed = closed.run_until_cancelled_owned(work).await;
        });
    }

    /// Why nothing can be asked any more, once that is so.
    pub(crate) fn ended_because(&self) -> Option<Box<str>> {
        self.pending().ended().map(Into::into)
    }

    /// Requests that wait for their answers.
    pub(crate) fn in_flight(&self) -> usize {
        self.pending().calls()
    }

    /// Sends a request. The exchange is its only handle: dropped early, it is cancelled.
    pub(crate) fn ask(self: &Arc<Self>, ask: Ask<'_>) -> Result<Exchange, RequestError> {
        let (done, answer) = oneshot::channel();
        let (questions, asked) = match ask.questions {
            crate::exchange::MayAsk::Yes => {
                let (sender, receiver) = mpsc::channel(OPEN_QUESTIONS);
                (Some(sender), Some(receiver))
            }
            crate::exchange::MayAsk::No => (None, None),
        };
        let pulse = Pulse::new();
        let answered = CancellationToken::new();
        let waiting = Waiting {
            method: ask.method,
            done,
            notes: ask.notes,
            questions,
            pulse: Arc::clone(&pulse),
            caller: ask.caller,
            agreed: ask.agreed,
            _turn: ask.turn,
            _answered: answered.clone().drop_guard(),
        };
        let number = self.pending().begin(waiting, self.most)?;
        let id = RequestId::from(number);
        let text = (ask.text)(&id);
        let head = RequestHead {
            id,
            method: ask.method,
            revision: ask.revision.or_else(|| self.revision()),
            name: ask.name,
            mirrored: ask.mirrored,
        };
        let sent = self.send(Outgoing { text, kind: OutgoingKind::Request(head) });
        if let Err(error) = sent {
            self.pending().take(number);
            let why = error.to_string().into();
            return Err(match error {
                SendError::Ended => RequestError::Unsent(why),
                SendError::Full => RequestError::Busy(why),
            });
        }
        let peer = Arc::clone(self);
        Ok(Exchange::new(peer, number, ask.method, answer, asked, pulse, answered))
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: Method, params: &str) {
        let text = encode::notification(method, params);
        self.one_way(text);
    }

    /// Answers a question of the server, unless it was answered or taken back.
    pub(crate) fn respond(&self, id: &RequestId, answer: Result<&str, &RpcError>) {
        if self.open().remove(id).is_none() {
            return;
        }
        self.one_way(match answer {
            Ok(result) => encode::result(id, |out| out.push_str(result)),
            Err(error) => encode::error(Some(id), error),
        });
    }

    /// Nobody waits for this answer any more: the server may stop.
    pub(crate) fn give_up(&self, number: i64, method: Method) {
        let Some(waiting) = self.pending().take(number) else { return };
        let id = RequestId::from(number);
        let is_legacy = self.revision().is_some_and(|revision| revision.era() == Era::Legacy);
        // Only a legacy server asks by itself, and only on a pipe nothing says about which call.
        let unclear = self.wire == Wire::Pipe && is_legacy;
        let ping = if unclear { self.pending().gave_up(number, &waiting) } else { None };
        drop(waiting);
        // A modern server over HTTP hears it from the closed stream. A handshake is never
        // cancelled (spec, cancellation).
        let by_stream = self.wire == Wire::Http && !is_legacy;
        if !by_stream && method != Method::Initialize {
            let params = object(|object| {
                id.write(object.key("requestId"));
                object.string("reason", "nobody waits for the answer any more");
            });
            self.notify(Method::Cancelled, &params);
        }
        if let Some(ping) = ping {
            self.one_way(encode::request(&ping.into(), Method::Ping, "{}"));
        }
        if let Some(carrier) = self.carrier.get() {
            carrier.abandon(&id);
        }
    }

    /// A request that goes on gets a new listener for its notes.
    pub(crate) fn renote(&self, number: i64, notes: hobnob_mcp_engine::Notes) {
        self.pending().renote(number, notes);
    }

    /// A request waits for the result of the task that an earlier call became, whose token goes on.
    pub(crate) fn follow_token(&self, token: i64, number: i64, notes: hobnob_mcp_engine::Notes) {
        let mut pending = self.pending();
        pending.renote(number, notes);
        pending.follow_token(token, number);
    }

    /// Hears of a task's progress under this token until the guard is dropped.
    pub(crate) fn hear_token(
        self: &Arc<Self>,
        token: i64,
        notes: hobnob_mcp_engine::Notes,
    ) -> TokenHeard {
        self.pending().hear_token(token, Some(notes));
        TokenHeard { peer: Arc::clone(self), token }
    }

    /// Is cancelled when the connection is over.
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    pub(crate) fn events(&self) -> &Arc<dyn EventHandler> {
        &self.events
    }

    /// The pages whose visit the server has said is over.
    pub(crate) fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Ends the connection from our side.
    pub(crate) fn close(&self) {
        self.end("the connection was closed");
        if let Some(carrier) = self.carrier.get() {
            carrier.close();
        }
    }

    fn one_way(&self, text: String) {
        let kind = OutgoingKind::OneWay { revision: self.revision() };
        if let Err(error) = self.send(Outgoing { text, kind }) {
            tracing::debug!(%error, "a message could not be sent");
        }
    }

    fn send(&self, message: Outgoing) -> Result<(), SendError> {
        self.carrier.get().ok_or(SendError::Ended)?.send(message)
    }

    fn end(&self, why: &str) {
        let waiting = self.pending().end(why);
        for one in waiting {
            drop(one.done.send(Err(RequestError::Ended(why.into()))));
        }
        self.open().clear();
        self.closed.cancel();
    }

    fn answered(&self, response: Response) {
        let number = response.id.as_ref().and_then(RequestId::as_number);
        let waiting = number.and_then(|number| self.pending().take(number));
        match waiting {
            Some(waiting) => drop(waiting.done.send(response.outcome.map_err(RequestError::Rpc))),
            // Late answers to what was given up come here too.
            None => {
                if let Some(number) = number {
                    self.pending().answered_late(number);
                }
                tracing::debug!("an answer to nothing we wait for");
            }
        }
    }

    fn told(&self, notification: Notification, exchange: Option<&RequestId>) {
        let MethodName::Known(method) = notification.method else { return };
        let params = notification.params;
        match method {
            Method::Progress => self.progressed(&params),
            Method::LogMessage => self.logged(&params, exchange),
            Method::Cancelled => {
                let params = params.decode::<CancelledParams>().ok();
                if let Some(id) = params.and_then(|params| params.request_id) {
                    self.taken_back(&id);
                }
            }
            Method::ToolsListChanged => self.events.on_event(ServerEvent::ToolsChanged),
            Method::PromptsListChanged => self.events.on_event(ServerEvent::PromptsChanged),
            Method::ResourcesListChanged => self.events.on_event(ServerEvent::ResourcesChanged),
            Method::ResourcesUpdated => {
                if let Ok(params) = params.decode::<ResourceUriParams>() {
                    self.events.on_event(ServerEvent::ResourceUpdated(params.uri.into()));
                }
            }
            Method::ElicitationComplete => {
                if let Ok(params) = params.decode::<ElicitationCompleteParams>() {
                    self.pages.done(&params.elicitation_id);
                    self.events
                        .on_event(ServerEvent::ElicitationComplete(params.elicitation_id.into()));
                }
            }
            Method::SubscriptionsAcknowledged => self.agreed(&params, exchange),
            _ => tracing::trace!(method = method.as_str(), "notification ignored"),
        }
    }

    /// The server says what it will tell of. On a pipe only its `_meta` says for which listen.
    fn agreed(&self, params: &Params, exchange: Option<&RequestId>) {
        let Ok(ListenParams { notifications, meta }) = params.decode() else { return };
        let named = meta
            .as_deref()
            .and_then(|meta| field(meta.get(), meta::SUBSCRIPTION_ID))
            .and_then(|id| serde_json::from_str::<RequestId>(id).ok());
        let number = named.as_ref().or(exchange).and_then(RequestId::as_number);
        if let Some(number) = number {
            self.pending().agree(number, notifications);
        }
    }

    /// An answer we cannot read still is the answer to its request, which fails at once. A request
    /// of the server is refused; its id is the server's own and says nothing of ours.
    fn misheard(&self, refused: Undecodable, exchange: Option<&RequestId>) {
        let Undecodable { error, id, kind } = refused;
        let ours = match kind {
            MessageKind::Call => None,
            // What has not one member of an envelope is a line of somebody's log.
            MessageKind::Unknown => exchange,
            MessageKind::Answer => id.as_ref().or(exchange),
        };
        let number = ours.and_then(RequestId::as_number);
        let waiting = number.and_then(|number| self.pending().take(number));
        if let Some(waiting) = waiting {
            drop(waiting.done.send(Err(RequestError::Unreadable(error))));
            return;
        }
        if let (MessageKind::Call, Some(id)) = (kind, &id) {
            self.one_way(encode::error(Some(id), &error));
        }
        self.events.on_event(ServerEvent::InvalidMessage(error.message.into()));
    }

    fn progressed(&self, params: &Params) {
        let Ok(params) = params.decode::<ProgressParams>() else { return };
        let Some(number) = params.progress_token.0.as_number() else { return };
        let notes = self.pending().notes_of(number);
        if let Some(notes) = notes {
            notes.progress(params.progress, params.total, params.message.as_deref());
        }
    }

    fn logged(&self, params: &Params, exchange: Option<&RequestId>) {
        let Ok(message) = params.decode::<LoggingMessageParams>() else { return };
        let notes = {
            let pending = self.pending();
            let number = exchange.and_then(RequestId::as_number);
            let waiting =
                number.map_or_else(|| pending.newest_heard(), |number| pending.get(number));
            waiting.and_then(|waiting| waiting.notes.clone())
        };
        match notes {
            Some(notes) => notes.log(message.level, message.logger.as_deref(), &message.data),
            None => self.events.on_event(ServerEvent::LogMessage(message)),
        }
    }

    /// The server cancels its own question. The id is the server's, so that it says nothing of a
    /// request of ours with the same number, but for the listen that a modern server ends: it has
    /// no requests of its own which could be meant.
    fn taken_back(&self, id: &RequestId) {
        if self.open().remove(id).is_some() {
            return;
        }
        let is_modern = self.revision().is_some_and(|revision| revision.era() == Era::Modern);
        let number = id.as_number().filter(|_| is_modern);
        let waiting = number.and_then(|number| self.pending().take_listen(number));
        if let Some(waiting) = waiting {
            drop(
                waiting
                    .done
                    .send(Err(RequestError::Lost(Loss::Broken("the server cancelled".into())))),
            );
        }
    }

    fn asked(self: &Arc<Self>, request: Request, exchange: Option<&RequestId>) {
        let Request { id, method, params } = request;
        if method == MethodName::Known(Method::Ping) {
            self.one_way(encode::result(&id, |out| out.push_str("{}")));
            return;
        }
        let question = match question(&method, &params) {
            Ok(question) => question,
            Err(error) => return self.one_way(encode::error(Some(&id), &error)),
        };
        let Some(taken_back) = self.take_question(&id) else {
            let error = RpcError::invalid_request("too many open questions, or one id twice");
            return self.one_way(encode::error(Some(&id), &error));
        };
        let number = exchange.and_then(RequestId::as_number);
        self.put(ServerQuestion { id, request: question, exchange: number, taken_back });
    }

    /// Notes that a question is open, if it may be.
    fn take_question(&self, id: &RequestId) -> Option<oneshot::Receiver<()>> {
        let mut open = self.open();
        if open.len() >= QUESTIONS || open.contains_key(id) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        open.insert(id.clone(), sender);
        Some(receiver)
    }

    /// A question whose call has ended without a look at it goes to another, or to the host,
    /// unless it was that call's own.
    pub(crate) fn hand_on(self: &Arc<Self>, asked: ServerQuestion) {
        if !self.open().contains_key(&asked.id) {
            return;
        }
        match asked.exchange {
            None => self.put(asked),
            Some(_) => self.respond(&asked.id, Err(&nobody_to_ask())),
        }
    }

    /// Puts a question to the call it came with, else to the likeliest one, else to the host.
    /// What the host knows itself, no caller is asked for.
    fn put(self: &Arc<Self>, asked: ServerQuestion) {
        if self.host.knows(&asked.request) {
            return self.ask_host(asked);
        }
        let lane = {
            let pending = self.pending();
            let of_exchange = asked.exchange.and_then(|number| pending.get(number));
            let of_exchange = of_exchange.filter(|waiting| waiting.questions.is_some());
            let likeliest = match of_exchange {
                Some(waiting) => Likeliest::Call(waiting),
                None => pending.likeliest(&asked.request),
            };
            match likeliest {
                Likeliest::Call(waiting) => {
                    waiting.pulse.beat();
                    Ok(waiting.questions.clone())
                }
                Likeliest::Unclear => Err(unclear()),
                Likeliest::Nobody => Ok(None),
            }
        };
        let lane = match lane {
            Ok(Some(lane)) => lane,
            Ok(None) => return self.ask_host(asked),
            Err(error) => return self.respond(&asked.id, Err(&error)),
        };
        if let Err(unasked) = lane.try_send(asked) {
            self.respond(&unasked.into_inner().id, Err(&nobody_to_ask()));
        }
    }

    /// A question that belongs to no call is the host's own.
    fn ask_host(self: &Arc<Self>, asked: ServerQuestion) {
        let peer = Arc::clone(self);
        self.tasks.spawn(async move {
            let ServerQuestion { id, request, taken_back, .. } = asked;
            tokio::select! {
                answer = peer.host.answer(&request) => {
                    peer.respond(&id, answer.as_ref().map(|answer| answer.get()));
                }
                _ = taken_back => {}
            }
        });
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<RequestId, oneshot::Sender<()>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a server asks of its client.
fn question(method: &MethodName, params: &Params) -> Result<InputRequest, RpcError> {
    match method {
        MethodName::Known(Method::RootsList) => Ok(InputRequest::ListRoots(params.decode()?)),
        MethodName::Known(Method::CreateMessage) => {
            Ok(InputRequest::CreateMessage(params.decode()?))
        }
        MethodName::Known(Method::Elicit) => Ok(InputRequest::Elicit(params.decode()?)),
        other => Err(RpcError::method_not_found(other.as_str())),
    }
}

/// Why a question that came without its call is not put to anybody.
fn unclear() -> RpcError {
    let message = "calls of several clients are running, and nothing says which of them this \
                   question belongs to; nobody was asked";
    RpcError::invalid_request(message)
}

/// Ears for one token; dropped, they hear no more.
pub(crate) struct TokenHeard {
    peer: Arc<Peer>,
    token: i64,
}

impl Drop for TokenHeard {
    fn drop(&mut self) {
        self.peer.pending().hear_token(self.token, None);
    }
}

/// The receiver a carrier holds; it must not keep the peer alive.
pub(crate) struct Inbox(pub(crate) std::sync::Weak<Peer>);

impl Inbox {
    fn message(peer: &Arc<Peer>, message: Message, exchange: Option<&RequestId>) {
        match message {
            Message::Response(response) => peer.answered(response),
            Message::Notification(notification) => peer.told(notification, exchange),
            Message::Request(request) => peer.asked(request, exchange),
        }
    }
}

impl Receiver for Inbox {
    fn received(&self, message: Result<Incoming, Undecodable>, exchange: Option<&RequestId>) {
        let Some(peer) = self.0.upgrade() else { return };
        let refused = match message {
            Ok(Incoming::One(message)) => return Self::message(&peer, message, exchange),
            Ok(Incoming::Many(batch)) => match batch.split(BATCH) {
                Ok(messages) => {
                    for message in messages {
                        match message {
                            Ok(message) => Self::message(&peer, message, exchange),
                            Err(refused) => peer.misheard(refused, None),
                        }
                    }
                    return;
                }
                Err(refused) => refused,
            },
            Err(refused) => refused,
        };
        peer.misheard(refused, exchange);
    }

    fn lost(&self, id: &RequestId, why: Loss) {
        let Some(peer) = self.0.upgrade() else { return };
        let waiting = id.as_number().and_then(|number| peer.pending().take(number));
        if let Some(waiting) = waiting {
            drop(waiting.done.send(Err(RequestError::Lost(why))));
        }
    }

    fn ended(&self, why: &str) {
        let Some(peer) = self.0.upgrade() else { return };
        peer.end(why);
        peer.events.on_event(ServerEvent::Ended(why.into()));
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Peer({:?}, {} in flight)", self.wire, self.in_flight())
    }
}
