//! The waist: everything that answers is a [`Service`], everything asked of it is a [`Call`].
//!
//! The server's edges call; the toolbox and the gateway answer. A call carries everything it needs.

use crate::answers::Answers;
use crate::box_future::BoxFuture;
use crate::caller::Caller;
use crate::client_id::{ClientId, Principal};
use crate::fault::CallError;
use crate::headers::MirroredParams;
use crate::notes::Notes;
use crate::question::Questions;
use crate::task::{TaskOwner, TaskRecord};
use hobnob_mcp_types::cache::CacheHint;
use hobnob_mcp_types::capabilities::ServerCapabilities;
use hobnob_mcp_types::{Method, Params, Revision, RpcError};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;

/// Something that answers calls: a built-in, a remote server, a guard in front of either.
pub trait Service: Send + Sync + 'static {
    /// Answers one call. Dropping the future cancels it.
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>>;

    /// What the service offers right now.
    fn offer(&self) -> Offer;

    /// Sees the `_meta` with which a client greets, in `initialize` or `server/discover`. An error
    /// refuses the client; a returned object is merged into the answer's `_meta`.
    fn greet(&self, _meta: Option<&str>) -> Result<Option<String>, RpcError> {
        Ok(None)
    }

    /// Whether this client may subscribe to changes of this resource. Must never wait.
    fn may_subscribe(&self, _subscriber: Subscriber<'_>, _uri: &str) -> bool {
        true
    }

    /// A client with a session has gone; drop what was kept for it alone. Must never wait.
    fn client_gone(&self, _client: ClientId) {}

    /// The session of a legacy client has ended. Must never wait.
    fn session_ended(&self, _session: EndedSession) {}

    /// A client reports that its roots have changed. Must never wait.
    fn roots_changed(&self, _client: ClientId) {}
}

/// The session of a legacy client, at its end.
#[derive(Debug, Clone, Copy)]
pub struct EndedSession {
    /// The client that had made the handshake.
    pub client: ClientId,
    /// The revision that its handshake agreed on.
    pub revision: Revision,
    /// The time since its handshake.
    pub duration: Duration,
}

/// A client that wants to subscribe to changes of a resource.
#[derive(Debug, Clone, Copy)]
pub struct Subscriber<'a> {
    /// The client, and where it is.
    pub client: ClientId,
    /// The identity on whose behalf it subscribes.
    pub principal: &'a Principal,
}

/// One request, with everything needed to answer it; there is no session behind it. Clones share
/// their large parts.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method; the edge has checked that the caller's revision has it.
    pub method: Method,
    /// The parameters. Shared, since a call may be made again with answers.
    pub params: Arc<Params>,
    /// Who calls, and in which revision the answer is written.
    pub caller: Caller,
    /// The caller's answers so far to questions asked back.
    pub answers: Answers,
    /// Whether the caller can take a task instead of a result.
    pub task: TaskOffer,
    /// Parameters repeated in HTTP headers; `None` if the transport has no headers to check.
    pub mirrored: Option<MirroredParams>,
}

impl Call {
    /// The same call, made again with the answers so far.
    pub fn with_answers(&self, answers: Answers) -> Self {
        Self { answers, ..self.clone() }
    }
}

/// Whether a call may be answered with a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskOffer {
    /// No: the caller does not know tasks.
    No,
    /// No: the caller knows tasks but did not ask for one; only it decides (2025-11-25).
    NotAsked,
    /// The callee may decide (the modern extension).
    Able {
        /// Who may ask about the task later.
        owner: TaskOwner,
    },
    /// The caller asks for a task (2025-11-25).
    Asked {
        /// Who may ask about the task later.
        owner: TaskOwner,
        /// How long the caller wants the result kept, in milliseconds, if it said so.
        ttl_ms: Option<u64>,
    },
}

/// How a call ended.
#[derive(Debug)]
pub enum Outcome {
    /// The callee gave a result.
    Complete(Answer),
    /// The callee has questions for the caller, which may call again with answers.
    NeedsInput(Questions),
    /// The callee continues as a task.
    Started(TaskRecord),
}

/// A result as JSON text, in the newest revision's form.
#[derive(Debug)]
pub struct Answer {
    /// The object, without `resultType`, caching members and `_meta`: the edge adds those.
    pub body: String,
    /// The `_meta` of the result.
    pub meta: Option<Box<RawValue>>,
    /// How long clients may cache it, for methods with caching hints.
    pub cache: Option<CacheHint>,
    /// The oldest revision that understands the body unchanged.
    pub floor: Revision,
}

impl Answer {
    /// A result that every revision understands.
    pub fn new(body: &impl Serialize) -> Result<Self, CallError> {
        let body = serde_json::to_string(body).map_err(CallError::internal)?;
        Ok(Self { body, meta: None, cache: None, floor: Revision::V2024_11_05 })
    }

    /// Sets the oldest revision that understands the body unchanged. For older callers the edge
    /// downgrades it.
    pub fn since(mut self, floor: Revision) -> Self {
        self.floor = floor;
        self
    }

    /// Adds a caching hint.
    pub fn cached(mut self, hint: CacheHint) -> Self {
        self.cache = Some(hint);
        self
    }
}

/// What a service offers.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    /// The capabilities to declare, in the superset of all revisions.
    pub capabilities: ServerCapabilities,
    /// A text that tells a model how to use the service.
    pub instructions: Option<String>,
}
