//! Streams of a legacy session that can be left and taken up again.
//!
//! An outbox has one reader at a time; a stream numbers what the reader took and keeps it for a
//! while, so that another reader can go on from any event that is still there.

use crate::server::event_ids::EventIds;
use crate::server::options::SessionLimits;
use crate::server::replay::{Replay, ReplayLog};
use bytes::Bytes;
use hobnob_mcp_server::EventIdForm;
use hobnob_mcp_transport::{Frame, FrameKind, Outbox};
use hobnob_web_client::sse::OutgoingEvent;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// One stream: an outbox, and what was read from it lately.
#[derive(Debug)]
pub(crate) struct LegacyStream {
    number: u64,
    outbox: Arc<Outbox>,
    polling: PollingSupport,
    limits: SessionLimits,
    ids: EventIds,
    log: Mutex<Log>,
}

#[derive(Debug)]
struct Log {
    /// One past the number of the newest event.
    next: u64,
    /// The newest events, from which a client can resume.
    replay: ReplayLog,
    /// Counts readers; only the newest may read.
    reader: u64,
    ended: bool,
}

/// Whether the client knows that it may be sent away before the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PollingSupport {
    /// It would take that for a broken call; so pauses are skipped.
    Unknown,
    /// It comes back (since 2025-11-25).
    Known,
}

/// Why a stream cannot be taken up where the client left it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResumeError {
    /// It has ended and the client has seen it all.
    Over,
    /// It is unknown, or events after that one are no longer stored.
    Gone,
}

/// What a reader does next.
pub(crate) enum StreamStep {
    /// Sends this event and waits for the next one.
    Send(Bytes),
    /// Sends this and leaves; the client comes back.
    SendAndLeave(Bytes),
    /// Leaves: the stream is over, or somebody else reads it now.
    Leave,
}

impl LegacyStream {
    pub(crate) fn new(
        number: u64,
        outbox: Arc<Outbox>,
        polling: PollingSupport,
        limits: &SessionLimits,
        ids: EventIds,
        replay: &Arc<Replay>,
    ) -> Arc<Self> {
        let log =
            Mutex::new(Log { next: 0, replay: ReplayLog::new(replay), reader: 0, ended: false });
        Arc::new(Self { number, outbox, polling, limits: limits.clone(), ids, log })
    }

    /// Becomes the first reader; `frame` was taken from the outbox to decide how to answer.
    pub(crate) fn begin(self: &Arc<Self>, frame: &Frame) -> (Reader, Option<StreamStep>) {
        let mut log = self.log();
        // An empty event gives newer clients an id to resume from; older ones would try to read
        // it as a message. A pause is such an event itself.
        let primes =
            self.polling == PollingSupport::Known && !matches!(frame.kind, FrameKind::Pause(_));
        let prime = primes.then(|| self.log_event(&mut log, b"", None));
        let step = match (prime, self.step(&mut log, frame)) {
            (Some(prime), Some(StreamStep::Send(first))) => {
                Some(StreamStep::Send([prime, first].concat().into()))
            }
            (_, step) => step,
        };
        (self.take_over(&mut log, Bytes::new()), step)
    }

    /// Becomes the reader, from now on.
    pub(crate) fn attach(self: &Arc<Self>) -> Reader {
        self.take_over(&mut self.log(), Bytes::new())
    }

    /// Becomes the reader, from the event after this one. Whoever cannot be served from there
    /// displaces nobody.
    pub(crate) fn resume(self: &Arc<Self>, after: u64) -> Result<Reader, ResumeError> {
        let mut log = self.log();
        if log.ended && after.checked_add(1) == Some(log.next) {
            // This is the client's word that it has read everything.
            log.replay.clear();
            return Err(ResumeError::Over);
        }
        // Taken now: later it may have been forgotten for another stream.
        let repeated = log.replay.after(after).ok_or(ResumeError::Gone)?;
        Ok(self.take_over(&mut log, repeated))
    }

    fn take_over(self: &Arc<Self>, log: &mut Log, repeated: Bytes) -> Reader {
        log.reader += 1;
        // The reader so far looks again, and finds that it is no longer the one.
        self.outbox.wake_reader();
        Reader { stream: Arc::clone(self), number: log.reader, repeated }
    }

    /// A frame as the stream's next event; nothing for a pause that the client would not know.
    fn step(&self, log: &mut Log, frame: &Frame) -> Option<StreamStep> {
        match (frame.kind, self.polling) {
            (FrameKind::Pause(_), PollingSupport::Unknown) => None,
            (FrameKind::Pause(retry), PollingSupport::Known) => {
                let retry = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
                Some(StreamStep::SendAndLeave(self.log_event(log, b"", Some(retry))))
            }
            (FrameKind::Reply(_) | FrameKind::Ask | FrameKind::Note | FrameKind::Event, _) => {
                Some(StreamStep::Send(self.log_event(log, &frame.bytes, None)))
            }
        }
    }

    fn log_event(&self, log: &mut Log, data: &[u8], retry_ms: Option<u64>) -> Bytes {
        let number = self.ids.number(log.next);
        log.next = number + 1;
        let id = self.ids.id(self.number, number);
        let event = self.ids.event_type();
        let event = OutgoingEvent { event, id: Some(&id), retry_ms, data }.to_bytes();
        log.replay.push(number, event.clone(), &self.limits);
        event
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a stream until somebody else does.
#[derive(Debug)]
pub(crate) struct Reader {
    stream: Arc<LegacyStream>,
    number: u64,
    /// The events that were sent before and come first.
    repeated: Bytes,
}

impl Reader {
    /// Whether this is the stream for messages that belong to no request.
    pub(crate) fn is_standing(&self) -> bool {
        self.stream.number == STANDING
    }

    pub(crate) fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<StreamStep> {
        let stream = &self.stream;
        // Held while the outbox is looked at: whoever takes over in between would find its frame
        // sent to the reader before, or its waker replaced by that one's.
        let mut log = stream.log();
        if log.reader != self.number {
            return Poll::Ready(StreamStep::Leave);
        }
        if !self.repeated.is_empty() {
            return Poll::Ready(StreamStep::Send(std::mem::take(&mut self.repeated)));
        }
        if log.ended {
            return Poll::Ready(StreamStep::Leave);
        }
        loop {
            let Poll::Ready(frame) = stream.outbox.poll_frame(context) else {
                return Poll::Pending;
            };
            let Some(frame) = frame else {
                log.ended = true;
                log.replay.end();
                return Poll::Ready(StreamStep::Leave);
            };
            if let Some(step) = stream.step(&mut log, &frame) {
                return Poll::Ready(step);
            }
        }
    }
}

/// The number of the stream that belongs to no request.
const STANDING: u64 = 0;

/// The streams of one session, the standing one apart.
#[derive(Debug)]
pub(crate) struct Streams {
    standing: Arc<LegacyStream>,
    open: Mutex<Numbered>,
    limits: SessionLimits,
    ids: EventIds,
    replay: Arc<Replay>,
}

#[derive(Debug, Default)]
struct Numbered {
    last: u64,
    streams: BTreeMap<u64, Arc<LegacyStream>>,
}

impl Streams {
    pub(crate) fn new(
        main: Arc<Outbox>,
        limits: &SessionLimits,
        form: EventIdForm,
        replay: &Arc<Replay>,
    ) -> Self {
        let (ids, polling) = (EventIds::new(form), PollingSupport::Unknown);
        let standing = LegacyStream::new(STANDING, main, polling, limits, ids.clone(), replay);
        let replay = Arc::clone(replay);
        Self { standing, open: Mutex::default(), limits: limits.clone(), ids, replay }
    }

    /// The stream for messages that belong to no request.
    pub(crate) fn standing(&self) -> &Arc<LegacyStream> {
        &self.standing
    }

    /// A stream for one exchange. The oldest beyond the bound can no longer be resumed.
    pub(crate) fn open(&self, outbox: Arc<Outbox>, polling: PollingSupport) -> Arc<LegacyStream> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.last += 1;
        let number = open.last;
        let ids = self.ids.clone();
        let stream = LegacyStream::new(number, outbox, polling, &self.limits, ids, &self.replay);
        open.streams.insert(number, Arc::clone(&stream));
        while open.streams.len() > self.limits.streams {
            open.streams.pop_first();
        }
        stream
    }

    /// Takes up the stream that `Last-Event-ID` names.
    pub(crate) fn resume(&self, last_event_id: &str) -> Result<Reader, ResumeError> {
        match &self.ids {
            EventIds::StreamAndNumber => self.resume_stream(last_event_id),
            EventIds::Numbered(_) => self.resume_numbered(last_event_id),
        }
    }

    /// Asks each stream whether the event was its own: a session has few.
    fn resume_numbered(&self, last_event_id: &str) -> Result<Reader, ResumeError> {
        let number = EventIds::parse_numbered(last_event_id).ok_or(ResumeError::Gone)?;
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let streams: Vec<_> = open.streams.values().cloned().collect();
        drop(open);
        let mut streams = std::iter::once(&self.standing).chain(&streams);
        let found = streams.find_map(|stream| match stream.resume(number) {
            Err(ResumeError::Gone) => None,
            taken_up => Some(taken_up),
        });
        found.unwrap_or(Err(ResumeError::Gone))
    }

    fn resume_stream(&self, last_event_id: &str) -> Result<Reader, ResumeError> {
        let (stream, event) = last_event_id.split_once('-').ok_or(ResumeError::Gone)?;
        let stream: u64 = stream.parse().map_err(|_| ResumeError::Gone)?;
        let event: u64 = event.parse().map_err(|_| ResumeError::Gone)?;
        if stream == STANDING {
            return self.standing.resume(event);
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.streams.get(&stream).cloned();
        drop(open);
        found.ok_or(ResumeError::Gone)?.resume(event)
    }
}
