//! One peer that has to be remembered: a legacy session, or a pipe, which may speak both eras.
//!
//! Every lock here is held for a moment and never across an `.await`. The in-flight table decides
//! who answers: a request that was cancelled is no longer in it, so its answer is never sent.

use crate::batch::BatchReply;
use crate::legacy::LegacyCall;
use crate::modern::{ModernRequest, Prepared, busy};
use crate::reply::Reply;
use crate::server::Server;
use crate::wire;
use futures_util::future::{AbortHandle, AbortRegistration, Abortable, join_all};
use mcp_engine::{
    BoxFuture, Change, ChangeSink, Dialogue, EraChoice, InFlight, LegacyPeer, Principal, Refused,
    Subscription, TaskOwner, choose_era, fold_capabilities,
};
use mcp_transport::{Merge, Outbox};
use mcp_types::json::object;
use mcp_types::logging::{LoggingLevel, SetLevelParams};
use mcp_types::progress::CancelledParams;
use mcp_types::{
    Batch, Incoming, Message, Method, MethodName, Notification, Params, Request, RequestId,
    Response, Revision, RpcError, Undecodable, encode,
};
use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::oneshot;

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
    /// Who its tasks belong to.
    owner: TaskOwner,
    /// Where messages go that belong to no request.
    main: Arc<Outbox>,
    state: Mutex<State>,
    in_flight: Mutex<InFlight<Running>>,
    asked: Mutex<AskedTable>,
    subscription: OnceLock<Subscription>,
}

#[derive(Default)]
struct State {
    dialogue: Dialogue,
    log_level: Option<LoggingLevel>,
    resources: BTreeSet<Box<str>>,
}

struct Running {
    abort: AbortHandle,
    reply: Reply,
}

#[derive(Default)]
struct AskedTable {
    next: i64,
    open: HashMap<RequestId, oneshot::Sender<Result<Box<str>, RpcError>>>,
}

impl Session {
    /// A peer nothing is known about yet. `name` tells it from others and is hard to guess.
    pub fn new(
        server: &Server,
        eras: Eras,
        principal: Principal,
        name: &str,
        main: Arc<Outbox>,
    ) -> Arc<Self> {
        let session = Arc::new(Self {
            server: server.clone(),
            eras,
            principal,
            owner: TaskOwner(Some(name.into())),
            main,
            state: Mutex::default(),
            in_flight: Mutex::new(InFlight::new(server.limits().in_flight)),
            asked: Mutex::default(),
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
                refuse(&refused, reply);
                None
            }
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

    /// How many requests are being answered.
    pub fn busy(&self) -> usize {
        lock(&self.in_flight).len()
    }

    /// Ends everything: calls are cancelled without an answer, tasks forgotten.
    pub fn end(&self) {
        self.state().dialogue.shut_down();
        let running = lock(&self.in_flight).end_all();
        for call in running {
            call.abort.abort();
            call.reply.skip();
        }
        lock(&self.asked).open.clear();
        self.server.tasks().forget(&self.owner);
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
                self.response(response);
                None
            }
        }
    }

    fn batch(self: &Arc<Self>, batch: Batch, reply: &Reply) -> Option<Work> {
        if !self.revision().is_some_and(Revision::has_batches) {
            let error = RpcError::invalid_request("batches are not part of this revision");
            refuse(&Undecodable { error, id: None }, reply);
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
        let known = ModernRequest { headers: None, mirrored: None, principal };
        match Prepared::new(&self.server, request, known, reply) {
            Ok(prepared) => self.tracked(id, reply, prepared.run()),
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
        let peer = self.state().dialogue.operating().cloned().map_err(failed)?;
        let method = match method {
            MethodName::Known(known) if known.is_asked_of_servers(peer.revision) => known,
            other => return Err(failed(RpcError::method_not_found(other.as_str()))),
        };
        if let Some(done) = self.at_once(method, &params) {
            done.map_err(failed)?;
            reply.send(encode::result(&id, |out| out.push_str("{}")), None);
            return Ok(None);
        }
        let place = self.server.enter().ok_or_else(|| failed(busy()))?;
        let caller = peer.caller(&self.principal);
        let kept = id.clone();
        let call = LegacyCall::new(self, id, method, params, caller, reply.clone(), place);
        Ok(self.tracked(kept, reply, call.run()))
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
                if !offers().resources.is_some_and(|resources| resources.subscribe) {
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
        let most = self.server.limits().subscriptions;
        let mut state = self.state();
        if method == Method::ResourcesUnsubscribe {
            state.resources.remove(&*uri);
        } else if state.resources.len() < most {
            state.resources.insert(uri.into());
        } else if !state.resources.contains(&*uri) {
            let message = format!("more than {most} subscriptions in one session");
            return Err(RpcError::invalid_request(message));
        }
        Ok(())
    }

    fn initialize(&self, params: &Params) -> Result<String, RpcError> {
        let LegacyPeer { revision, .. } = self.state().dialogue.initialize(params)?;
        let offer = self.server.service().offer();
        let capabilities = serde_json::to_string(&offer.capabilities).unwrap_or_default();
        Ok(object(|object| {
            object.string("protocolVersion", revision.as_str());
            object.raw("capabilities", &fold_capabilities(&capabilities, revision));
            object.raw("serverInfo", &self.server.implementation(revision));
            if let Some(text) = &offer.instructions {
                object.string("instructions", text);
            }
        }))
    }

    fn notification(&self, notification: &Notification) {
        match &notification.method {
            MethodName::Known(Method::Initialized) => self.state().dialogue.initialized(),
            MethodName::Known(Method::Cancelled) => {
                let params = notification.params.decode::<CancelledParams>();
                if let Some(id) = params.ok().and_then(|params| params.request_id) {
                    self.cancel(&id);
                }
            }
            other => tracing::trace!(method = other.as_str(), "notification ignored"),
        }
    }

    fn cancel(&self, id: &RequestId) {
        if let Some(running) = lock(&self.in_flight).end(id) {
            running.abort.abort();
            running.reply.skip();
        }
    }

    fn response(&self, response: Response) {
        let Some(id) = response.id else { return };
        let waiting = lock(&self.asked).open.remove(&id);
        match waiting {
            Some(sender) => drop(sender.send(response.outcome)),
            None => tracing::debug!(%id, "an answer to nothing we asked"),
        }
    }

    /// Work that is answered only if nobody cancelled it meanwhile.
    fn tracked(
        self: &Arc<Self>,
        id: RequestId,
        reply: &Reply,
        run: impl Future<Output = crate::modern::Encoded> + Send + 'static,
    ) -> Option<Work> {
        let registration = match self.begin(&id, reply) {
            Ok(registration) => registration,
            Err(error) => {
                reply.send(encode::error(Some(&id), &error), wire::legacy_fault(&error));
                return None;
            }
        };
        let session = Arc::clone(self);
        Some(Box::pin(async move {
            if let Ok((bytes, fault)) = Abortable::new(run, registration).await {
                let ended = lock(&session.in_flight).end(&id);
                if let Some(running) = ended {
                    running.reply.send(bytes, fault);
                }
            }
        }))
    }

    fn begin(&self, id: &RequestId, reply: &Reply) -> Result<AbortRegistration, RpcError> {
        let (abort, registration) = AbortHandle::new_pair();
        let running = Running { abort, reply: reply.clone() };
        match lock(&self.in_flight).begin(id.clone(), running) {
            Ok(()) => Ok(registration),
            Err(Refused::Duplicate) => {
                let message = format!("a request with id {id} is still being answered");
                Err(RpcError::invalid_request(message))
            }
            Err(Refused::Full) => Err(busy()),
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

    /// An id of ours, whose answer goes to `sender`.
    pub(crate) fn expect_answer(
        &self,
        sender: oneshot::Sender<Result<Box<str>, RpcError>>,
    ) -> RequestId {
        let mut asked = lock(&self.asked);
        asked.next += 1;
        let id = RequestId::from(asked.next);
        asked.open.insert(id.clone(), sender);
        id
    }

    /// Nobody waits for this answer any more. Whether somebody did.
    pub(crate) fn forget_answer(&self, id: &RequestId) -> bool {
        lock(&self.asked).open.remove(id).is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
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
            Change::Resource(uri) => state.resources.contains(uri).then(|| {
                let params = object(|object| {
                    object.string("uri", uri);
                });
                let merge = Merge::Always(format!("resource {uri}").into());
                (encode::notification(Method::ResourcesUpdated, &params), merge)
            }),
            Change::Task(id) if peer.revision == Revision::V2025_11_25 => {
                self.server.tasks().view(id, &self.owner).map(|view| {
                    let params = object(|object| view.record.write_legacy(object));
                    let merge = Merge::Always(format!("task {id}").into());
                    (encode::notification(Method::TaskStatus, &params), merge)
                })
            }
            Change::Task(_) => None,
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
    reply.send(encode::error(refused.id.as_ref(), &refused.error), Some(fault));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
