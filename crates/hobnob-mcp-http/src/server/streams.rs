//! Resumable streams of a legacy session.
//!
//! An outbox has one reader at a time; a stream numbers the frames that the reader takes and stores
//! them for a while, so that another reader can resume after any event that is still stored.

use crate::server::event_ids::EventIds;
use crate::server::options::SessionLimits;
use crate::server::replay::{Replay, ReplayLog};
use bytes::Bytes;
use hobnob_mcp_server::EventIdForm;
use hobnob_mcp_transport::{Frame, FrameKind, Outbox};
use hobnob_web_client::sse::OutgoingEvent;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll};

/// One stream: an outbox, and the events that were recently read from it.
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

/// Whether the client understands that a stream may close before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PollingSupport {
    /// The client would take that for a broken call, so pauses are skipped.
    Unknown,
    /// The client reconnects (since 2025-11-25).
    Known,
}

/// Why a stream cannot be resumed where the client left it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResumeError {
    /// The stream has ended and the client has seen all of it.
    Over,
    /// The stream is unknown, or events after that one are no longer stored.
    Gone,
}

/// What a reader does next.
pub(crate) enum StreamStep {
    /// Sends this event and waits for the next one.
    Send(Bytes),
    /// Sends this event and closes; the client reconnects.
    SendAndLeave(Bytes),
    /// Closes: the stream is over, or another reader has taken it over.
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

    /// Creates the first reader; `frame` was taken from the outbox to choose the kind of answer.
    pub(crate) fn begin(self: &Arc<Self>, frame: &Frame) -> (Reader, Option<StreamStep>) {
        let mut log = self.log.lock();
        // An empty event gives newer clients an id to resume from; older ones would try to read it
        // as a message. A pause is such an event itself.
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

    /// Creates a reader for the events from now on.
    pub(crate) fn attach(self: &Arc<Self>) -> Reader {
        self.take_over(&mut self.log.lock(), Bytes::new())
    }

    /// Creates a reader for the events after this one. If they are no longer stored, the present
    /// reader stays.
    pub(crate) fn resume(self: &Arc<Self>, after: u64) -> Result<Reader, ResumeError> {
        let mut log = self.log.lock();
        if log.ended && after.checked_add(1) == Some(log.next) {
            // With this id the client says that it has read everything.
            log.replay.clear();
            return Err(ResumeError::Over);
        }
        // Copied now, since later it may have been dropped for another stream.
        let repeated = log.replay.after(after).ok_or(ResumeError::Gone)?;
        Ok(self.take_over(&mut log, repeated))
    }

    fn take_over(self: &Arc<Self>, log: &mut Log, repeated: Bytes) -> Reader {
        log.reader += 1;
        // Wakes the present reader, which finds that it has been replaced.
        self.outbox.wake_reader();
        Reader { stream: Arc::clone(self), number: log.reader, repeated }
    }

    /// Turns a frame into the next event; `None` for a pause that the client would not understand.
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
}

/// Reads a stream until another reader takes it over.
#[derive(Debug)]
pub(crate) struct Reader {
    stream: Arc<LegacyStream>,
    number: u64,
    /// The events to repeat before any new ones.
    repeated: Bytes,
}

impl Reader {
    /// Whether this is the stream for messages that belong to no request.
    pub(crate) fn is_standing(&self) -> bool {
        self.stream.number == STANDING
    }

    pub(crate) fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<StreamStep> {
        let stream = &self.stream;
        // Held while the outbox is polled. Otherwise a new reader could take over in between, and
        // its frame would go to this reader, or this reader's waker would replace its own.
        let mut log = stream.log.lock();
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

/// The number of the stream for messages that belong to no request.
const STANDING: u64 = 0;

/// The streams of one session: the standing stream, and those of exchanges.
#[derive(Debug)]
pub(crate) struct Streams {
    standing: Arc<LegacyStream>,
    open: Mutex<OpenStreams>,
    limits: SessionLimits,
    ids: EventIds,
    replay: Arc<Replay>,
}

#[derive(Debug, Default)]
struct OpenStreams {
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

    /// Creates a stream for one exchange. Beyond the limit, the oldest can no longer be resumed.
    pub(crate) fn open(&self, outbox: Arc<Outbox>, polling: PollingSupport) -> Arc<LegacyStream> {
        let mut open = self.open.lock();
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

    /// Resumes the stream that `Last-Event-ID` names.
    pub(crate) fn resume(&self, last_event_id: &str) -> Result<Reader, ResumeError> {
        match &self.ids {
            EventIds::StreamAndNumber => self.resume_stream(last_event_id),
            EventIds::Numbered(_) => self.resume_numbered(last_event_id),
        }
    }

    /// Tries each stream, since the id does not name one; a session has few.
    fn resume_numbered(&self, last_event_id: &str) -> Result<Reader, ResumeError> {
        let number = EventIds::parse_numbered(last_event_id).ok_or(ResumeError::Gone)?;
        let open = self.open.lock();
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
        let open = self.open.lock();
        let found = open.streams.get(&stream).cloned();
        drop(open);
        found.ok_or(ResumeError::Gone)?.resume(event)
    }
}
