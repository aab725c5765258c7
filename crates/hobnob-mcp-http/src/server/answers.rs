//! Responses that are no MCP answers, and the headers of those that are. Every route responds
//! through these functions, so that every error has a JSON-RPC body.

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
/// `Mcp-Name`: the tool, prompt or URI that a modern request is about.
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// `Last-Event-ID`: the last event a client has seen of the stream it resumes.
pub(crate) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A refusal at the level of HTTP, which belongs to no JSON-RPC request.
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

/// A refusal because too many of something are open; says when to try again.
pub(crate) fn full(id: Option<&RequestId>, message: &'static str) -> Response<ReplyBody> {
    let error = RpcError::new(ErrorCode::BUSY, message);
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, id, &error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// A refusal because one principal sent too much within a minute; says when to try again.
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

/// A refusal because one address sent too much; says when to try again.
pub(crate) fn later(seconds: u64, message: &'static str) -> Response<ReplyBody> {
    too_early(seconds, &RpcError::new(ErrorCode::BUSY, message))
}

fn too_early(seconds: u64, error: &RpcError) -> Response<ReplyBody> {
    let mut response = refusal(StatusCode::TOO_MANY_REQUESTS, None, error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// The response if the session that a request names does not exist.
pub(crate) fn unknown_session(id: Option<&RequestId>) -> Response<ReplyBody> {
    let error = RpcError::invalid_request("no such session; send `initialize` again");
    refusal(StatusCode::NOT_FOUND, id, &error)
}

/// The response to a message that is accepted and has no answer.
pub(crate) fn accepted() -> Response<ReplyBody> {
    bare(StatusCode::ACCEPTED)
}

/// A response with only a status.
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

/// A response whose body is a stream of events.
pub(crate) fn events(body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    response
}
