//! Modern requests: each carries everything it needs, and the server remembers nothing afterwards.
//!
//! A pipe's session and the HTTP transport make a [`ModernCall`] for each. A call that asks back
//! ends with its questions and a sealed state; the answers come with another request.

mod tasks;

use crate::call::call_service;
use crate::call_notes::{CallLife, CallNoteSink, CallProgress, LogGate, PauseMode};
use crate::listen::listen;
use crate::reply::{PendingReply, Reply};
use crate::server::Server;
use crate::tap;
use crate::traffic;
use crate::wire::{self, Encoded, busy};
use hobnob_mcp_engine::{
    Answers, Binding, Call, CallEnd, CallError, Caller, ClientId, HeaderView, MirroredParams,
    ModernMeta, NextRound, Notes, Outcome, Principal, Questions, Refusable, RoundAnswers,
    RoundLimits, RoundTrips, Share, Subscriber, TaskOffer, TaskOwner, check_headers, modern_caller,
    round_trips,
};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::{
    Method, MethodName, Params, Request, RequestId, Revision, RpcError, encode, tasks_ext,
};
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// What the transport knows about a modern request, apart from its text.
#[derive(Debug)]
pub struct ModernRequest<'a> {
    /// The standard headers; `None` for a transport without headers.
    pub headers: Option<HeaderView<'a>>,
    /// The headers that repeat parameters; `None` for a transport without headers.
    pub mirrored: Option<MirroredParams>,
    /// The identity that the transport has authenticated.
    pub principal: Principal,
    /// Which client this is: its pipe, or its connection over HTTP.
    pub client_id: ClientId,
}

/// Starts to answer a request. A refused request is answered through `reply` at once; for any
/// other, the returned future ends with the answer. Dropping the future cancels the request.
pub fn answer_modern(
    server: &Server,
    request: Request,
    known: ModernRequest<'_>,
    reply: Reply,
) -> Option<PendingReply> {
    traffic::received_request(known.client_id, &request);
    tap::received_alone(server, known.client_id, &request, reply.outbox());
    match ModernCall::new(server, request, known, &reply, server.parts().stopping.clone()) {
        Ok(call) => Some(Box::pin(async move {
            let (text, fault) = call.run().await;
            Some(reply.ready(text, fault))
        })),
        Err((bytes, fault)) => {
            reply.send(bytes, fault);
            None
        }
    }
}

/// A request that has passed every check that needs no waiting.
pub(crate) struct ModernCall {
    server: Server,
    id: RequestId,
    /// The first call of the service, without answers.
    call: Call,
    progress: Option<Arc<CallProgress>>,
    reply: Reply,
    /// Cancelled when a listen has to end.
    stop: CancellationToken,
    _share: Share,
}

impl ModernCall {
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
        let Some(share) = server.quotas().enter(method, meta.caller.share()) else {
            return Err(refuse(busy()));
        };
        let ModernMeta { caller, progress } = meta;
        tap::call_begins(server, &id, &caller);
        let call = Call {
            method,
            params: Arc::new(params),
            task: task_offer(&caller),
            caller,
            answers: Answers::default(),
            mirrored: known.mirrored,
        };
        Ok(Self {
            server: server.clone(),
            id,
            call,
            progress: progress.map(CallProgress::new),
            reply: reply.clone(),
            stop,
            _share: share,
        })
    }

    pub(crate) async fn run(self) -> Encoded {
        // Rare branches are boxed to keep the future of every call small.
        let done = match self.call.method {
            Method::Discover => self.discover(),
            Method::SubscriptionsListen => Box::pin(self.listen()).await,
            Method::TasksGet => Box::pin(self.task_get()).await,
            Method::TasksUpdate => Box::pin(self.task_update()).await,
            Method::TasksCancel => Box::pin(self.task_cancel()).await,
            _ => self.call().await,
        };
        wire::ended(&self.id, done, &self.call.caller)
    }

    fn discover(&self) -> Result<String, CallError> {
        let added = self.server.service().greet(self.call.params.get("_meta"));
        let added = added.map_err(CallError::Other)?.unwrap_or_default();
        let meta = object(|meta| {
            meta.members_of(&self.server.identity().modern_meta).members_of(&added);
        });
        let offer = self.server.service().offer();
        let capabilities =
            self.server.identity().capabilities(&offer.capabilities, self.call.caller.revision);
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
        let filter = self.call.params.get("notifications").unwrap_or_default();
        if !filter.starts_with('{') {
            // Decoding alone would also accept an empty array.
            return Err(CallError::params("`params.notifications` must be an object"));
        }
        let max_bytes = 32 * self.server.limits().uri_bytes;
        if filter.len() > max_bytes {
            let message = format!("`params.notifications` is longer than {max_bytes} bytes");
            return Err(CallError::params(message));
        }
        let params = self.call.params.decode().map_err(CallError::Params)?;
        let owner = self.owner();
        let caller = &self.call.caller;
        let subscriber = Subscriber { client: caller.client_id, principal: &caller.principal };
        let who = (subscriber, caller.share());
        listen(&self.server, &self.id, params, &owner, who, self.reply.outbox(), &self.stop).await
    }

    async fn call(&self) -> Result<String, CallError> {
        let mut answers = self.unseal()?;
        answers.add_from(&self.call.params).map_err(CallError::Params)?;
        let limits = RoundLimits::new(self.server.limits().ask_rounds);
        let (call, meta) = (&self.call, &self.server.identity().modern_meta);
        Ok(match round_trips(&mut &*self, answers, limits).await? {
            CallEnd::Complete(answer) => {
                wire::modern_answer(&self.id, call.method, &answer, &call.caller, meta)
            }
            CallEnd::Started(record) => wire::modern_task(&self.id, &record, meta),
            CallEnd::Stopped(input_required) => input_required,
        })
    }

    /// Whether a call of this method may ask back.
    fn may_ask(&self) -> bool {
        matches!(self.call.method, Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead)
    }

    /// Opens the state that the client carried: the rounds before this one.
    fn unseal(&self) -> Result<Answers, CallError> {
        let Some(_) = self.call.params.get("requestState") else { return Ok(Answers::default()) };
        let state = self.call.params.string("requestState").map_err(CallError::Params)?;
        self.server
            .parts()
            .key
            .open(&state, &self.binding(), SystemTime::now())
            .ok_or_else(|| CallError::params("`params.requestState` is not valid for this request"))
    }

    /// Ends the request with questions; the answers come with another request.
    fn ask(&self, mut answers: Answers, questions: &Questions) -> Result<String, CallError> {
        if !self.may_ask() {
            tracing::error!(method = self.call.method.as_str(), "this method may not ask back");
            return Err(CallError::Internal);
        }
        questions.check(&self.call.caller)?;
        answers.end_round(questions.state.clone());
        let sealed = if answers.is_empty() {
            None
        } else {
            let ttl = self.server.limits().state_ttl;
            let binding = self.binding();
            let sealed = self.server.parts().key.seal(&answers, &binding, SystemTime::now(), ttl);
            Some(sealed.ok_or(CallError::Internal)?)
        };
        if let Some(held) = &questions.held {
            // Nothing here waits for the answers: they come with another request, or never.
            held.release();
        }
        let meta = &self.server.identity().modern_meta;
        Ok(wire::input_required(&self.id, questions, sealed.as_deref(), meta))
    }

    fn binding(&self) -> Binding {
        Binding::new(self.call.method, &self.call.params, self.call.caller.principal.as_str())
    }

    fn notes(&self) -> Notes {
        if self.progress.is_none() && self.call.caller.log_level.is_none() {
            return Notes::silent();
        }
        Notes::new(Arc::new(CallNoteSink {
            outbox: Arc::clone(self.reply.outbox()),
            revision: self.call.caller.revision,
            progress: self.progress.clone(),
            gate: LogGate::Request(self.call.caller.log_level),
            pause: PauseMode::Ignored,
            call: CallLife::of(&self.call.params),
        }))
    }

    /// Whether this very request declares the tasks extension.
    fn knows_tasks(&self) -> bool {
        self.call.task != TaskOffer::No
    }

    fn owner(&self) -> TaskOwner {
        task_owner(&self.call.caller)
    }
}

/// Answers come with the next request. Only refusals are known at once: those of questions that
/// this caller cannot be asked.
impl RoundTrips for &ModernCall {
    type Error = CallError;
    type Stopped = String;

    fn call(
        &mut self,
        answers: Answers,
    ) -> impl Future<Output = Result<Outcome, CallError>> + Send {
        let (call, server) = (self.call.with_answers(answers), &self.server);
        call_service(server.service(), server.limits().call, call, self.notes())
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        so_far: &Answers,
    ) -> Result<NextRound<String>, CallError> {
        let refusals = match questions.refusable {
            Refusable::Yes if self.may_ask() => questions.refusals(&self.call.caller),
            Refusable::Yes | Refusable::No => RoundAnswers::new(),
        };
        if refusals.is_empty() {
            return Ok(NextRound::Stop(self.ask(so_far.clone(), questions)?));
        }
        Ok(NextRound::CallAgain(refusals))
    }
}

fn task_offer(caller: &Caller) -> TaskOffer {
    if caller.capabilities.extensions.contains(tasks_ext::EXTENSION) {
        TaskOffer::Able { owner: task_owner(caller) }
    } else {
        TaskOffer::No
    }
}

fn task_owner(caller: &Caller) -> TaskOwner {
    let name = caller.principal.as_str();
    TaskOwner((!name.is_empty()).then(|| name.into()))
}

/// Checks a request. The order of the checks decides which of several faults the caller sees.
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
