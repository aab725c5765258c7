//! `POST /mcp`: one message, of either era, answered with JSON or with a stream.
//!
//! Determines the era and the session, then passes the message to [`exchange`](super::exchange).
//! [`request_headers`](super::request_headers) and [`posted_message`](super::posted_message) read
//! headers and bodies.

use crate::server::accept::Accepts;
use crate::server::answers::{self, METHOD, NAME, SESSION, VERSION};
use crate::server::budget::BodyReservation;
use crate::server::endpoint::Endpoint;
use crate::server::exchange::{legacy_exchange, modern_exchange, other_exchange};
use crate::server::posted_message::{PostedMessage, read_message};
use crate::server::reply::{RefusalReply, ReplyBody};
use crate::server::request_headers::{
    accepts, decode, header_revision, header_text, mirrored, session_id,
};
use crate::server::request_trace::with_trace;
use crate::server::requester::Requester;
use crate::server::sessions::HttpSession;
use crate::server::single_header::{SingleHeader, single_header};
use crate::server::watched_events::Endless;
use hobnob_mcp_engine::{EraChoice, HandshakeRules, HeaderView, choose_era};
use hobnob_mcp_server::{
    ModernRequest, OtherClient, OtherDelivery, OtherMethodsAccess, Reply, ReplyScope,
    answer_modern, answer_other,
};
use hobnob_mcp_transport::{Outbox, OutboxLimits, Overflow};
use hobnob_mcp_types::{
    Batch, Era, ErrorCode, Incoming, Message, Method, MethodName, Request as McpRequest, RequestId,
    RpcError,
};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming as HttpBody;
use std::sync::Arc;

const NO_SESSION: &str = "no Mcp-Session-Id: send `initialize` first";
const TOO_MANY: &str = "too many sessions; try again later";

/// Answers a POST to `/mcp` or `/`, of either era.
pub(crate) async fn post(
    endpoint: &Arc<Endpoint>,
    request: Request<HttpBody>,
    requester: &Requester<'_>,
) -> Result<Response<ReplyBody>, RefusalReply> {
    let (head, body) = request.into_parts();
    let headers = head.headers;
    let accepts = accepts(&headers, endpoint.server.progress())?;
    let PostedMessage { message, reservation } =
        read_message(endpoint, &headers, body, requester).await?;
    let post = Post { endpoint, headers: &headers, accepts, requester };
    match message {
        Incoming::One(Message::Request(request)) => post.request(request, reservation).await,
        Incoming::One(message @ (Message::Notification(_) | Message::Response(_))) => {
            post.one_way(message)
        }
        Incoming::Many(batch) => Box::pin(post.batch(batch, reservation)).await,
    }
}

/// A POST whose message was read.
struct Post<'a> {
    endpoint: &'a Arc<Endpoint>,
    headers: &'a HeaderMap,
    accepts: Accepts,
    requester: &'a Requester<'a>,
}

impl Post<'_> {
    /// Dispatches a request to its era.
    async fn request(
        &self,
        request: McpRequest,
        reservation: Option<BodyReservation>,
    ) -> Result<Response<ReplyBody>, RefusalReply> {
        if self.endpoint.server.answers_other(&request.method) {
            self.may_call_other().map_err(|error| bad_request(&request.id, &error))?;
            let mut response = Box::pin(self.other_protocol(request, reservation)).await;
            if session_id(self.headers).is_some() && response.status().is_client_error() {
                // A legacy client takes any other status than 200 for a broken transport.
                *response.status_mut() = StatusCode::OK;
            }
            return Ok(response);
        }
        let request = with_trace(self.headers, request);
        let version = header_text(self.headers, &VERSION);
        let version = version.map_err(|error| bad_request(&request.id, &error))?;
        let era = choose_era(&request.method, &request.params, version);
        match era.map_err(|error| bad_request(&request.id, &error))? {
            EraChoice::Modern => self.modern(version, request, reservation).await,
            EraChoice::Legacy if request.method == MethodName::Known(Method::Initialize) => {
                self.initialize(request)
            }
            EraChoice::Legacy => {
                let message = Incoming::One(Message::Request(request));
                self.in_session(message, reservation).await
            }
        }
    }

    /// Whether a request of another protocol may be answered; otherwise the error to answer with.
    fn may_call_other(&self) -> Result<(), RpcError> {
        match self.endpoint.server.other_methods_access() {
            OtherMethodsAccess::AnyTime => Ok(()),
            OtherMethodsAccess::AfterHandshake => {
                let session = session_id(self.headers).and_then(Result::ok);
                let session = session.and_then(|name| self.find(name));
                session.ok_or_else(|| not_initialized(self.endpoint))?.session.check_handshake()
            }
        }
    }

    fn find(&self, name: &str) -> Option<Arc<HttpSession>> {
        self.endpoint.sessions.find(name, self.requester)
    }

    /// Answers a request of another protocol. It belongs to no session, and ends with its
    /// connection.
    async fn other_protocol(
        &self,
        request: McpRequest,
        reservation: Option<BodyReservation>,
    ) -> Response<ReplyBody> {
        let (endpoint, requester) = (self.endpoint, self.requester);
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let delivery = match self.accepts.event_stream {
            true => OtherDelivery::Stream,
            false => OtherDelivery::Single,
        };
        let who = OtherClient { principal: requester.principal(), client_id: requester.client };
        let work = answer_other(&endpoint.server, request, who, &outbox, delivery);
        match BodyReservation::hold_during(reservation, work) {
            Some(work) => {
                let keep_alive = endpoint.options.sessions.keep_alive;
                other_exchange(&endpoint.calls, outbox, work, self.accepts, keep_alive).await
            }
            None => answers::bare(StatusCode::NO_CONTENT),
        }
    }

    async fn modern(
        &self,
        version: Option<&str>,
        request: McpRequest,
        reservation: Option<BodyReservation>,
    ) -> Result<Response<ReplyBody>, RefusalReply> {
        let method = header_text(self.headers, &METHOD);
        let method = method.map_err(|error| bad_request(&request.id, &error))?;
        let listens = request.method == MethodName::Known(Method::SubscriptionsListen);
        if listens && !self.accepts.event_stream {
            let error = RpcError::invalid_request("this is a stream; accept text/event-stream");
            let refused = answers::refusal(StatusCode::NOT_ACCEPTABLE, Some(&request.id), &error);
            return Err(Box::new(refused));
        }
        let name = match single_header(self.headers, &NAME) {
            SingleHeader::Absent => None,
            SingleHeader::Once(value) => Some(decode(value).ok_or(())),
            SingleHeader::Repeated => Some(Err(())),
        };
        let known = ModernRequest {
            headers: Some(HeaderView { version, method, name }),
            mirrored: Some(mirrored(self.headers)),
            principal: self.requester.principal(),
            client_id: self.requester.client,
        };
        // A client that listens must not miss a change, so one that is too slow is cut off and may
        // come back. A call may lose its oldest notifications, never its answer; its connection
        // cuts off a client that does not read at all.
        let overflow = if listens { Overflow::Cut } else { Overflow::DropOldest };
        let limits = OutboxLimits { overflow, ..OutboxLimits::default() };
        let outbox = Arc::new(Outbox::new(limits));
        let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
        let work = answer_modern(&self.endpoint.server, request, known, reply);
        let work = BodyReservation::hold_during(reservation, work);
        let keep_alive = self.endpoint.options.sessions.keep_alive;
        let mut response = modern_exchange(outbox, work, self.accepts, keep_alive).await;
        if listens && self.requester.known.is_some() {
            response.extensions_mut().insert(Endless);
        }
        Ok(response)
    }

    /// The handshake: a new session, named in the response.
    fn initialize(&self, request: McpRequest) -> Result<Response<ReplyBody>, RefusalReply> {
        let (sessions, id) = (&self.endpoint.sessions, request.id.clone());
        let full = |_| Box::new(answers::full(Some(&id), TOO_MANY));
        // The session itself refuses a second handshake.
        let (session, fresh) = match session_id(self.headers) {
            Some(name) => {
                let known = name.ok().and_then(|name| self.find(name));
                (known.ok_or_else(|| Box::new(answers::unknown_session(Some(&id))))?, false)
            }
            None => (sessions.prepare(&self.endpoint.server, self.requester).map_err(full)?, true),
        };
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
        let message = Incoming::One(Message::Request(request));
        // The handshake is answered at once and leaves no work.
        drop(session.session.receive(Ok(message), &reply));
        let Some(frame) = outbox.try_frame() else { return Ok(answers::accepted()) };
        let mut response = answers::json(frame);
        // Only a session with an agreed revision gets a slot, which may displace an idle session.
        if fresh && session.session.revision().is_some() {
            sessions.admit(&session).map_err(full)?;
            if let Ok(value) = HeaderValue::from_str(&session.id) {
                response.headers_mut().insert(SESSION, value);
            }
        }
        Ok(response)
    }

    /// Answers a message within a session.
    async fn in_session(
        &self,
        message: Incoming,
        reservation: Option<BodyReservation>,
    ) -> Result<Response<ReplyBody>, RefusalReply> {
        let id = match &message {
            Incoming::One(Message::Request(request)) => Some(&request.id),
            Incoming::One(Message::Notification(_) | Message::Response(_)) | Incoming::Many(_) => {
                None
            }
        };
        let Some(name) = session_id(self.headers) else {
            let error = not_initialized(self.endpoint);
            return Err(Box::new(answers::refusal(StatusCode::BAD_REQUEST, id, &error)));
        };
        let session = name.ok().and_then(|name| self.find(name));
        let session = session.ok_or_else(|| Box::new(answers::unknown_session(id)))?;
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
        let work = session.session.receive(Ok(message), &reply);
        let work = BodyReservation::hold_during(reservation, work);
        Ok(legacy_exchange(self.endpoint, session, outbox, work, self.accepts).await)
    }

    /// Accepts a notification or an answer, if its session exists.
    fn one_way(&self, message: Message) -> Result<Response<ReplyBody>, RefusalReply> {
        let no_session = || Box::new(answers::problem(StatusCode::BAD_REQUEST, NO_SESSION));
        if self.names_modern_revision()? {
            // The modern revision has no notification over HTTP, but says to accept unknown ones;
            // an answer belongs to a session.
            return match message {
                Message::Notification(_) => Ok(answers::accepted()),
                _ => Err(no_session()),
            };
        }
        let session = session_id(self.headers).ok_or_else(no_session)?;
        let session = session.ok().and_then(|name| self.find(name));
        let session = session.ok_or_else(|| Box::new(answers::unknown_session(None)))?;
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let reply = Reply::new(outbox, ReplyScope::Exchange);
        drop(session.session.receive(Ok(Incoming::One(message)), &reply));
        Ok(answers::accepted())
    }

    async fn batch(
        &self,
        batch: Batch,
        reservation: Option<BodyReservation>,
    ) -> Result<Response<ReplyBody>, RefusalReply> {
        if self.names_modern_revision()? || session_id(self.headers).is_none() {
            let message = "batches are not part of this revision";
            return Err(Box::new(answers::problem(StatusCode::BAD_REQUEST, message)));
        }
        self.in_session(Incoming::Many(batch), reservation).await
    }

    fn names_modern_revision(&self) -> Result<bool, RefusalReply> {
        let revision = header_revision(self.headers)?;
        Ok(revision.is_some_and(|revision| revision.era() == Era::Modern))
    }
}

/// The refusal of one request because of its headers.
fn bad_request(id: &RequestId, error: &RpcError) -> RefusalReply {
    Box::new(answers::refusal(StatusCode::BAD_REQUEST, Some(id), error))
}

/// The error for a request without a session.
fn not_initialized(endpoint: &Endpoint) -> RpcError {
    match endpoint.server.handshake() {
        HandshakeRules::Strict | HandshakeRules::Lenient => RpcError::invalid_request(
            "server not initialized: send `initialize` first, then its Mcp-Session-Id",
        ),
        HandshakeRules::KnownRevisions => {
            RpcError::new(ErrorCode::NOT_INITIALIZED, "Server not initialized")
        }
    }
}
