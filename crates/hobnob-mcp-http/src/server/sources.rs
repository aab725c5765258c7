//! Event streams as response bodies: of one modern request, of a legacy stream, of HTTP+SSE.
//!
//! The routes create them, the connection polls them. A silent stream regularly sends a comment as
//! a keep-alive, so that proxies keep it open.

use crate::server::reply::EventSource;
use crate::server::sessions::{OpenStreamGuard, Sessions};
use crate::server::streams::{Reader, StreamStep};
use bytes::Bytes;
use hobnob_mcp_server::PendingReply;
use hobnob_mcp_transport::{Frame, Outbox};
use hobnob_web_client::sse::{KEEP_ALIVE, OutgoingEvent};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Notices when a stream has been silent for too long.
struct Pulse {
    every: Duration,
    timer: Pin<Box<Sleep>>,
}

impl Pulse {
    fn new(every: Duration) -> Self {
        Self { every, timer: Box::pin(sleep(every)) }
    }

    fn beat(&mut self) {
        let next = Instant::now() + self.every;
        self.timer.as_mut().reset(next);
    }

    /// The keep-alive, when it is due.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        match self.timer.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                self.beat();
                // Poll again at once, so that the timer registers its new deadline.
                context.waker().wake_by_ref();
                Poll::Ready(Some(KEEP_ALIVE))
            }
        }
    }
}

/// The events of one modern request, and its work: when the client closes the stream, the work is
/// dropped, which cancels it.
pub(crate) struct ModernEvents {
    work: Option<PendingReply>,
    outbox: Arc<Outbox>,
    first: Option<Frame>,
    pulse: Pulse,
}

impl ModernEvents {
    pub(crate) fn new(
        work: Option<PendingReply>,
        outbox: Arc<Outbox>,
        first: Frame,
        keep_alive: Duration,
    ) -> Self {
        Self { work, outbox, first: Some(first), pulse: Pulse::new(keep_alive) }
    }
}

impl EventSource for ModernEvents {
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if let Some(work) = &mut this.work
            && let Poll::Ready(answer) = work.as_mut().poll(context)
        {
            this.work = None;
            if let Some(answer) = answer {
                answer.send();
            }
        }
        let frame = match this.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => this.outbox.poll_frame(context),
        };
        match frame {
            Poll::Ready(Some(frame)) => {
                this.pulse.beat();
                Poll::Ready(Some(plain_event(&frame.bytes)))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => this.pulse.poll(context),
        }
    }
}

impl Drop for ModernEvents {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

/// The events of a legacy stream, for as long as this client reads it.
pub(crate) struct LegacyEvents {
    reader: Reader,
    /// The step that was taken from the stream to choose the kind of answer.
    first: Option<Bytes>,
    leaving: bool,
    pulse: Pulse,
    _guard: OpenStreamGuard,
}

impl LegacyEvents {
    pub(crate) fn new(
        reader: Reader,
        first: Option<StreamStep>,
        keep_alive: Duration,
        guard: OpenStreamGuard,
    ) -> Self {
        let (first, leaving) = match first {
            None => (None, false),
            Some(StreamStep::Send(bytes)) => (Some(bytes), false),
            Some(StreamStep::SendAndLeave(bytes)) => (Some(bytes), true),
            Some(StreamStep::Leave) => (None, true),
        };
        Self { reader, first, leaving, pulse: Pulse::new(keep_alive), _guard: guard }
    }
}

impl EventSource for LegacyEvents {
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if let Some(first) = this.first.take() {
            return Poll::Ready(Some(first));
        }
        if this.leaving {
            return Poll::Ready(None);
        }
        match this.reader.poll_step(context) {
            Poll::Ready(StreamStep::Send(bytes)) => {
                this.pulse.beat();
                Poll::Ready(Some(bytes))
            }
            Poll::Ready(StreamStep::SendAndLeave(bytes)) => {
                this.leaving = true;
                Poll::Ready(Some(bytes))
            }
            Poll::Ready(StreamStep::Leave) => Poll::Ready(None),
            Poll::Pending => this.pulse.poll(context),
        }
    }
}

/// The only stream of an HTTP+SSE connection. The session ends with it.
pub(crate) struct ConnectionEvents {
    outbox: Arc<Outbox>,
    endpoint_event: Option<Bytes>,
    pulse: Pulse,
    sessions: Arc<Sessions>,
    id: Box<str>,
    _guard: OpenStreamGuard,
}

impl ConnectionEvents {
    pub(crate) fn new(
        outbox: Arc<Outbox>,
        endpoint: &str,
        keep_alive: Duration,
        sessions: Arc<Sessions>,
        id: Box<str>,
        guard: OpenStreamGuard,
    ) -> Self {
        let data = endpoint.as_bytes();
        let endpoint_event =
            OutgoingEvent { event: Some("endpoint"), data, ..OutgoingEvent::default() }.to_bytes();
        let pulse = Pulse::new(keep_alive);
        Self { outbox, endpoint_event: Some(endpoint_event), pulse, sessions, id, _guard: guard }
    }
}

impl EventSource for ConnectionEvents {
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if let Some(endpoint_event) = this.endpoint_event.take() {
            return Poll::Ready(Some(endpoint_event));
        }
        match this.outbox.poll_frame(context) {
            Poll::Ready(Some(frame)) => {
                // Never a pause: `ReplyScope::Connection` tells the server that a client cannot
                // resume this stream.
                this.pulse.beat();
                let event = OutgoingEvent {
                    event: Some("message"),
                    data: &frame.bytes,
                    ..OutgoingEvent::default()
                };
                Poll::Ready(Some(event.to_bytes()))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => this.pulse.poll(context),
        }
    }
}

impl Drop for ConnectionEvents {
    fn drop(&mut self) {
        self.sessions.end(&self.id);
    }
}

fn plain_event(data: &[u8]) -> Bytes {
    OutgoingEvent { data, ..OutgoingEvent::default() }.to_bytes()
}
