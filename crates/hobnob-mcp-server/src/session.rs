//! A peer whose state the server keeps: a legacy session, or a pipe, which may speak both eras.
//!
//! Transports pass on each message and run the work that [`Session::receive`] returns. This file
//! dispatches messages to their era and never waits.

use crate::batch::BatchReply;
use crate::calls::Calls;
use crate::legacy::LegacyCall;
use crate::modern::{ModernCall, ModernRequest};
use crate::other_methods::{OtherCalls, OtherClient, OtherDelivery, OtherMethodsAccess};
use crate::reply::{PendingReply, Reply, ReplyScope, send_ready};
use crate::server::Server;
use crate::session_state::SessionState;
use crate::tap;
use crate::traffic;
use crate::wire::{self, busy};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use hobnob_mcp_engine::{
    ChangeSink, ClientId, EraChoice, Principal, Subscription, TaskOwner, choose_era,
};
use hobnob_mcp_transport::{Outbox, SentMessages};
use hobnob_mcp_types::logging::SetLevelParams;
use hobnob_mcp_types::progress::CancelledParams;
use hobnob_mcp_types::{
    Batch, Incoming, Message, MessageKind, Method, MethodName, Notification, Params, Request,
    RequestId, Revision, RpcError, Undecodable, encode,
};
use std::sync::{Arc, OnceLock, Weak};
use tokio_util::sync::CancellationToken;

/// Which eras a peer may speak on its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eras {
    /// A pipe: each request says which era it belongs to.
    Both,
    /// A session over HTTP. Modern requests have headers that must be checked, so they are never
    /// accepted inside a session.
    LegacyOnly,
}

/// One peer and its calls in flight.
pub struct Session {
    eras: Eras,
    state: Arc<SessionState>,
    calls: Arc<Calls>,
    /// Answers requests of another protocol; made for the first one.
    other: OnceLock<Arc<dyn OtherCalls>>,
    /// Cancelled when the input has ended: nothing that waits for the peer can succeed any more.
    closing: CancellationToken,
    /// Observes what is sent to the peer.
    sent: Arc<dyn SentMessages>,
    _subscription: Subscription,
}

impl Session {
    /// A peer that has not sent anything yet. `name` owns its tasks, so it must be unguessable.
    /// Messages that belong to no request go to `main`.
    pub fn new(
        server: &Server,
        eras: Eras,
        principal: Principal,
        client_id: ClientId,
        name: &str,
        main: Arc<Outbox>,
    ) -> Arc<Self> {
        let owner = TaskOwner(Some(name.into()));
        let state = SessionState::new(server, principal, client_id, owner, main);
        let sent = tap::observe_session(&state);
        state.observe_main(&sent);
        let sink: Arc<dyn ChangeSink> = Arc::clone(&state) as _;
        let weak: Weak<dyn ChangeSink> = Arc::downgrade(&sink);
        Arc::new(Self {
            eras,
            calls: Calls::new(server.limits().in_flight),
            other: OnceLock::new(),
            closing: server.parts().stopping.child_token(),
            sent,
            _subscription: server.parts().hub.subscribe(state.principal().clone(), weak),
            state,
        })
    }

    /// Handles an incoming message. The returned work may run anywhere and concurrently.
    pub fn receive(
        &self,
        decoded: Result<Incoming, Undecodable>,
        reply: &Reply,
    ) -> Option<PendingReply> {
        traffic::received(self.state.client_id(), decoded.as_ref());
        if self.state.server().0.tap.is_open() && reply.scope() == ReplyScope::Exchange {
            let _only_once = reply.outbox().observer.set(Arc::clone(&self.sent));
        }
        tap::received(&self.state, decoded.as_ref());
        match decoded {
            Ok(Incoming::One(message)) => self.message(message, reply),
            Ok(Incoming::Many(batch)) => self.batch(batch, reply),
            Err(refused) => {
                self.undecodable(refused, reply);
                None
            }
        }
    }

    /// An unreadable answer ends its question; other unreadable messages are refused.
    fn undecodable(&self, refused: Undecodable, reply: &Reply) {
        match refused {
            Undecodable { id: Some(id), kind: MessageKind::Answer, error }
                if self.state.questions().answered(&id, Err(error.clone())) =>
            {
                tracing::debug!(%error, "an answer cannot be read");
            }
            refused => refuse(&refused, reply),
        }
    }

    /// The revision, once the handshake has settled it.
    pub fn revision(&self) -> Option<Revision> {
        self.state.handshake().revision()
    }

    /// Succeeds if the handshake is done; otherwise fails with the error that requests get.
    pub fn check_handshake(&self) -> Result<(), RpcError> {
        self.state.operating().map(drop)
    }

    /// The identity that the transport has authenticated.
    pub fn principal(&self) -> &Principal {
        self.state.principal()
    }

    /// The number of requests of MCP in flight, plus the number of running tasks.
    pub fn busy(&self) -> usize {
        self.calls.len() + self.state.server().parts().tasks.running(self.state.owner())
    }

    /// Records that the peer's input has ended: listens end, and open questions get no answer.
    pub fn close_input(&self) {
        self.closing.cancel();
        self.state.questions().close();
    }

    /// Ends everything: calls are cancelled without an answer, tasks and subscriptions are dropped.
    pub fn end(&self) {
        self.state.handshake().shut_down();
        self.calls.end_all();
        if let Some(other) = self.other.get() {
            other.end();
        }
        self.close_input();
        self.state.end();
    }

    fn message(&self, message: Message, reply: &Reply) -> Option<PendingReply> {
        match message {
            Message::Request(request) => self.request(request, reply),
            Message::Notification(notification) => {
                self.notification(&notification);
                None
            }
            Message::Response(response) => {
                if let Some(id) = response.id {
                    self.state.questions().answered(&id, response.outcome.map(Into::into));
                }
                None
            }
        }
    }

    fn batch(&self, batch: Batch, reply: &Reply) -> Option<PendingReply> {
        if !self.revision().is_some_and(Revision::has_batches) {
            refuse(&Undecodable::invalid("batches are not part of this revision"), reply);
            return None;
        }
        let messages = match batch.split(self.state.server().limits().batch) {
            Ok(messages) => messages,
            Err(refused) => {
                refuse(&refused, reply);
                return None;
            }
        };
        let asks = |message: &Result<Message, Undecodable>| {
            matches!(message, Ok(Message::Request(_)) | Err(_))
        };
        let answers = messages.iter().filter(|message| asks(message)).count();
        let gathered = Arc::new(BatchReply::new(answers));
        let mut works = Vec::new();
        for message in messages {
            let reply = reply.in_batch(Arc::clone(&gathered));
            works.extend(self.receive_in_batch(message, &reply));
        }
        if works.is_empty() {
            return None;
        }
        Some(Box::pin(async {
            // The last answer sends the whole array.
            join_all(works.into_iter().map(|work| work.map(send_ready))).await;
            None
        }))
    }

    fn receive_in_batch(
        &self,
        message: Result<Message, Undecodable>,
        reply: &Reply,
    ) -> Option<PendingReply> {
        match message {
            Ok(Message::Request(request)) => match self.barred_from_batches(&request) {
                Some(error) => {
                    reply.send(encode::error(Some(&request.id), &error), None);
                    None
                }
                None => {
                    traffic::received_request(self.state.client_id(), &request);
                    tap::received_in_batch(&self.state, &request);
                    self.request(request, reply)
                }
            },
            decoded => self.receive(decoded.map(Incoming::One), reply),
        }
    }

    fn request(&self, request: Request, reply: &Reply) -> Option<PendingReply> {
        // Only a pipe can carry the messages that follow the answer.
        if reply.scope() == ReplyScope::Connection
            && self.state.server().answers_other(&request.method)
        {
            return self.other_protocol(request, reply);
        }
        match choose_era(&request.method, &request.params, None) {
            Ok(EraChoice::Modern) if self.eras == Eras::LegacyOnly => {
                let message =
                    "post a request that names its revision in `_meta` outside the session";
                let error = RpcError::invalid_request(message);
                reply.send(encode::error(Some(&request.id), &error), None);
                None
            }
            Ok(EraChoice::Modern) => self.modern(request, reply),
            Ok(EraChoice::Legacy) => self.legacy(request, reply),
            Err(error) => {
                let fault = wire::protocol_fault(&error);
                reply.send(encode::error(Some(&request.id), &error), Some(fault));
                None
            }
        }
    }

    /// Why a request may not be in a batch, if it may not.
    fn barred_from_batches(&self, request: &Request) -> Option<RpcError> {
        let invalid = |problem| Some(RpcError::invalid_request(problem));
        // Spec 2025-03-26, lifecycle: `initialize` must not be part of a batch.
        if request.method == MethodName::Known(Method::Initialize) {
            return invalid("`initialize` may not be in a batch");
        }
        if self.state.server().answers_other(&request.method) {
            let mut error = RpcError::method_not_found(request.method.as_str());
            error.message += "; only methods of MCP may be in a batch";
            return Some(error);
        }
        // Modern revisions have no batches, and a listen would hold back its neighbours for ever.
        match choose_era(&request.method, &request.params, None) {
            Ok(EraChoice::Legacy) => None,
            Ok(EraChoice::Modern) | Err(_) => invalid("a modern request may not be in a batch"),
        }
    }

    /// Starts a request of another protocol. It is not in the table of calls, and it needs no
    /// handshake unless the server demands one.
    fn other_protocol(&self, request: Request, reply: &Reply) -> Option<PendingReply> {
        let server = self.state.server();
        let methods = server.other_methods()?;
        if server.other_methods_access() == OtherMethodsAccess::AfterHandshake
            && let Err(error) = self.check_handshake()
        {
            reply.send(encode::error(Some(&request.id), &error), None);
            return None;
        }
        let open = || {
            let principal = self.state.principal().clone();
            methods.open(
                server.service_calls(),
                OtherClient { principal, client_id: self.state.client_id() },
            )
        };
        let other = self.other.get_or_init(open);
        let outbox = Arc::clone(reply.outbox());
        let answering = other.answer(request, outbox, OtherDelivery::Stream);
        Some(Box::pin(answering.map(|()| None)))
    }

    /// Starts a modern request on a pipe: it is stateless, but can be cancelled by its id.
    fn modern(&self, request: Request, reply: &Reply) -> Option<PendingReply> {
        let id = request.id.clone();
        let principal = self.state.principal().clone();
        let client_id = self.state.client_id();
        let known = ModernRequest { headers: None, mirrored: None, principal, client_id };
        match ModernCall::new(self.state.server(), request, known, reply, self.closing.clone()) {
            Ok(call) => self.calls.track(&id, reply, call.run()),
            Err((bytes, fault)) => {
                reply.send(bytes, fault);
                None
            }
        }
    }

    fn legacy(&self, request: Request, reply: &Reply) -> Option<PendingReply> {
        match self.begin_legacy(request, reply) {
            Ok(work) => work,
            Err((id, error)) => {
                reply.send(encode::error(Some(&id), &error), wire::legacy_fault(&error));
                None
            }
        }
    }

    fn begin_legacy(
        &self,
        request: Request,
        reply: &Reply,
    ) -> Result<Option<PendingReply>, (RequestId, RpcError)> {
        let Request { id, method, params } = request;
        if method == MethodName::Known(Method::Ping) {
            reply.send(encode::result(&id, |out| out.push_str("{}")), None);
            return Ok(None);
        }
        let failed = |error| (id.clone(), error);
        params.check().map_err(failed)?;
        if method == MethodName::Known(Method::Initialize) {
            let result = self.state.initialize(&params).map_err(failed)?;
            reply.send(encode::result(&id, |out| out.push_str(&result)), None);
            return Ok(None);
        }
        let (peer, log_level) = self.state.operating().map_err(failed)?;
        let method = match method {
            MethodName::Known(known) if known.is_asked_of_servers(peer.revision) => known,
            other => return Err(failed(RpcError::method_not_found(other.as_str()))),
        };
        if let Some(done) = self.at_once(method, &params) {
            done.map_err(failed)?;
            reply.send(encode::result(&id, |out| out.push_str("{}")), None);
            return Ok(None);
        }
        let state = &self.state;
        let caller = peer.caller(state.client_id(), state.principal(), log_level);
        let share =
            state.server().quotas().enter(method, caller.share()).ok_or_else(|| failed(busy()))?;
        tap::call_begins(state.server(), &id, &caller);
        let tracked = id.clone();
        let call = LegacyCall::new(state, id, method, params, caller, reply.clone(), share);
        Ok(self.calls.track(&tracked, reply, call.run()))
    }

    /// Handles requests that only change the session's own state; their result is empty.
    fn at_once(&self, method: Method, params: &Params) -> Option<Result<(), RpcError>> {
        let offers = || self.state.server().service().offer().capabilities;
        let absent = || Some(Err(RpcError::method_not_found(method.as_str())));
        match method {
            Method::SetLevel if offers().logging.is_none() => absent(),
            Method::SetLevel => Some(params.decode::<SetLevelParams>().map(|params| {
                self.state.handshake().set_log_level(params.level);
            })),
            Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => {
                if !self.state.offers_subscriptions() {
                    return absent();
                }
                Some(params.string("uri").and_then(|uri| match method {
                    Method::ResourcesSubscribe => self.state.subscribe(&uri),
                    _ => self.state.unsubscribe(&uri),
                }))
            }
            Method::TasksGet | Method::TasksResult | Method::TasksList | Method::TasksCancel
                if offers().tasks.is_none() =>
            {
                absent()
            }
            _ => None,
        }
    }

    fn notification(&self, notification: &Notification) {
        match &notification.method {
            MethodName::Known(Method::Initialized) => self.state.handshake().initialized(),
            // The name that drafts of the first revision used; some clients still send it.
            MethodName::Other(name) if **name == *"initialized" => {
                self.state.handshake().initialized()
            }
            MethodName::Known(Method::Cancelled) => {
                let params = notification.params.decode::<CancelledParams>();
                if let Some(id) = params.ok().and_then(|params| params.request_id) {
                    self.calls.cancel(&id);
                }
            }
            MethodName::Known(Method::RootsListChanged) => self.state.roots_changed(),
            other => tracing::trace!(method = other.as_str(), "notification ignored"),
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({} in flight)", self.busy())
    }
}

fn refuse(refused: &Undecodable, reply: &Reply) {
    let fault = wire::protocol_fault(&refused.error);
    reply.send(encode::error(refused.answer_id(), &refused.error), Some(fault));
}
