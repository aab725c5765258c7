//! A modern request: everything it needs is in it, and nothing is remembered afterwards.

use crate::call::{caught, within};
use crate::listen::listen;
use crate::reply::Reply;
use crate::rounds::Rounds;
use crate::server::Server;
use crate::session::Work;
use crate::sink::{CallLife, EdgeNotes, Furthest, LogGate, PauseMode};
use crate::wire;
use hobnob_mcp_engine::{
    Answers, Binding, Call, CallError, ClientId, HeaderView, Held, MirroredParams, ModernMeta,
    Notes, Outcome, Principal, Questions, Refusable, Share, TaskOffer, TaskOwner, check_headers,
    modern_caller,
};
use hobnob_mcp_transport::Fault;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::{
    ErrorCode, Method, MethodName, Params, Request, RequestId, Revision, RpcError, encode,
    tasks_ext,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// What the transport knows of a modern request besides its text.
#[derive(Debug)]
pub struct ModernRequest<'a> {
    /// The standard headers, where there are headers.
    pub headers: Option<HeaderView<'a>>,
    /// The headers that repeat parameters, where there are headers.
    pub mirrored: Option<MirroredParams>,
    /// Whom the transport knows the caller to be.
    pub principal: Principal,
    /// Which client this is: its pipe, or its connection.
    pub client_id: ClientId,
}

/// Begins to answer; the work, if any is left, answers through `reply` when it is done.
/// Dropping the work cancels the request.
pub fn answer_modern(
    server: &Server,
    request: Request,
    known: ModernRequest<'_>,
    reply: Reply,
) -> Option<Work> {
    match Prepared::new(server, request, known, &reply, server.stop_token().clone()) {
        Ok(prepared) => Some(Box::pin(async move {
            let (bytes, fault) = prepared.run().await;
            reply.send(bytes, fault);
        })),
        Err((bytes, fault)) => {
            reply.send(bytes, fault);
            None
        }
    }
}

/// An encoded answer and what HTTP must show of it.
pub(crate) type Encoded = (String, Option<Fault>);

/// A request that passed every check that needs no waiting.
pub(crate) struct Prepared {
    server: Server,
    id: RequestId,
    method: Method,
    params: Arc<Params>,
    meta: ModernMeta,
    mirrored: Option<MirroredParams>,
    reply: Reply,
    /// When a listen has to end.
    stop: CancellationToken,
    furthest: Arc<Furthest>,
    _place: Share,
}

impl Prepared {
    pub(crate) fn new(
        server: &Server,
        request: Request,
        known: ModernRequest<'_>,
        reply: &Reply,
        stop: CancellationToken,
    ) -> Result<Self, Encoded> {
        let Request { id, method, params } = request;
        let refuse = |error: RpcError| {
            let fault = wire::protocol_fault(&error);
            (encode::error(Some(&id), &error), Some(fault))
        };
        let (method, meta) = admit(&method, &params, &known).map_err(refuse)?;
        let Some(place) = server.enter(method, meta.caller.share()) else {
            return Err(refuse(busy()));
        };
        Ok(Self {
            server: server.clone(),
            id,
            method,
            params: Arc::new(params),
            meta,
            mirrored: known.mirrored,
            reply: reply.clone(),
            stop,
            furthest: Arc::default(),
            _place: place,
        })
    }

    pub(crate) async fn run(self) -> Encoded {
        // What is rarely done is boxed, so that the future of every call stays small to move.
        let done = match self.method {
            Method::Discover => self.discover(),
            Method::SubscriptionsListen => Box::pin(self.listen()).await,
            Method::TasksGet => Box::pin(self.task_get()).await,
            Method::TasksUpdate => Box::pin(self.task_update()).await,
            Method::TasksCancel => Box::pin(self.task_cancel()).await,
            _ => self.call().await,
        };
        match done {
            Ok(bytes) => (bytes, None),
            Err(error) => wire::call_error(&self.id, &error, &self.meta.caller),
        }
    }

    fn discover(&self) -> Result<String, CallError> {
        let added = self.server.service().greet(self.params.get("_meta"));
        let added = added.map_err(CallError::Other)?.unwrap_or_default();
        let meta = object(|meta| {
            meta.members_of(self.server.modern_meta()).members_of(&added);
        });
        let offer = self.server.service().offer();
        let capabilities = self.server.capabilities(&offer.capabilities, self.meta.caller.revision);
        let versions = serde_json::to_string(&Revision::newest_first()).unwrap_or_default();
        Ok(wire::modern_object(&self.id, "complete", &meta, |object| {
            object.raw("supportedVersions", &versions).raw("capabilities", &capabilities);
            if let Some(text) = &offer.instructions {
                object.string("instructions", text);
            }
            object.raw("ttlMs", "0").string("cacheScope", "private");
        }))
    }

    async fn listen(&self) -> Result<String, CallError> {
        let filter = self.params.get("notifications").unwrap_or_default();
        if !filter.starts_with('{') {
            // Decoding alone would also take an empty list for it.
            return Err(CallError::params("`params.notifications` must be an object"));
        }
        let most = 32 * self.server.limits().uri_bytes;
        if filter.len() > most {
            let message = format!("`params.notifications` is longer than {most} bytes");
            return Err(CallError::params(message));
        }
        let params = self.params.decode().map_err(CallError::Params)?;
        let owner = self.owner();
        let who = self.meta.caller.share();
        listen(&self.server, &self.id, params, &owner, who, self.reply.outbox(), &self.stop).await
    }

    /// Calls the service, again as long as it wants to hear of questions that cannot be asked.
    async fn call(&self) -> Result<String, CallError> {
        let mut answers = self.unseal()?;
        answers.add_from(&self.params).map_err(CallError::Params)?;
        let meta = self.server.modern_meta();
        let caller = &self.meta.caller;
        let mut rounds = Rounds::new(self.server.limits().ask_rounds);
        // Kept until the service was called again.
        let mut held: Option<Held> = None;
        loop {
            match self.call_once(answers.clone()).await? {
                Outcome::Complete(answer) => {
                    return Ok(wire::modern_answer(&self.id, self.method, &answer, caller, meta));
                }
                Outcome::Started(record) => return Ok(wire::modern_task(&self.id, &record, meta)),
                Outcome::NeedsInput(questions) => {
                    let refusals = match questions.refusable {
                        Refusable::Yes if self.may_ask() => questions.refusals(caller),
                        Refusable::Yes | Refusable::No => BTreeMap::new(),
                    };
                    if refusals.is_empty() {
                        return self.ask(answers, questions);
                    }
                    rounds.take(&questions)?;
                    answers.end_round(questions.state);
                    answers.add(refusals);
                    drop(std::mem::replace(&mut held, questions.held));
                }
            }
        }
    }

    async fn call_once(&self, answers: Answers) -> Result<Outcome, CallError> {
        let call = Call {
            method: self.method,
            params: Arc::clone(&self.params),
            caller: self.meta.caller.clone(),
            answers,
            task: self.task_offer(),
            mirrored: self.mirrored.clone(),
        };
        let notes = self.notes();
        let service = Arc::clone(self.server.service());
        let limit = self.server.limits().call;
        within(limit, caught(async move { service.call(call, notes).await })).await
    }

    /// Whether a call of this method may end with questions.
    fn may_ask(&self) -> bool {
        matches!(self.method, Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead)
    }

    /// The rounds before this one, out of the state the client carried.
    fn unseal(&self) -> Result<Answers, CallError> {
        let Some(_) = self.params.get("requestState") else { return Ok(Answers::default()) };
        let state = self.params.string("requestState").map_err(CallError::Params)?;
        self.server
            .key()
            .open(&state, &self.binding(), SystemTime::now())
            .ok_or_else(|| CallError::params("`params.requestState` is not valid for this request"))
    }

    fn ask(&self, mut answers: Answers, questions: Questions) -> Result<String, CallError> {
        if !self.may_ask() {
            tracing::error!(method = self.method.as_str(), "this method may not ask back");
            return Err(CallError::Internal);
        }
        questions.check(&self.meta.caller)?;
        answers.end_round(questions.state.clone());
        let sealed = if answers.is_empty() {
            None
        } else {
            let ttl = self.server.limits().state_ttl;
            let binding = self.binding();
            let sealed = self.server.key().seal(&answers, &binding, SystemTime::now(), ttl);
            Some(sealed.ok_or(CallError::Internal)?)
        };
        if let Some(held) = &questions.held {
            // The answers come with another request, or never.
            held.release();
        }
        let meta = self.server.modern_meta();
        Ok(wire::input_required(&self.id, &questions, sealed.as_deref(), meta))
    }

    fn binding(&self) -> Binding {
        Binding::new(self.method, &self.params, self.meta.caller.principal.as_str())
    }

    fn notes(&self) -> Notes {
        if self.meta.progress.is_none() && self.meta.caller.log_level.is_none() {
            return Notes::silent();
        }
        Notes::new(Arc::new(EdgeNotes {
            outbox: Arc::clone(self.reply.outbox()),
            revision: self.meta.caller.revision,
            token: self.meta.progress.clone(),
            gate: LogGate::Request(self.meta.caller.log_level),
            pause: PauseMode::Ignored,
            call: CallLife::of(&self.params),
            furthest: Arc::clone(&self.furthest),
        }))
    }

    fn task_offer(&self) -> TaskOffer {
        if self.knows_tasks() { TaskOffer::Able { owner: self.owner() } } else { TaskOffer::No }
    }

    /// Whether this very request declares the tasks extension.
    pub(crate) fn knows_tasks(&self) -> bool {
        self.meta.caller.capabilities.extensions.contains(tasks_ext::EXTENSION)
    }

    pub(crate) fn owner(&self) -> TaskOwner {
        let name = self.meta.caller.principal.as_str();
        TaskOwner((!name.is_empty()).then(|| name.into()))
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    pub(crate) fn params(&self) -> &Params {
        &self.params
    }
}

/// The checks in the order that decides which of several faults is told.
fn admit(
    method: &MethodName,
    params: &Params,
    known: &ModernRequest<'_>,
) -> Result<(Method, ModernMeta), RpcError> {
    params.check()?;
    let meta = modern_caller(params, known.headers.as_ref(), known.client_id, &known.principal)?;
    if let Some(headers) = &known.headers {
        headers.check_method(method.as_str())?;
    }
    let method = match method {
        MethodName::Known(method) if method.is_asked_of_servers(meta.caller.revision) => *method,
        other => return Err(RpcError::method_not_found(other.as_str())),
    };
    if let Some(headers) = &known.headers {
        check_headers(headers, method, params)?;
    }
    Ok((method, meta))
}

pub(crate) fn busy() -> RpcError {
    RpcError::new(ErrorCode::BUSY, "too many requests at once; try again later")
}
