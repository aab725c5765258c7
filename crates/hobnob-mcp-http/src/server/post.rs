//! `POST /mcp`: one message, of either era, answered with JSON or with a stream.

use crate::header_value;
use crate::server::accept::{Accepts, is_json};
use crate::server::answers::{self, METHOD, NAME, SESSION, VERSION};
use crate::server::body::{ReadBody, read_body};
use crate::server::budget::BodyRoom;
use crate::server::endpoint::{Endpoint, accepts};
use crate::server::exchange::{legacy_exchange, modern_exchange};
use crate::server::reply::ReplyBody;
use crate::server::single::{Found, single};
use hobnob_mcp_engine::{
    ClientId, EraChoice, HeaderView, MirroredParam, MirroredParams, Principal, choose_era,
};
use hobnob_mcp_server::{ModernRequest, Reply, Scope, answer_modern};
use hobnob_mcp_transport::{Outbox, OutboxLimits, Overflow, note_replaced};
use hobnob_mcp_types::{
    Batch, Era, Incoming, Message, Method, MethodName, Request as McpRequest, RequestId, Revision,
    RpcError,
};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming as HttpBody;
use std::sync::Arc;

const NO_SESSION: &str = "no Mcp-Session-Id: send `initialize` first";
const TOO_MANY: &str = "too many sessions; try again later";

/// Answers one POST.
pub(crate) async fn post(
    endpoint: &Arc<Endpoint>,
    request: Request<HttpBody>,
    client: ClientId,
) -> Response<ReplyBody> {
    let (head, body) = request.into_parts();
    let headers = head.headers;
    let accepts = match accepts(&headers) {
        Ok(accepts) => accepts,
        Err(response) => return *response,
    };
    let Posted { message, room } = match read_message(endpoint, &headers, body).await {
        Ok(posted) => posted,
        Err(response) => return *response,
    };
    match message {
        Incoming::One(Message::Request(request)) => {
            route(endpoint, &headers, accepts, request, client, room).await
        }
        Incoming::One(message @ (Message::Notification(_) | Message::Response(_))) => {
            other(endpoint, &headers, message)
        }
        Incoming::Many(batch) => Box::pin(many(endpoint, &headers, accepts, batch, room)).await,
    }
}

/// A message, and the room its body took.
pub(crate) struct Posted {
    pub(crate) message: Incoming,
    pub(crate) room: Option<BodyRoom>,
}

/// The message in a body, or the answer to a body that has none.
pub(crate) async fn read_message(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    body: HttpBody,
) -> Result<Posted, Box<Response<ReplyBody>>> {
    if !is_json(headers) {
        let message = "the body must be JSON; send Content-Type: application/json";
        return Err(Box::new(answers::problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)));
    }
    let limits = &endpoint.options.limits;
    let read = read_body(body, limits, &endpoint.bodies).await;
    let ReadBody { bytes, room } = read.map_err(|error| Box::new(error.response()))?;
    let decoded = Incoming::decode_bytes_noting(&bytes, note_replaced);
    let message = decoded.map_err(|refused| {
        let id = refused.answer_id();
        Box::new(answers::refusal(StatusCode::BAD_REQUEST, id, &refused.error))
    })?;
    Ok(Posted { message, room })
}

/// A request goes the way of its era.
async fn route(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    accepts: Accepts,
    request: McpRequest,
    client: ClientId,
    room: Option<BodyRoom>,
) -> Response<ReplyBody> {
    let version = match text(headers, &VERSION) {
        Ok(version) => version,
        Err(error) => {
            return answers::refusal(StatusCode::BAD_REQUEST, Some(&request.id), &error);
        }
    };
    match choose_era(&request.method, &request.params, version) {
        Err(error) => answers::refusal(StatusCode::BAD_REQUEST, Some(&request.id), &error),
        Ok(EraChoice::Modern) => {
            modern(endpoint, headers, version, accepts, request, client, room).await
        }
        Ok(EraChoice::Legacy) if request.method == MethodName::Known(Method::Initialize) => {
            initialize(endpoint, headers, request, client)
        }
        Ok(EraChoice::Legacy) => {
            let id = request.id.clone();
            let message = Incoming::One(Message::Request(request));
            in_session(endpoint, headers, accepts, message, Some(&id), room).await
        }
    }
}

async fn modern(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    version: Option<&str>,
    accepts: Accepts,
    request: McpRequest,
    client: ClientId,
    room: Option<BodyRoom>,
) -> Response<ReplyBody> {
    let method = match text(headers, &METHOD) {
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
    let name = match single(headers, &NAME) {
        Found::Nowhere => None,
        Found::Once(value) => Some(decode(value).ok_or(())),
        Found::Repeated => Some(Err(())),
    };
    let known = ModernRequest {
        headers: Some(HeaderView { version, method, name }),
        mirrored: Some(mirrored(headers)),
        principal: Principal::anonymous(),
        client_id: client,
    };
    // A listener must not miss a change, so one that is too slow is cut off and may come again.
    // A call may lose its oldest notes, never its answer; a client that does not read at all is
    // cut off by its connection.
    let overflow = if listens { Overflow::Cut } else { Overflow::DropOldest };
    let limits = OutboxLimits { overflow, ..OutboxLimits::default() };
    let outbox = Arc::new(Outbox::new(limits));
    let reply = Reply::new(Arc::clone(&outbox), Scope::Exchange);
    let work = answer_modern(&endpoint.server, request, known, reply);
    let work = BodyRoom::keep_with(room, work);
    modern_exchange(outbox, work, accepts, endpoint.options.sessions.keep_alive).await
}

/// The handshake: a new session, named in the response.
fn initialize(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    request: McpRequest,
    client: ClientId,
) -> Response<ReplyBody> {
    let id = request.id.clone();
    let known = match session_id(headers) {
        Some(Ok(name)) => match endpoint.sessions.find(name) {
            Some(session) => Some(session),
            None => return unknown_session(Some(&id)),
        },
        Some(Err(())) => return unknown_session(Some(&id)),
        None => None,
    };
    // A second handshake in a session is refused by the session itself.
    let (session, fresh) = match known {
        Some(session) => (session, false),
        None => match endpoint.sessions.prepare(&endpoint.server, client) {
            Ok(session) => (session, true),
            Err(_) => return answers::full(Some(&id), TOO_MANY),
        },
    };
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(Arc::clone(&outbox), Scope::Exchange);
    let message = Incoming::One(Message::Request(request));
    // The handshake is answered at once and leaves no work.
    drop(session.session.receive(Ok(message), &reply));
    let Some(frame) = outbox.try_frame() else { return answers::accepted() };
    let mut response = answers::json(frame);
    // Only who has agreed on a revision takes a place, perhaps that of somebody else.
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

/// A message within a session.
async fn in_session(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    accepts: Accepts,
    message: Incoming,
    id: Option<&RequestId>,
    room: Option<BodyRoom>,
) -> Response<ReplyBody> {
    let session = match session_id(headers) {
        None => {
            let error = RpcError::invalid_request(
                "server not initialized: send `initialize` first, then its Mcp-Session-Id",
            );
            return answers::refusal(StatusCode::BAD_REQUEST, id, &error);
        }
        Some(Err(())) => return unknown_session(id),
        Some(Ok(name)) => match endpoint.sessions.find(name) {
            Some(session) => session,
            None => return unknown_session(id),
        },
    };
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(Arc::clone(&outbox), Scope::Exchange);
    let work = BodyRoom::keep_with(room, session.session.receive(Ok(message), &reply));
    legacy_exchange(endpoint, session, outbox, work, accepts).await
}

/// A notification or an answer: taken, if there is anybody to take it.
fn other(endpoint: &Arc<Endpoint>, headers: &HeaderMap, message: Message) -> Response<ReplyBody> {
    let revision = match spoken(headers) {
        Ok(revision) => revision,
        Err(response) => return *response,
    };
    if revision.is_some_and(|revision| revision.era() == Era::Modern) {
        return modern_other(&message);
    }
    let session = match session_id(headers) {
        Some(Ok(name)) => endpoint.sessions.find(name),
        Some(Err(())) => None,
        None => return answers::problem(StatusCode::BAD_REQUEST, NO_SESSION),
    };
    let Some(session) = session else { return unknown_session(None) };
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(outbox, Scope::Exchange);
    drop(session.session.receive(Ok(Incoming::One(message)), &reply));
    answers::accepted()
}

/// The modern revision has no notification over HTTP, but it tells to accept unknown ones; an
/// answer belongs to a session.
fn modern_other(message: &Message) -> Response<ReplyBody> {
    match message {
        Message::Notification(_) => answers::accepted(),
        _ => answers::problem(StatusCode::BAD_REQUEST, NO_SESSION),
    }
}

async fn many(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    accepts: Accepts,
    batch: Batch,
    room: Option<BodyRoom>,
) -> Response<ReplyBody> {
    let revision = match spoken(headers) {
        Ok(revision) => revision,
        Err(response) => return *response,
    };
    let modern = revision.is_some_and(|revision| revision.era() == Era::Modern);
    if modern || session_id(headers).is_none() {
        let message = "batches are not part of this revision";
        return answers::problem(StatusCode::BAD_REQUEST, message);
    }
    in_session(endpoint, headers, accepts, Incoming::Many(batch), None, room).await
}

pub(crate) fn unknown_session(id: Option<&RequestId>) -> Response<ReplyBody> {
    let error = RpcError::invalid_request("no such session; send `initialize` again");
    answers::refusal(StatusCode::NOT_FOUND, id, &error)
}

/// The session a request names; `Err` if the name can be none of ours.
pub(crate) fn session_id(headers: &HeaderMap) -> Option<Result<&str, ()>> {
    match single(headers, &SESSION) {
        Found::Nowhere => None,
        Found::Once(value) => Some(value.to_str().map_err(|_| ())),
        Found::Repeated => Some(Err(())),
    }
}

/// The revision a request's header names, if it names one.
pub(crate) fn spoken(headers: &HeaderMap) -> Result<Option<Revision>, Box<Response<ReplyBody>>> {
    let unknown = || {
        let message = "MCP-Protocol-Version is not a revision spoken here";
        Box::new(answers::problem(StatusCode::BAD_REQUEST, message))
    };
    match text(headers, &VERSION) {
        Err(error) => Err(Box::new(answers::refusal(StatusCode::BAD_REQUEST, None, &error))),
        Ok(None) => Ok(None),
        Ok(Some(version)) => Revision::parse(version).map(Some).ok_or_else(unknown),
    }
}

/// The text of a header that may be there once.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, RpcError> {
    let bad = || {
        let message = format!("the header {name} must be there once, in plain text");
        RpcError::new(hobnob_mcp_types::ErrorCode::HEADER_MISMATCH, message)
    };
    match single(headers, name) {
        Found::Nowhere => Ok(None),
        Found::Once(value) => value.to_str().map(str::trim).map(Some).map_err(|_| bad()),
        Found::Repeated => Err(bad()),
    }
}

fn decode(value: &HeaderValue) -> Option<std::borrow::Cow<'_, str>> {
    header_value::decode(value.as_bytes().trim_ascii()).ok()
}

fn mirrored(headers: &HeaderMap) -> MirroredParams {
    let mut found = Vec::new();
    for (name, value) in headers {
        if let Some(name) = name.as_str().strip_prefix("mcp-param-") {
            let value = decode(value).map(|text| text.as_ref().into());
            found.push(MirroredParam { name: name.into(), value });
        }
    }
    // The default needs no place in memory, and nearly every request has none.
    if found.is_empty() { MirroredParams::default() } else { found.into() }
}
