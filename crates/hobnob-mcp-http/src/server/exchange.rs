//! JSON or a stream: decided by the first thing a call has to say, and by what the client reads.

use crate::server::accept::Accepts;
use crate::server::answers;
use crate::server::endpoint::Endpoint;
use crate::server::reply::ReplyBody;
use crate::server::sessions::HttpSession;
use crate::server::sources::{LegacyEvents, ModernEvents};
use crate::server::streams::Polling;
use hobnob_mcp_server::Work;
use hobnob_mcp_transport::{Frame, Kind, Outbox};
use hobnob_mcp_types::Revision;
use http::{Response, StatusCode};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// A modern exchange. The work lives in this future, and then in the response's body: when the
/// client goes away it is dropped, and that cancels the call.
pub(crate) async fn modern_exchange(
    outbox: Arc<Outbox>,
    mut work: Option<Work>,
    accepts: Accepts,
    keep_alive: Duration,
) -> Response<ReplyBody> {
    let first = poll_fn(|context| {
        if let Some(running) = &mut work
            && running.as_mut().poll(context).is_ready()
        {
            work = None;
        }
        // Nobody comes back to a modern stream.
        next_telling(&outbox, accepts, Polling::Unknown, None, context)
    })
    .await;
    match first {
        None => answers::bare(StatusCode::NO_CONTENT),
        Some(frame) if is_json_answer(&frame, accepts) => answers::json(frame),
        Some(frame) => {
            let source = ModernEvents::new(work, outbox, frame, keep_alive);
            answers::events(ReplyBody::stream(source))
        }
    }
}

/// A legacy exchange. The work goes on whatever happens to this connection.
pub(crate) async fn legacy_exchange(
    endpoint: &Arc<Endpoint>,
    session: Arc<HttpSession>,
    outbox: Arc<Outbox>,
    work: Option<Work>,
    accepts: Accepts,
) -> Response<ReplyBody> {
    let Some(mut work) = work else {
        return match outbox.try_frame() {
            Some(frame) => answers::json(frame),
            None => answers::accepted(),
        };
    };
    // Most calls are done at once and need no task of their own.
    let done = poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_ready())).await;
    if !done {
        let kept = Arc::clone(&session);
        endpoint.calls.spawn(async move {
            work.await;
            kept.touch();
        });
    }
    let polling = if session.session.revision() >= Some(Revision::V2025_11_25) {
        Polling::Known
    } else {
        Polling::Unknown
    };
    let backlog = endpoint.options.sessions.backlog_bytes;
    let standing = Some(Standing { outbox: &session.main, backlog });
    let first = poll_fn(|context| next_telling(&outbox, accepts, polling, standing, context)).await;
    match first {
        // Cancelled: the client has said it does not wait.
        None => answers::accepted(),
        Some(frame) if is_json_answer(&frame, accepts) => answers::json(frame),
        Some(frame) => legacy_stream(endpoint, &session, outbox, polling, &frame),
    }
}

fn legacy_stream(
    endpoint: &Endpoint,
    session: &Arc<HttpSession>,
    outbox: Arc<Outbox>,
    polling: Polling,
    frame: &Frame,
) -> Response<ReplyBody> {
    let (reader, first) = session.streams.open(outbox, polling).begin(frame);
    let keep_alive = endpoint.options.sessions.keep_alive;
    let source = LegacyEvents::new(reader, first, keep_alive, session.listener());
    answers::events(ReplyBody::stream(source))
}

/// The session's standing stream, and how much may wait there.
#[derive(Clone, Copy)]
struct Standing<'a> {
    outbox: &'a Outbox,
    backlog: usize,
}

impl Standing<'_> {
    /// Asks here what could not be asked where it belongs. The bound is needed because nothing
    /// takes such a question back: when its call is cancelled, that is said on the stream of the
    /// call. Beyond it nobody reads here, so the question would not be answered either; its call
    /// ends like one whose client gives no answer in time.
    fn ask(self, question: bytes::Bytes) {
        if self.outbox.backlog() <= self.backlog {
            self.outbox.ask(question);
        }
    }
}

/// The next frame that this client can be told; to one that reads no streams, only the answer.
/// A question it could not be told here goes to the session's standing stream.
fn next_telling(
    outbox: &Outbox,
    accepts: Accepts,
    polling: Polling,
    standing: Option<Standing<'_>>,
    context: &mut std::task::Context<'_>,
) -> Poll<Option<Frame>> {
    let tells = |kind: Kind| match kind {
        Kind::Reply(_) => true,
        Kind::Ask | Kind::Note => accepts.event_stream,
        Kind::Pause(_) => accepts.event_stream && polling == Polling::Known,
    };
    loop {
        match outbox.poll_frame(context) {
            Poll::Ready(Some(frame)) if !tells(frame.kind) => {
                if let (Kind::Ask, Some(standing)) = (frame.kind, standing) {
                    standing.ask(frame.bytes);
                }
            }
            other => return other,
        }
    }
}

fn is_json_answer(frame: &Frame, accepts: Accepts) -> bool {
    match frame.kind {
        // A refusal shows in the status, which a stream would have sent already.
        Kind::Reply(Some(_)) => true,
        Kind::Reply(None) => accepts.json,
        Kind::Ask | Kind::Note | Kind::Pause(_) => false,
    }
}
