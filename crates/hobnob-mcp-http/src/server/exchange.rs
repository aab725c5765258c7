//! JSON or a stream: chosen by the first frame of a call, and by what the client accepts.
//!
//! `POST` ends here. A modern call dies with its connection; a legacy call outlives it.

use crate::server::accept::Accepts;
use crate::server::answers::{self, SESSION};
use crate::server::endpoint::Endpoint;
use crate::server::reply::ReplyBody;
use crate::server::sessions::HttpSession;
use crate::server::sources::{LegacyEvents, ModernEvents};
use crate::server::streams::PollingSupport;
use hobnob_mcp_server::{EventIdForm, PendingReply, ReadyReply};
use hobnob_mcp_transport::{Frame, FrameKind, Outbox};
use hobnob_mcp_types::Revision;
use http::{HeaderValue, Response, StatusCode};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

#[cfg(test)]
mod tests;

/// A modern exchange. The work is part of this future, and then of the response's body: if the
/// client goes away both are dropped, which cancels the call.
pub(crate) async fn modern_exchange(
    outbox: Arc<Outbox>,
    mut work: Option<PendingReply>,
    accepts: Accepts,
    keep_alive: Duration,
) -> Response<ReplyBody> {
    let first = poll_fn(|context| {
        if let Some(running) = &mut work
            && let Poll::Ready(answer) = running.as_mut().poll(context)
        {
            work = None;
            if let Some(frame) = answer.and_then(|answer| as_only_frame(answer, accepts)) {
                return Poll::Ready(Some(frame));
            }
        }
        // A client cannot resume a modern stream.
        next_deliverable(&outbox, accepts, PollingSupport::Unknown, None, context)
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

/// The exchange of a request of another protocol: a stream if the client accepts streams, except
/// for a single answer. If the client goes away the work is dropped, which cancels it.
pub(crate) async fn other_exchange(
    calls: &TaskTracker,
    outbox: Arc<Outbox>,
    work: PendingReply,
    accepts: Accepts,
    keep_alive: Duration,
) -> Response<ReplyBody> {
    let mut work = Some(work);
    let first = poll_fn(|context| {
        if let Some(running) = &mut work
            && running.as_mut().poll(context).is_ready()
        {
            work = None;
        }
        outbox.poll_frame(context)
    })
    .await;
    let is_all = work.is_none() && outbox.is_empty();
    match first {
        None => answers::bare(StatusCode::NO_CONTENT),
        Some(frame) if matches!(frame.kind, FrameKind::Reply(Some(_))) => answers::json(frame),
        Some(frame) if !accepts.event_stream || is_all && accepts.json => answers::json(frame),
        Some(frame) => {
            let work = work.map(|work| in_own_task(calls, work, &outbox));
            let source = ModernEvents::new(work, outbox, frame, keep_alive);
            answers::events(ReplyBody::stream(source))
        }
    }
}

/// Moves the work to its own task: a response body is not polled while its client takes nothing,
/// but the work must notice how long that lasts. Dropping the result cancels the work.
fn in_own_task(calls: &TaskTracker, work: PendingReply, outbox: &Arc<Outbox>) -> PendingReply {
    let running = AbortOnDropHandle::new(calls.spawn(work));
    let outbox = Arc::clone(outbox);
    Box::pin(async move {
        let answer = running.await;
        // Work that panicked did not finish its outbox.
        outbox.finish();
        answer.ok().flatten()
    })
}

/// A legacy exchange. The work goes on even if this connection breaks; see [`LegacyWork`].
pub(crate) async fn legacy_exchange(
    endpoint: &Arc<Endpoint>,
    session: Arc<HttpSession>,
    outbox: Arc<Outbox>,
    work: Option<PendingReply>,
    accepts: Accepts,
) -> Response<ReplyBody> {
    let Some(work) = work else {
        return match outbox.try_frame() {
            Some(frame) => answers::json(frame),
            None => answers::accepted(),
        };
    };
    let mut work = LegacyWork { work: Some(work), calls: &endpoint.calls, session: &session };
    let polling = if session.session.revision() >= Some(Revision::V2025_11_25) {
        PollingSupport::Known
    } else {
        PollingSupport::Unknown
    };
    let backlog = endpoint.options.sessions.backlog_bytes;
    let standing = Some(Standing { outbox: &session.main, backlog });
    let first = poll_fn(|context| {
        if let Poll::Ready(Some(answer)) = work.poll(context)
            && let Some(frame) = as_only_frame(answer, accepts)
        {
            return Poll::Ready(Some(frame));
        }
        next_deliverable(&outbox, accepts, polling, standing, context)
    })
    .await;
    // The remaining work sends through the outbox, which a stream reads.
    drop(work);
    match first {
        // The call was cancelled, so the client does not wait for an answer.
        None => answers::accepted(),
        Some(frame) if is_json_answer(&frame, accepts) => answers::json(frame),
        Some(frame) => legacy_stream(endpoint, &session, outbox, polling, &frame),
    }
}

/// The work of a legacy call. While its connection waits for the first frame, it runs in the
/// connection's task, since a switch of tasks costs more than most calls. If the client goes away
/// or the answer becomes a stream before the work is done, it continues in its own task.
struct LegacyWork<'a> {
    work: Option<PendingReply>,
    calls: &'a TaskTracker,
    session: &'a Arc<HttpSession>,
}

impl LegacyWork<'_> {
    /// The answer, once; `None` if the call was cancelled.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<ReadyReply>> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let answer = ready!(work.as_mut().poll(context));
        self.work = None;
        self.session.touch();
        Poll::Ready(answer)
    }
}

impl Drop for LegacyWork<'_> {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        // Without a runtime, the process is ending and no work can continue.
        let Ok(runtime) = Handle::try_current() else { return };
        let session = Arc::clone(self.session);
        let rest = async move {
            if let Some(answer) = work.await {
                answer.send();
            }
            session.touch();
        };
        self.calls.spawn_on(rest, &runtime);
    }
}

fn legacy_stream(
    endpoint: &Endpoint,
    session: &Arc<HttpSession>,
    outbox: Arc<Outbox>,
    polling: PollingSupport,
    frame: &Frame,
) -> Response<ReplyBody> {
    let (reader, first) = session.streams.open(outbox, polling).begin(frame);
    let keep_alive = endpoint.options.sessions.keep_alive;
    let source = LegacyEvents::new(reader, first, keep_alive, session.listener());
    let mut response = answers::events(ReplyBody::stream(source));
    if endpoint.server.event_ids() == EventIdForm::Numbered
        && let Ok(id) = HeaderValue::from_str(&session.id)
    {
        response.headers_mut().insert(SESSION, id);
    }
    response
}

/// The session's standing stream, and how many bytes may wait there.
#[derive(Clone, Copy)]
struct Standing<'a> {
    outbox: &'a Outbox,
    backlog: usize,
}

impl Standing<'_> {
    /// Sends a request to the client here that could not be sent on the call's own stream. The
    /// limit is needed because nothing removes such a request: if its call is cancelled, that is
    /// said on the call's stream. Beyond the limit the client does not read here, so it would not
    /// answer either; the call then ends like one whose client does not answer in time.
    fn ask(self, question: bytes::Bytes) {
        if self.outbox.backlog() <= self.backlog {
            self.outbox.ask(question);
        }
    }
}

/// The next frame that this client can read; if it accepts no streams, only the answer. A server
/// request that it could not read here goes to the session's standing stream.
fn next_deliverable(
    outbox: &Outbox,
    accepts: Accepts,
    polling: PollingSupport,
    standing: Option<Standing<'_>>,
    context: &mut Context<'_>,
) -> Poll<Option<Frame>> {
    let can_deliver = |kind: FrameKind| match kind {
        FrameKind::Reply(_) => true,
        FrameKind::Ask | FrameKind::Note | FrameKind::Event => accepts.event_stream,
        FrameKind::Pause(_) => accepts.event_stream && polling == PollingSupport::Known,
    };
    loop {
        match outbox.poll_frame(context) {
            Poll::Ready(Some(frame)) if !can_deliver(frame.kind) => {
                if let (FrameKind::Ask, Some(standing)) = (frame.kind, standing) {
                    standing.ask(frame.bytes);
                }
            }
            other => return other,
        }
    }
}

/// An answer that needs no queue, because it is the only frame and the client accepts JSON. Any
/// other answer is queued behind what waits in its outbox.
fn as_only_frame(answer: ReadyReply, accepts: Accepts) -> Option<Frame> {
    if !accepts.json {
        answer.send();
        return None;
    }
    match answer.into_frame() {
        Ok(frame) => Some(frame),
        Err(answer) => {
            answer.send();
            None
        }
    }
}

fn is_json_answer(frame: &Frame, accepts: Accepts) -> bool {
    match frame.kind {
        // A refusal needs its own status, which a stream would have sent already.
        FrameKind::Reply(Some(_)) => true,
        FrameKind::Reply(None) => accepts.json,
        FrameKind::Ask | FrameKind::Note | FrameKind::Event | FrameKind::Pause(_) => false,
    }
}
