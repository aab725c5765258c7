//! What all messages to one server share: the HTTP client, the session, and the receiver of
//! answers. Exchanges and the standing stream do their HTTP through this.

use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::sync::Arc;

use hobnob_mcp_transport::{Loss, Receiver};
use hobnob_mcp_types::{ErrorCode, Incoming, Message, RequestId, Revision, Undecodable};
use hobnob_web_client::describe_error;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::{Request, Response};
use tokio_util::task::TaskTracker;

use crate::client::adopt::{Adopted, Origin, adopt};
use crate::client::answer::{Content, Refusal};
use crate::client::authorized_client::{AuthorizedClient, SendFault};
use crate::client::authorizer::Initiative;
use crate::client::connect;
use crate::client::limits::HttpClientLimits;
use crate::client::target::{HttpTarget, TargetError};
use crate::client::traffic::Traffic;

pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The shared state of all messages to one server.
pub(super) struct Wire {
    http: AuthorizedClient,
    pub(super) target: HttpTarget,
    pub(super) limits: HttpClientLimits,
    receiver: Arc<dyn Receiver>,
    pub(super) traffic: Arc<Traffic>,
    session: Mutex<Session>,
}

/// What a legacy server wants each request of a session to repeat.
#[derive(Clone, Default)]
pub(super) struct Session {
    pub(super) id: Option<HeaderValue>,
    pub(super) revision: Option<Revision>,
}

impl Session {
    /// Adds the headers with the session's id and revision.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        if let Some(id) = &self.id {
            headers.insert(SESSION, id.clone());
        }
        write_revision(self.revision, headers);
    }
}

/// Whether a request was sent as part of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Membership {
    OfSession,
    Alone,
}

impl Wire {
    pub(super) fn new(
        target: HttpTarget,
        limits: HttpClientLimits,
        receiver: Arc<dyn Receiver>,
        tasks: TaskTracker,
    ) -> Result<Self, TargetError> {
        let http = connect::client(&target, &limits)?;
        let http = AuthorizedClient::new(http, target.authorizer().cloned());
        let traffic = Traffic::new(tasks)?;
        Ok(Self { http, target, limits, receiver, traffic, session: Mutex::default() })
    }

    /// The same connection with another URL of the server.
    pub(super) fn to(self, target: HttpTarget) -> Self {
        Self { target, ..self }
    }

    /// Posts a message. The user's headers are set first, so that none of them replaces ours.
    pub(super) async fn post(
        &self,
        headers: HeaderMap,
        text: String,
        initiative: Initiative,
    ) -> Result<Response, Loss> {
        let mut request = self.request(Method::POST);
        request.headers_mut().extend(headers);
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        request.headers_mut().insert(ACCEPT, BOTH);
        *request.body_mut() = Some(text.into());
        self.http.send(request, initiative).await.map_err(|fault| match fault {
            // Without a connection, nothing can have been sent.
            SendFault::Http(error) if error.is_connect() || error.is_builder() => {
                Loss::Unsent(describe_error(error))
            }
            SendFault::Http(error) => Loss::Broken(describe_error(error)),
            SendFault::Authorization(why) => Loss::AuthorizationFailed(why),
        })
    }

    /// Requests a stream, or the rest of one.
    pub(super) async fn get(
        &self,
        last_event: Option<&str>,
        initiative: Initiative,
    ) -> Result<Response, GetFault> {
        let mut request = self.request(Method::GET);
        let headers = request.headers_mut();
        self.session().write(headers);
        headers.insert(ACCEPT, STREAM);
        if let Some(id) = last_event {
            let id = HeaderValue::from_bytes(id.as_bytes()).map_err(|_| GetFault::BadEventId)?;
            headers.insert(LAST_EVENT, id);
        }
        self.http.send(request, initiative).await.map_err(|fault| match fault {
            SendFault::Http(error) => GetFault::Unreachable(describe_error(error)),
            SendFault::Authorization(why) => GetFault::Unauthorized(why),
        })
    }

    /// Tells the server that the session is over, and ignores its response.
    pub(super) async fn delete(&self, session: Session) {
        let mut request = self.request(Method::DELETE);
        session.write(request.headers_mut());
        let why = match self.http.send(request, Initiative::Background).await {
            Ok(_) => return,
            Err(SendFault::Http(error)) => describe_error(error),
            Err(SendFault::Authorization(why)) => why,
        };
        tracing::debug!(server = %self.target, error = %why, "session not ended");
    }

    /// A request to the server with the user's headers.
    fn request(&self, method: Method) -> Request {
        let mut request = Request::new(method, self.target.url().clone());
        request.headers_mut().clone_from(self.target.headers());
        request
    }

    /// Passes a message to the receiver, unless the connection was closed.
    pub(super) fn deliver(
        &self,
        message: Result<Incoming, Undecodable>,
        exchange: Option<&RequestId>,
    ) {
        if !self.traffic.is_over() {
            self.receiver.received(message, exchange);
        }
    }

    /// Passes all messages in a request's response on; returns whether the answer was among them.
    pub(super) fn deliver_adopted(&self, adopted: Adopted, id: &RequestId) -> bool {
        for message in adopted.messages {
            // An unreadable message that is not the answer must not be taken for it.
            let exchange = (message.is_ok() || adopted.answered).then_some(id);
            self.deliver(message, exchange);
        }
        adopted.answered
    }

    /// Reports that the request will not be answered.
    pub(super) fn lose(&self, id: &RequestId, why: Loss) {
        self.traffic.settle(id);
        if !self.traffic.is_over() {
            self.receiver.lost(id, why);
        }
    }

    /// Reports that the connection has ended, though not at the client's wish.
    pub(super) fn end(&self, why: &str) {
        if self.traffic.end() {
            self.receiver.ended(why);
        }
    }

    /// Answers a refused request with the JSON-RPC in the refusal, or reports it as lost.
    pub(super) async fn refused(
        &self,
        response: Response,
        id: &RequestId,
        membership: Membership,
    ) -> Result<(), Loss> {
        let refusal = Refusal::read(response, self.limits.error_bytes).await;
        let adopted = answer_in(&refusal, id);
        match (refusal.status, adopted) {
            (401, _) => Err(Loss::Unauthorized { challenge: refusal.challenge() }),
            (403, _) if refusal.challenge().is_some() => {
                Err(Loss::Unauthorized { challenge: refusal.challenge() })
            }
            // Servers also explain a forgotten session in JSON-RPC; the status counts.
            (404, adopted)
                if membership == Membership::OfSession
                    && !adopted.as_ref().is_some_and(is_unknown_method) =>
            {
                Err(Loss::SessionGone)
            }
            (_, Some(adopted)) => {
                self.traffic.settle(id);
                self.deliver_adopted(adopted, id);
                Ok(())
            }
            (403, None) => Err(Loss::Unauthorized { challenge: None }),
            (_, None) => Err(self.status_loss(&refusal)),
        }
    }

    /// The loss for a refusal without JSON-RPC. Its text repeats none of the credentials that were
    /// sent.
    pub(super) fn status_loss(&self, refusal: &Refusal) -> Loss {
        refusal.status_loss(&self.target.with_headers(self.http.sent()))
    }

    /// The state of the session.
    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock()
    }
}

/// Why a GET returned no stream.
#[derive(Debug)]
pub(super) enum GetFault {
    BadEventId,
    Unreachable(Box<str>),
    /// There are no credentials; the text says why and what to do.
    Unauthorized(Box<str>),
}

/// The JSON-RPC answer in a refusal, if its body is exactly one.
fn answer_in(refusal: &Refusal, id: &RequestId) -> Option<Adopted> {
    if refusal.content != Content::Json {
        return None;
    }
    let adopted = adopt(&refusal.body, id, Origin::Refusal);
    let is_answer =
        matches!(adopted.messages.as_slice(), [Ok(Incoming::One(Message::Response(_)))]);
    is_answer.then_some(adopted)
}

fn is_unknown_method(adopted: &Adopted) -> bool {
    adopted.messages.iter().any(|message| match message {
        Ok(Incoming::One(Message::Response(response))) => {
            response.outcome.as_ref().is_err_and(|error| error.code == ErrorCode::METHOD_NOT_FOUND)
        }
        _ => false,
    })
}

/// Adds the header with the revision, except for revisions before the header existed.
pub(super) fn write_revision(revision: Option<Revision>, headers: &mut HeaderMap) {
    if let Some(revision) = revision.filter(|revision| *revision >= Revision::V2025_06_18) {
        headers.insert(VERSION, HeaderValue::from_static(revision.as_str()));
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wire({}, {:?})", self.target, self.traffic)
    }
}
