//! `GET` and `DELETE /mcp`: the standing stream of a legacy session, its resumption, its end.

use crate::server::accept::Accepts;
use crate::server::answers::{self, LAST_EVENT};
use crate::server::endpoint::Endpoint;
use crate::server::reply::{RefusalReply, ReplyBody};
use crate::server::request_headers::{header_revision, session_id};
use crate::server::requester::Requester;
use crate::server::sessions::HttpSession;
use crate::server::sources::LegacyEvents;
use crate::server::streams::ResumeError;
use hobnob_mcp_types::Era;
use http::header::ALLOW;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use std::sync::Arc;

/// Opens the standing stream, or resumes the stream that `Last-Event-ID` names.
pub(crate) fn get(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    requester: &Requester<'_>,
) -> Result<Response<ReplyBody>, RefusalReply> {
    let session = find(endpoint, headers, requester)?;
    if !Accepts::of(headers).event_stream {
        let message = "this is a stream; send Accept: text/event-stream";
        return Err(Box::new(answers::problem(StatusCode::NOT_ACCEPTABLE, message)));
    }
    let reader = match headers.get(&LAST_EVENT).map(HeaderValue::to_str) {
        None => Ok(session.streams.standing().attach()),
        Some(Ok(id)) => session.streams.resume(id),
        Some(Err(_)) => Err(ResumeError::Gone),
    };
    let reader = match reader {
        Ok(reader) => reader,
        // 204 tells an `EventSource` not to reconnect.
        Err(ResumeError::Over) => return Ok(answers::bare(StatusCode::NO_CONTENT)),
        Err(ResumeError::Gone) => {
            let message =
                "the events after that Last-Event-ID are no longer stored; read the state again";
            return Err(Box::new(answers::problem(StatusCode::GONE, message)));
        }
    };
    let keep_alive = endpoint.options.sessions.keep_alive;
    let standing = reader.is_standing();
    let source = LegacyEvents::new(reader, None, keep_alive, session.listener());
    // The stream of a call ends with its answer, also when the server stops meanwhile.
    let body = if standing { ReplyBody::standing(source) } else { ReplyBody::stream(source) };
    Ok(answers::events(body))
}

/// Ends the session that the request names, with its streams and calls.
pub(crate) fn delete(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    requester: &Requester<'_>,
) -> Result<Response<ReplyBody>, RefusalReply> {
    let session = find(endpoint, headers, requester)?;
    endpoint.sessions.end(&session.id);
    Ok(answers::bare(StatusCode::NO_CONTENT))
}

fn find(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    requester: &Requester<'_>,
) -> Result<Arc<HttpSession>, RefusalReply> {
    if header_revision(headers)?.is_some_and(|revision| revision.era() == Era::Modern) {
        return Err(Box::new(only_post()));
    }
    match session_id(headers) {
        None => Err(Box::new(only_post())),
        Some(Err(())) => Err(Box::new(answers::unknown_session(None))),
        Some(Ok(name)) => {
            let found = endpoint.sessions.find(name, requester);
            found.ok_or_else(|| Box::new(answers::unknown_session(None)))
        }
    }
}

/// The response to a request without a session, which has nothing to get or to delete.
fn only_post() -> Response<ReplyBody> {
    let message = "without an Mcp-Session-Id only POST is answered here";
    let mut response = answers::problem(StatusCode::METHOD_NOT_ALLOWED, message);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    response
}
