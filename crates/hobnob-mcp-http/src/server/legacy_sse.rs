//! HTTP+SSE, the transport of 2024-11-05: one stream to the client, and posts to the server.
//!
//! The routes `/sse` and `/messages` end here. The session ends with its stream.

use crate::server::accept::Accepts;
use crate::server::answers;
use crate::server::budget::BodyReservation;
use crate::server::endpoint::Endpoint;
use crate::server::posted_message::{PostedMessage, read_message};
use crate::server::reply::{RefusalReply, ReplyBody};
use crate::server::requester::Requester;
use crate::server::sources::ConnectionEvents;
use hobnob_mcp_server::{Reply, ReplyScope};
use hobnob_mcp_types::{Incoming, Message};
use http::{HeaderMap, Request, Response, StatusCode};
use hyper::body::Incoming as HttpBody;
use std::sync::Arc;

/// Opens the stream; its first event names the URL for posts.
pub(crate) fn open(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    requester: &Requester<'_>,
) -> Result<Response<ReplyBody>, RefusalReply> {
    if !Accepts::of(headers).event_stream {
        let message = "this is a stream; send Accept: text/event-stream";
        return Err(Box::new(answers::problem(StatusCode::NOT_ACCEPTABLE, message)));
    }
    let sessions = &endpoint.sessions;
    let opened = sessions.prepare(&endpoint.server, requester).and_then(|session| {
        sessions.admit(&session)?;
        Ok(session)
    });
    let Ok(session) = opened else {
        return Err(Box::new(answers::full(None, "too many sessions; try again later")));
    };
    let target = format!("{}/messages?sessionId={}", endpoint.prefix, session.id);
    let source = ConnectionEvents::new(
        Arc::clone(&session.main),
        &target,
        endpoint.options.sessions.keep_alive,
        Arc::clone(&endpoint.sessions),
        session.id.clone(),
        session.listener(),
    );
    Ok(answers::events(ReplyBody::standing(source)))
}

/// Accepts a message; its answer is sent on the stream.
pub(crate) async fn receive(
    endpoint: &Arc<Endpoint>,
    request: Request<HttpBody>,
    requester: &Requester<'_>,
) -> Result<Response<ReplyBody>, RefusalReply> {
    let (head, body) = request.into_parts();
    let name = head
        .uri
        .query()
        .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("sessionId=")));
    let Some(session) = name.and_then(|name| endpoint.sessions.find(name, requester)) else {
        return Err(Box::new(answers::unknown_session(None)));
    };
    let PostedMessage { message, reservation } =
        read_message(endpoint, &head.headers, body, requester).await?;
    // Every message may cause an answer; a client that reads none of them must not send more.
    if session.main.backlog() > endpoint.options.sessions.backlog_bytes {
        let id = match &message {
            Incoming::One(Message::Request(request)) => Some(&request.id),
            Incoming::One(_) | Incoming::Many(_) => None,
        };
        let message = "too many answers wait; read the stream, then try again";
        return Err(Box::new(answers::full(id, message)));
    }
    let reply = Reply::new(Arc::clone(&session.main), ReplyScope::Connection);
    let work = session.session.receive(Ok(message), &reply);
    if let Some(work) = BodyReservation::hold_during(reservation, work) {
        endpoint.calls.spawn(async move {
            if let Some(answer) = work.await {
                answer.send();
            }
        });
    }
    Ok(answers::accepted())
}
