//! HTTP+SSE, the transport of 2024-11-05: one stream down, posts up.

use crate::accept::{Accepts, is_json};
use crate::answers;
use crate::body::read_body;
use crate::endpoint::Endpoint;
use crate::post::unknown_session;
use crate::reply::ReplyBody;
use crate::sources::ConnectionEvents;
use http::{HeaderMap, Request, Response, StatusCode};
use hyper::body::Incoming as HttpBody;
use mcp_server::{Reply, Scope};
use mcp_types::Incoming;
use std::sync::Arc;

/// Opens the stream; its first event names where to post.
pub(crate) fn open(endpoint: &Arc<Endpoint>, headers: &HeaderMap) -> Response<ReplyBody> {
    if !Accepts::of(headers).event_stream {
        let message = "this is a stream; send Accept: text/event-stream";
        return answers::problem(StatusCode::NOT_ACCEPTABLE, message);
    }
    let sessions = &endpoint.sessions;
    let opened = sessions.prepare(&endpoint.server).and_then(|session| {
        sessions.admit(&session)?;
        Ok(session)
    });
    let Ok(session) = opened else {
        return answers::full(None, "too many sessions; try again later");
    };
    let target = format!("/messages?sessionId={}", session.id);
    let source = ConnectionEvents::new(
        Arc::clone(&session.main),
        &target,
        endpoint.options.sessions.keep_alive,
        Arc::clone(&endpoint.sessions),
        session.id.clone(),
        session.listener(),
    );
    answers::events(ReplyBody::standing(source))
}

/// Takes a message; its answer travels down the stream.
pub(crate) async fn post(
    endpoint: &Arc<Endpoint>,
    request: Request<HttpBody>,
) -> Response<ReplyBody> {
    let (head, body) = request.into_parts();
    if !is_json(&head.headers) {
        let message = "the body must be JSON; send Content-Type: application/json";
        return answers::problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
    }
    let name = head
        .uri
        .query()
        .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("sessionId=")));
    let Some(session) = name.and_then(|name| endpoint.sessions.find(name)) else {
        return unknown_session(None);
    };
    let body = match read_body(body, &endpoint.options.limits).await {
        Ok(body) => body,
        Err(error) => return error.response(),
    };
    let decoded = match Incoming::decode_bytes(&body) {
        Ok(decoded) => decoded,
        Err(refused) => {
            return answers::refusal(StatusCode::BAD_REQUEST, refused.id.as_ref(), &refused.error);
        }
    };
    let reply = Reply::new(Arc::clone(&session.main), Scope::Connection);
    if let Some(work) = session.session.receive(Ok(decoded), &reply) {
        endpoint.calls.spawn(work);
    }
    answers::accepted()
}
