//! Responses that are no MCP answers, and the headers of those that are. Every route answers
//! through it, so that an error always is a JSON-RPC body, whatever the status.

use crate::server::reply::{ReplyBody, json_reply};
use crate::server::request_rate::RateExceeded;
use hobnob_mcp_transport::{Fault, Frame, FrameKind};
use hobnob_mcp_types::{ErrorCode, RequestId, RpcError, encode};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};

/// `MCP-Protocol-Version`: the revision of a request, on every request but `initialize`.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Session-Id`: the legacy session a request belongs to.
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// `Mcp-Method`: the method of a modern request, which must equal the one in its body.
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Mcp-Name`: the tool, prompt or address a modern request is about.
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// `Last-Event-ID`: the last event a client has seen of the stream it resumes.
pub(crate) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A refusal that belongs to HTTP rather than to a request.
pub(crate) fn problem(status: StatusCode, message: &'static str) -> Response<ReplyBody> {
    refusal(status, None, &RpcError::invalid_request(message))
}

/// A refusal of one request.
pub(crate) fn refusal(
    status: StatusCode,
    id: Option<&RequestId>,
    error: &RpcError,
) -> Response<ReplyBody> {
    json_reply(status, encode::error(id, error))
}

/// Too many of something; says when to come back.
pub(crate) fn full(id: Option<&RequestId>, message: &'static str) -> Response<ReplyBody> {
    let error = RpcError::new(ErrorCode::BUSY, message);
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, id, &error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Too much of one principal within a minute; says when the next request is taken.
pub(crate) fn too_many(exceeded: RateExceeded) -> Response<ReplyBody> {
    let (what, wait) = match exceeded {
        RateExceeded::Requests(wait) => ("requests", wait),
        RateExceeded::Bytes(wait) => ("bytes", wait),
    };
    let seconds = wait.as_secs().saturating_add(1);
    let error = RpcError::new(
        ErrorCode::BUSY,
        format!("you sent too many {what} within a minute; send the next request in {seconds} s"),
    );
    too_early(seconds, &error)
}

/// Too much from one address; says when the next request is taken.
pub(crate) fn later(seconds: u64, message: &'static str) -> Response<ReplyBody> {
    too_early(seconds, &RpcError::new(ErrorCode::BUSY, message))
}

fn too_early(seconds: u64, error: &RpcError) -> Response<ReplyBody> {
    let mut response = refusal(StatusCode::TOO_MANY_REQUESTS, None, error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// The session that a request names does not exist, or not any more.
pub(crate) fn unknown_session(id: Option<&RequestId>) -> Response<ReplyBody> {
    let error = RpcError::invalid_request("no such session; send `initialize` again");
    refusal(StatusCode::NOT_FOUND, id, &error)
}

/// Taken; there is nothing to say.
pub(crate) fn accepted() -> Response<ReplyBody> {
    bare(StatusCode::ACCEPTED)
}

/// A status and nothing else.
pub(crate) fn bare(status: StatusCode) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::Empty);
    *response.status_mut() = status;
    response
}

/// An MCP answer as JSON.
pub(crate) fn json(frame: Frame) -> Response<ReplyBody> {
    let status = match frame.kind {
        FrameKind::Reply(Some(Fault::BadRequest)) => StatusCode::BAD_REQUEST,
        FrameKind::Reply(Some(Fault::NotFound)) => StatusCode::NOT_FOUND,
        FrameKind::Reply(Some(Fault::Busy)) => StatusCode::SERVICE_UNAVAILABLE,
        FrameKind::Reply(None)
        | FrameKind::Ask
        | FrameKind::Note
        | FrameKind::Event
        | FrameKind::Pause(_) => StatusCode::OK,
    };
    let mut response = json_reply(status, frame.bytes);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// A stream of events.
pub(crate) fn events(body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    response
}
