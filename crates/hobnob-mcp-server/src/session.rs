//! One peer that has to be remembered: a legacy session, or a pipe, which may speak both eras.
//!
//! Every lock here is held for a moment and never across an `.await`.

use crate::ask::OpenQuestions;
use crate::batch::BatchReply;
use crate::calls::Calls;
use crate::legacy::LegacyCall;
use crate::modern::{ModernCall, ModernRequest, busy};
use crate::reply::Reply;
use crate::roots::KnownRoots;
use crate::server::Server;
use crate::watched::Watched;
use crate::wire;
use futures_util::future::join_all;
use hobnob_mcp_engine::{
    BoxFuture, Change, ChangeSink, ClientId, Dialogue, EraChoice, LegacyPeer, Principal, ShareKey,
    Subscription, TaskOwner, choose_era,
};
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::logging::{LoggingLevel, SetLevelParams};
use hobnob_mcp_types::progress::CancelledParams;
use hobnob_mcp_types::{
    Batch, Incoming, Message, MessageKind, Method, MethodName, Notification, Params, Request,
    RequestId, Revision, RpcError, Undecodable, encode,
};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio_util::sync::CancellationToken;

/// What is left to do for a message; it answers by itself when it is done.
pub type Work = BoxFuture<'static, ()>;

/// Which eras a peer may speak on its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eras {
    /// A pipe: each request says for itself.
    Both,
    /// A session over HTTP. A modern request has headers to be checked, so it is never taken from
    /// inside a session.
    LegacyOnly,
}

/// One peer.
pub struct Session {
    server: Server,
    eras: Eras,
    principal: Principal,
    /// Tells this peer from all others.
    client_id: ClientId,
    /// Who its tasks belong to.
    owner: TaskOwner,
    /// Where messages go that belong to no request.
    main: Arc<Outbox>,
    state: Mutex<State>,
    watched: Watched,
    calls: Arc<Calls>,
    questions: OpenQuestions,
    roots: KnownRoots,
    /// The input has ended: nothing that waits for the peer can come to an end any more.
    closing: CancellationToken,
    subscription: OnceLock<Subscription>,
}

#[derive(Default)]
struct State {
    dialogue: Dialogue,
    log_level: Option<LoggingLevel>,
}

impl Session {
    /// A peer nothing is known about yet. `name` tells it from others and is hard to guess.
    pub fn new(
        server: &Server,
        eras: Eras,
        principal: Principal,
        client_id: ClientId,
        name: &str,
        main: Arc<Outbox>,
    ) -> Arc<Self> {
        let session = Arc::new(Self {
            server: server.clone(),
            eras,
            principal,
            client_id,
            owner: TaskOwner(Some(name.into())),
            main,
            state: Mutex::default(),
            watched: Watched::new(server),
            calls: Calls::new(server.limits().in_flight),
            questions: OpenQuestions::default(),
            roots: KnownRoots::default(),
            closing: server.stop_token().child_token(),
            subscription: OnceLock::new(),
        });
        let weak: Weak<Self> = Arc::downgrade(&session);
        let subscription = server.hub().subscribe(weak);
        drop(session.subscription.set(subscription));
        session
    }

    /// Takes what came in. The work it leaves may run anywhere, at once with other work.
    pub fn receive(
        self: &Arc<Self>,
        decoded: Result<Incoming, Undecodable>,
        reply: &Reply,
    ) -> Option<Work> {
        match decoded {
            Ok(Incoming::One(message)) => self.message(message, reply),
            Ok(Incoming::Many(batch)) => self.batch(batch, reply),
            Err(refused) => {
                self.undecodable(refused, reply);
                None
            }
        }
    }

    /// An answer that cannot be read ends the question it answers; everything else is refused.
    fn undecodable(&self, refused: Undecodable, reply: &Reply) {
        match refused {
            Undecodable { id: Some(id), kind: MessageKind::Answer, error }
                if self.questions.answered(&id, Err(error.clone())) =>
            {
                tracing::debug!(%error, "an answer cannot be read");
            }
            refused => refuse(&refused, reply),
        }
    }

    /// The revision, once it is agreed.
    pub fn revision(&self) -> Option<Revision> {
        self.state().dialogue.revision()
    }

    /// Whom the transport knows this peer to be.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// How many requests are being answered, and tasks worked on.
    pub fn busy(&self) -> usize {
        self.calls.len() + self.server.tasks().running(&self.owner)
    }

    /// The peer says nothing more: listens end, and questions to it stay without an answer.
    pub fn close_input(&self) {
        self.closing.cancel();
        self.questions.close();
    }

    /// Ends everything: calls are cancelled without an answer, tasks and subscriptions forgotten.
    pub fn end(&self) {
        self.state().dialogue.shut_down();
        self.calls.end_all();
        self.close_input();
        self.watched.close();
        self.server.tasks().forget(&self.owner);
        self.server.service().client_gone(self.client_id);
        self.main.finish();
    }

    fn message(self: &Arc<Self>, message: Message, reply: &Reply) -> Option<Work> {
        match message {
            Message::Request(request) => self.request(request, reply),
            Message::Notification(notification) => {
                self.notification(&notification);
                None
            }
            Message::Response(response) => {
                if let Some(id) = response.id {
                    self.questions.answered(&id, response.outcome);
                }
                None
            }
        }
    }

    fn batch(self: &Arc<Self>, batch: Batch, reply: &Reply) -> Option<Work> {
        if !self.revision().is_some_and(Revision::has_batches) {
            refuse(&Undecodable::invalid("batches are not part of this revision"), reply);
            return None;
        }
        let messages = match batch.split(self.server.limits().batch) {
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
        (!works.is_empty()).then(|| -> Work { Box::pin(async { drop(join_all(works).await) }) })
    }

    fn receive_in_batch(
        self: &Arc<Self>,
        message: Result<Message, Undecodable>,
        reply: &Reply,
    ) -> Option<Work> {
        match message {
            Ok(Message::Request(request)) => match barred_from_batches(&request) {
                Some(problem) => {
                    let error = RpcError::invalid_request(problem);
                    reply.send(encode::error(Some(&request.id), &error), None);
                    None
                }
                None => self.request(request, reply),
            },
            decoded => self.receive(decoded.map(Incoming::One), reply),
        }
    }

    fn request(self: &Arc<Self>, request: Request, reply: &Reply) -> Option<Work> {
        match choose_era(&request.method, &request.params, None) {
            Ok(EraChoice::Modern) if self.eras == Eras::LegacyOnly => {
                let message = "a request with its own `_meta` is posted alone, outside a session";
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

    /// A modern request on a pipe: stateless, but it can be cancelled by its id.
    fn modern(self: &Arc<Self>, request: Request, reply: &Reply) -> Option<Work> {
        let id = request.id.clone();
        let principal = self.principal.clone();
        let client_id = self.client_id;
        let known = ModernRequest { headers: None, mirrored: None, principal, client_id };
        match ModernCall::new(&self.server, request, known, reply, self.closing.clone()) {
            Ok(call) => self.calls.track(&id, reply, call.run()),
            Err((bytes, fault)) => {
                reply.send(bytes, fault);
                None
            }
        }
    }

    fn legacy(self: &Arc<Self>, request: Request, reply: &Reply) -> Option<Work> {
        match self.begin_legacy(request, reply) {
            Ok(work) => work,
            Err((id, error)) => {
                reply.send(encode::error(Some(&id), &error), wire::legacy_fault(&error));
                None
            }
        }
    }

    fn begin_legacy(
        self: &Arc<Self>,
        request: Request,
        reply: &Reply,
    ) -> Result<Option<Work>, (RequestId, RpcError)> {
        let Request { id, method, params } = request;
        if method == MethodName::Known(Method::Ping) {
            reply.send(encode::result(&id, |out| out.push_str("{}")), None);
            return Ok(None);
        }
        let failed = |error| (id.clone(), error);
        params.check().map_err(failed)?;
        if method == MethodName::Known(Method::Initialize) {
            let result = self.initialize(&params).map_err(failed)?;
            reply.send(encode::result(&id, |out| out.push_str(&result)), None);
            return Ok(None);
        }
        let (peer, log_level) = self.operating().map_err(failed)?;
        let method = match method {
            MethodName::Known(known) if known.is_asked_of_servers(peer.revision) => known,
            other => return Err(failed(RpcError::method_not_found(other.as_str()))),
        };
        if let Some(done) = self.at_once(method, &params) {
            done.map_err(failed)?;
            reply.send(encode::result(&id, |out| out.push_str("{}")), None);
            return Ok(None);
        }
        let caller = peer.caller(self.client_id, &self.principal, log_level);
        let place = self.server.enter(method, caller.share()).ok_or_else(|| failed(busy()))?;
        let kept = id.clone();
        let call = LegacyCall::new(self, id, method, params, caller, reply.clone(), place);
        Ok(self.calls.track(&kept, reply, call.run()))
    }

    /// The peer after its handshake, and the level it has set.
    fn operating(&self) -> Result<(LegacyPeer, Option<LoggingLevel>), RpcError> {
        let state = self.state();
        Ok((state.dialogue.operating()?.clone(), state.log_level))
    }

    /// The requests that only change what this session hears; their result is empty.
    fn at_once(&self, method: Method, params: &Params) -> Option<Result<(), RpcError>> {
        let offers = || self.server.service().offer().capabilities;
        let absent = || Some(Err(RpcError::method_not_found(method.as_str())));
        match method {
            Method::SetLevel if offers().logging.is_none() => absent(),
            Method::SetLevel => Some(params.decode::<SetLevelParams>().map(|params| {
                self.state().log_level = Some(params.level);
            })),
            Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => {
                if !self.offers_subscriptions() {
                    return absent();
                }
                Some(self.subscribe(method, params))
            }
            Method::TasksGet | Method::TasksResult | Method::TasksList | Method::TasksCancel
                if offers().tasks.is_none() =>
            {
                absent()
            }
            _ => None,
        }
    }

    fn subscribe(&self, method: Method, params: &Params) -> Result<(), RpcError> {
        let uri = params.string("uri")?;
        if method == Method::ResourcesSubscribe {
            self.watched.add(&uri, self.share())
        } else {
            self.watched.remove(&uri)
        }
    }

    fn offers_subscriptions(&self) -> bool {
        let offer = self.server.service().offer().capabilities;
        offer.resources.is_some_and(|resources| resources.subscribe)
    }

    /// Subscribes this session on a service's behalf, if it could have subscribed itself.
    pub(crate) fn watch(&self, uri: &str) {
        if self.offers_subscriptions()
            && let Err(error) = self.watched.add(uri, self.share())
        {
            tracing::debug!(%error, "a service's subscription is left out");
        }
    }

    /// Takes a subscription back on a service's behalf.
    pub(crate) fn unwatch(&self, uri: &str) {
        // A resource that could not be subscribed to has nothing to take back.
        drop(self.watched.remove(uri));
    }

    fn initialize(&self, params: &Params) -> Result<String, RpcError> {
        let most = self.server.limits().hello_bytes;
        if params.raw().len() > most {
            let message = format!("`params` of initialize are longer than {most} bytes");
            return Err(RpcError::invalid_params(message));
        }
        let meta = self.server.service().greet(params.get("_meta"))?;
        let LegacyPeer { revision, .. } = self.state().dialogue.initialize(params)?;
        let offer = self.server.service().offer();
        Ok(object(|object| {
            object.string("protocolVersion", revision.as_str());
            object.raw("capabilities", &self.server.capabilities(&offer.capabilities, revision));
            object.raw("serverInfo", &self.server.implementation(revision));
            if let Some(text) = &offer.instructions {
                object.string("instructions", text);
            }
            if let Some(meta) = &meta {
                object.raw("_meta", meta);
            }
        }))
    }

    fn notification(&self, notification: &Notification) {
        match &notification.method {
            MethodName::Known(Method::Initialized) => self.state().dialogue.initialized(),
            MethodName::Known(Method::Cancelled) => {
                let params = notification.params.decode::<CancelledParams>();
                if let Some(id) = params.ok().and_then(|params| params.request_id) {
                    self.calls.cancel(&id);
                }
            }
            MethodName::Known(Method::RootsListChanged) => self.roots.changed(),
            other => tracing::trace!(method = other.as_str(), "notification ignored"),
        }
    }

    /// Without `logging/setLevel` the server may choose.
    pub(crate) fn log_level(&self) -> LoggingLevel {
        self.state().log_level.unwrap_or(LoggingLevel::Info)
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn owner(&self) -> TaskOwner {
        self.owner.clone()
    }

    /// What this peer told of its roots.
    pub(crate) fn roots(&self) -> &KnownRoots {
        &self.roots
    }

    /// What this peer has been asked.
    pub(crate) fn questions(&self) -> &OpenQuestions {
        &self.questions
    }

    /// With whom this peer shares what clients may take.
    fn share(&self) -> ShareKey {
        let state = self.state();
        let client = state.dialogue.operating().ok().map(|peer| &*peer.client.name);
        ShareKey::new(self.client_id, &self.principal, client)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChangeSink for Session {
    fn changed(&self, change: &Change) {
        let state = self.state();
        let Ok(peer) = state.dialogue.operating() else { return };
        let plain = |method, key: &str| {
            Some((encode::notification(method, "{}"), Merge::Always(key.into())))
        };
        let note = match change {
            Change::Tools => plain(Method::ToolsListChanged, "tools"),
            Change::Prompts => plain(Method::PromptsListChanged, "prompts"),
            Change::Resources => plain(Method::ResourcesListChanged, "resources"),
            Change::Resource(uri) => self.watched.contains(uri).then(|| {
                let params = object(|object| {
                    object.string("uri", uri);
                });
                let merge = Merge::Always(format!("resource {uri}").into());
                (encode::notification(Method::ResourcesUpdated, &params), merge)
            }),
            Change::Task { id, owner }
                if *owner == self.owner && peer.revision == Revision::V2025_11_25 =>
            {
                self.server.tasks().view(id, &self.owner).map(|view| {
                    let params = object(|object| view.record.write_legacy(object));
                    let merge = Merge::Always(format!("task {id}").into());
                    (encode::notification(Method::TaskStatus, &params), merge)
                })
            }
            Change::Task { .. } => None,
        };
        drop(state);
        if let Some((bytes, merge)) = note {
            self.main.note(bytes, merge);
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({} in flight)", self.busy())
    }
}

/// Why a request may not share a line with others, if it may not.
fn barred_from_batches(request: &Request) -> Option<&'static str> {
    // Spec 2025-03-26, lifecycle: `initialize` must not be part of a batch.
    if request.method == MethodName::Known(Method::Initialize) {
        return Some("`initialize` may not be in a batch");
    }
    // A modern revision has no batches, and a listen would hold back its neighbours for ever.
    match choose_era(&request.method, &request.params, None) {
        Ok(EraChoice::Legacy) => None,
        Ok(EraChoice::Modern) | Err(_) => Some("a modern request may not be in a batch"),
    }
}

fn refuse(refused: &Undecodable, reply: &Reply) {
    let fault = wire::protocol_fault(&refused.error);
    reply.send(encode::error(refused.answer_id(), &refused.error), Some(fault));
}
