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
use crate::server::reply::ReplyBody;
use crate::server::request_headers::{
    accepts, decode, header_revision, header_text, mirrored, session_id,
};
use crate::server::requester::Requester;
use crate::server::single_header::{SingleHeader, single_header};
use crate::server::watched_events::Endless;
use hobnob_mcp_engine::{EraChoice, HandshakeRules, HeaderView, choose_era};
use hobnob_mcp_server::{
    ModernRequest, OtherClient, OtherDelivery, OtherMethodsAccess, Reply, ReplyScope,
    answer_modern, answer_other,
};
use hobnob_mcp_transport::{Outbox, OutboxLimits, Overflow};
use hobnob_mcp_types::{
    Batch, Era, ErrorCode, Incoming, Message, Method, MethodName, Request as McpRequest, RpcError,
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
) -> Response<ReplyBody> {
    let (head, body) = request.into_parts();
    let headers = head.headers;
    let accepts = match accepts(&headers, endpoint.server.progress()) {
        Ok(accepts) => accepts,
        Err(response) => return *response,
    };
    let PostedMessage { message, reservation } =
        match read_message(endpoint, &headers, body, requester).await {
            Ok(posted) => posted,
            Err(response) => return *response,
        };
    if let Err(challenge) = requester.check(&message) {
        return *challenge;
    }
    match message {
        Incoming::One(Message::Request(request)) => {
            route(endpoint, &headers, accepts, request, requester, reservation).await
        }
        Incoming::One(message @ (Message::Notification(_) | Message::Response(_))) => {
            post_one_way(endpoint, &headers, message, requester)
        }
        Incoming::Many(batch) => {
            Box::pin(post_batch(endpoint, &headers, accepts, batch, requester, reservation)).await
        }
    }
}

/// Dispatches a request to its era.
async fn route(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    accepts: Accepts,
    request: McpRequest,
    requester: &Requester<'_>,
    reservation: Option<BodyReservation>,
) -> Response<ReplyBody> {
    if endpoint.server.answers_other(&request.method) {
        if let Err(error) = may_call_other(endpoint, headers, requester) {
            return answers::refusal(StatusCode::BAD_REQUEST, Some(&request.id), &error);
        }
        let work = other_protocol(endpoint, accepts, request, requester, reservation);
        let mut response = Box::pin(work).await;
        if session_id(headers).is_some() && response.status().is_client_error() {
            // A legacy client takes any other status than 200 for a broken transport.
            *response.status_mut() = StatusCode::OK;
        }
        return response;
    }
    let version = match header_text(headers, &VERSION) {
        Ok(version) => version,
        Err(error) => {
            return answers::refusal(StatusCode::BAD_REQUEST, Some(&request.id), &error);
        }
    };
    match choose_era(&request.method, &request.params, version) {
        Err(error) => answers::refusal(StatusCode::BAD_REQUEST, Some(&request.id), &error),
        Ok(EraChoice::Modern) => {
            modern(endpoint, headers, version, accepts, request, requester, reservation).await
        }
        Ok(EraChoice::Legacy) if request.method == MethodName::Known(Method::Initialize) => {
            initialize(endpoint, headers, request, requester)
        }
        Ok(EraChoice::Legacy) => {
            let message = Incoming::One(Message::Request(request));
            in_session(endpoint, headers, accepts, message, requester, reservation).await
        }
    }
}

/// Whether a request of another protocol may be answered; otherwise the error to answer with.
fn may_call_other(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    requester: &Requester<'_>,
) -> Result<(), RpcError> {
    match endpoint.server.other_methods_access() {
        OtherMethodsAccess::AnyTime => Ok(()),
        OtherMethodsAccess::AfterHandshake => {
            let session = session_id(headers).and_then(Result::ok);
            let session = session.and_then(|name| endpoint.sessions.find(name, requester));
            session.ok_or_else(|| not_initialized(endpoint))?.session.check_handshake()
        }
    }
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

/// Answers a request of another protocol. It belongs to no session, and ends with its connection.
async fn other_protocol(
    endpoint: &Arc<Endpoint>,
    accepts: Accepts,
    request: McpRequest,
    requester: &Requester<'_>,
    reservation: Option<BodyReservation>,
) -> Response<ReplyBody> {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let delivery = if accepts.event_stream { OtherDelivery::Stream } else { OtherDelivery::Single };
    let who = OtherClient { principal: requester.principal(), client_id: requester.client };
    let work = answer_other(&endpoint.server, request, who, &outbox, delivery);
    match BodyReservation::hold_during(reservation, work) {
        Some(work) => {
            let keep_alive = endpoint.options.sessions.keep_alive;
            other_exchange(&endpoint.calls, outbox, work, accepts, keep_alive).await
        }
        None => answers::bare(StatusCode::NO_CONTENT),
    }
}

async fn modern(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    version: Option<&str>,
    accepts: Accepts,
    request: McpRequest,
    requester: &Requester<'_>,
    reservation: Option<BodyReservation>,
) -> Response<ReplyBody> {
    let method = match header_text(headers, &METHOD) {
        Ok(method) => method,
        Err(error) => {
            return answers::refusal(StatusCode::BAD_REQUEST, Some(&request.id), &error);
        }
    };
    let listens = request.method == MethodName::Known(Method::SubscriptionsListen);
    if listens && !accepts.event_stream {
        let error = RpcError::invalid_request("this is a stream; accept text/event-stream");
        return answers::refusal(StatusCode::NOT_ACCEPTABLE, Some(&request.id), &error);
    }
    let name = match single_header(headers, &NAME) {
        SingleHeader::Absent => None,
        SingleHeader::Once(value) => Some(decode(value).ok_or(())),
        SingleHeader::Repeated => Some(Err(())),
    };
    let known = ModernRequest {
        headers: Some(HeaderView { version, method, name }),
        mirrored: Some(mirrored(headers)),
        principal: requester.principal(),
        client_id: requester.client,
    };
    // A client that listens must not miss a change, so one that is too slow is cut off and may come
    // back. A call may lose its oldest notifications, never its answer; its connection cuts off a
    // client that does not read at all.
    let overflow = if listens { Overflow::Cut } else { Overflow::DropOldest };
    let limits = OutboxLimits { overflow, ..OutboxLimits::default() };
    let outbox = Arc::new(Outbox::new(limits));
    let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
    let work = answer_modern(&endpoint.server, request, known, reply);
    let work = BodyReservation::hold_during(reservation, work);
    let keep_alive = endpoint.options.sessions.keep_alive;
    let mut response = modern_exchange(outbox, work, accepts, keep_alive).await;
    if listens && requester.known.is_some() {
        response.extensions_mut().insert(Endless);
    }
    response
}

/// The handshake: a new session, named in the response.
fn initialize(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    request: McpRequest,
    requester: &Requester<'_>,
) -> Response<ReplyBody> {
    let id = request.id.clone();
    let known = match session_id(headers) {
        Some(Ok(name)) => match endpoint.sessions.find(name, requester) {
            Some(session) => Some(session),
            None => return answers::unknown_session(Some(&id)),
        },
        Some(Err(())) => return answers::unknown_session(Some(&id)),
        None => None,
    };
    // The session itself refuses a second handshake.
    let (session, fresh) = match known {
        Some(session) => (session, false),
        None => match endpoint.sessions.prepare(&endpoint.server, requester) {
            Ok(session) => (session, true),
            Err(_) => return answers::full(Some(&id), TOO_MANY),
        },
    };
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
    let message = Incoming::One(Message::Request(request));
    // The handshake is answered at once and leaves no work.
    drop(session.session.receive(Ok(message), &reply));
    let Some(frame) = outbox.try_frame() else { return answers::accepted() };
    let mut response = answers::json(frame);
    // Only a session with an agreed revision gets a slot, which may displace an idle session.
    if fresh && session.session.revision().is_some() {
        if endpoint.sessions.admit(&session).is_err() {
            return answers::full(Some(&id), TOO_MANY);
        }
        if let Ok(value) = HeaderValue::from_str(&session.id) {
            response.headers_mut().insert(SESSION, value);
        }
    }
    response
}

/// Answers a message within a session.
async fn in_session(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    accepts: Accepts,
    message: Incoming,
    requester: &Requester<'_>,
    reservation: Option<BodyReservation>,
) -> Response<ReplyBody> {
    let id = match &message {
        Incoming::One(Message::Request(request)) => Some(&request.id),
        Incoming::One(Message::Notification(_) | Message::Response(_)) | Incoming::Many(_) => None,
    };
    let session = match session_id(headers) {
        None => {
            return answers::refusal(StatusCode::BAD_REQUEST, id, &not_initialized(endpoint));
        }
        Some(Err(())) => return answers::unknown_session(id),
        Some(Ok(name)) => match endpoint.sessions.find(name, requester) {
            Some(session) => session,
            None => return answers::unknown_session(id),
        },
    };
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
    let work =
        BodyReservation::hold_during(reservation, session.session.receive(Ok(message), &reply));
    legacy_exchange(endpoint, session, outbox, work, accepts).await
}

/// Accepts a notification or an answer, if its session exists.
fn post_one_way(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    message: Message,
    requester: &Requester<'_>,
) -> Response<ReplyBody> {
    let revision = match header_revision(headers) {
        Ok(revision) => revision,
        Err(response) => return *response,
    };
    if revision.is_some_and(|revision| revision.era() == Era::Modern) {
        return modern_other(&message);
    }
    let session = match session_id(headers) {
        Some(Ok(name)) => endpoint.sessions.find(name, requester),
        Some(Err(())) => None,
        None => return answers::problem(StatusCode::BAD_REQUEST, NO_SESSION),
    };
    let Some(session) = session else { return answers::unknown_session(None) };
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(outbox, ReplyScope::Exchange);
    drop(session.session.receive(Ok(Incoming::One(message)), &reply));
    answers::accepted()
}

/// The modern revision has no notification over HTTP, but says to accept unknown ones; an answer
/// belongs to a session.
fn modern_other(message: &Message) -> Response<ReplyBody> {
    match message {
        Message::Notification(_) => answers::accepted(),
        _ => answers::problem(StatusCode::BAD_REQUEST, NO_SESSION),
    }
}

async fn post_batch(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    accepts: Accepts,
    batch: Batch,
    requester: &Requester<'_>,
    reservation: Option<BodyReservation>,
) -> Response<ReplyBody> {
    let revision = match header_revision(headers) {
        Ok(revision) => revision,
        Err(response) => return *response,
    };
    let modern = revision.is_some_and(|revision| revision.era() == Era::Modern);
    if modern || session_id(headers).is_none() {
        let message = "batches are not part of this revision";
        return answers::problem(StatusCode::BAD_REQUEST, message);
    }
    in_session(endpoint, headers, accepts, Incoming::Many(batch), requester, reservation).await
}
