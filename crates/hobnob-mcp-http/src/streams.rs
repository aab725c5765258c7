//! Streams of a legacy session that can be left and taken up again.
//!
//! An outbox has one reader at a time; a stream numbers what the reader took and keeps it for a
//! while, so that another reader can go on from any event that is still there.

use crate::options::SessionLimits;
use crate::sse::Outgoing;
use bytes::{Bytes, BytesMut};
use mcp_transport::{Frame, Kind, Outbox};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// One stream: an outbox, and what was read from it lately.
#[derive(Debug)]
pub(crate) struct LegacyStream {
    number: u64,
    outbox: Arc<Outbox>,
    polling: Polling,
    limits: SessionLimits,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    /// The number of the next event.
    next: u64,
    /// The newest events, oldest first.
    kept: VecDeque<(u64, Bytes)>,
    bytes: usize,
    /// Counts readers; only the newest may read.
    reader: u64,
    ended: bool,
}

/// Whether the client knows that it may be sent away before the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Polling {
    /// It would take that for a broken call; so pauses are skipped.
    Unknown,
    /// It comes back (since 2025-11-25).
    Known,
}

/// Why a stream cannot be taken up where the client left it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It has ended and the client has seen it all.
    Over,
    /// It is unknown, or events after that one are no longer kept.
    Gone,
}

/// What a reader does next.
pub(crate) enum Step {
    /// Sends this.
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
        polling: Polling,
        limits: &SessionLimits,
    ) -> Arc<Self> {
        Arc::new(Self { number, outbox, polling, limits: limits.clone(), log: Mutex::default() })
    }

    /// Becomes the reader, from now on.
    pub(crate) fn attach(self: &Arc<Self>) -> Reader {
        let mut log = self.log();
        let from = log.next;
        self.take_over(&mut log, from)
    }

    /// Becomes the reader, from the event after this one. Whoever cannot be served from there
    /// displaces nobody.
    pub(crate) fn resume(self: &Arc<Self>, after: u64) -> Result<Reader, Lost> {
        let mut log = self.log();
        let first_kept = log.kept.front().map_or(log.next, |(number, _)| *number);
        if after >= log.next || after + 1 < first_kept {
            return Err(Lost::Gone);
        }
        if log.ended && after + 1 == log.next {
            return Err(Lost::Over);
        }
        Ok(self.take_over(&mut log, after + 1))
    }

    fn take_over(self: &Arc<Self>, log: &mut Log, from: u64) -> Reader {
        log.reader += 1;
        // The reader so far looks again, and finds that it is no longer the one.
        self.outbox.wake_reader();
        Reader { stream: Arc::clone(self), number: log.reader, from }
    }

    /// An event without a message: gives the client an id to come back with.
    pub(crate) fn prime(&self, retry_ms: Option<u64>) -> Bytes {
        self.log_event(&mut self.log(), b"", retry_ms)
    }

    /// A message as the stream's next event.
    pub(crate) fn message(&self, frame: &Frame) -> Bytes {
        self.log_event(&mut self.log(), &frame.bytes, None)
    }

    fn log_event(&self, log: &mut Log, data: &[u8], retry_ms: Option<u64>) -> Bytes {
        let number = log.next;
        log.next += 1;
        let id = format!("{}-{number}", self.number);
        let event = Outgoing { event: None, id: Some(&id), retry_ms, data }.to_bytes();
        log.bytes += event.len();
        log.kept.push_back((number, event.clone()));
        while log.kept.len() > self.limits.events || log.bytes > self.limits.event_bytes {
            let Some((_, oldest)) = log.kept.pop_front() else { break };
            log.bytes -= oldest.len();
        }
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
    /// The first event that may still have to be repeated.
    from: u64,
}

impl Reader {
    /// Counts events that were sent past this reader, so that they are not repeated.
    pub(crate) fn skip_to_now(&mut self) {
        self.from = self.stream.log().next;
    }

    /// Whether this is the stream for messages that belong to no request.
    pub(crate) fn is_standing(&self) -> bool {
        self.stream.number == STANDING
    }

    pub(crate) fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Step> {
        let stream = &self.stream;
        // Held while the outbox is looked at: whoever takes over in between would find its frame
        // sent to the reader before, or its waker replaced by that one's.
        let mut log = stream.log();
        if log.reader != self.number {
            return Poll::Ready(Step::Leave);
        }
        if self.from < log.next {
            let repeated = repeat(&log, self.from);
            self.from = log.next;
            return Poll::Ready(Step::Send(repeated));
        }
        if log.ended {
            return Poll::Ready(Step::Leave);
        }
        let step = loop {
            let Poll::Ready(frame) = stream.outbox.poll_frame(context) else {
                return Poll::Pending;
            };
            break match frame {
                None => {
                    log.ended = true;
                    Step::Leave
                }
                Some(Frame { kind: Kind::Pause(retry), .. }) => match stream.polling {
                    Polling::Unknown => continue,
                    Polling::Known => {
                        let retry = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
                        Step::SendAndLeave(stream.log_event(&mut log, b"", Some(retry)))
                    }
                },
                Some(frame) => Step::Send(stream.log_event(&mut log, &frame.bytes, None)),
            };
        };
        self.from = log.next;
        Poll::Ready(step)
    }
}

fn repeat(log: &Log, from: u64) -> Bytes {
    let mut all = BytesMut::new();
    for (_, event) in log.kept.iter().filter(|(number, _)| *number >= from) {
        all.extend_from_slice(event);
    }
    all.freeze()
}

/// The number of the stream that belongs to no request.
const STANDING: u64 = 0;

/// The streams of one session, the standing one apart.
#[derive(Debug)]
pub(crate) struct Streams {
    standing: Arc<LegacyStream>,
    open: Mutex<Numbered>,
    limits: SessionLimits,
}

#[derive(Debug, Default)]
struct Numbered {
    last: u64,
    streams: BTreeMap<u64, Arc<LegacyStream>>,
}

impl Streams {
    pub(crate) fn new(main: Arc<Outbox>, limits: &SessionLimits) -> Self {
        let standing = LegacyStream::new(STANDING, main, Polling::Unknown, limits);
        Self { standing, open: Mutex::default(), limits: limits.clone() }
    }

    /// The stream for messages that belong to no request.
    pub(crate) fn standing(&self) -> &Arc<LegacyStream> {
        &self.standing
    }

    /// A stream for one exchange. The oldest beyond the bound can no longer be resumed.
    pub(crate) fn open(&self, outbox: Arc<Outbox>, polling: Polling) -> Arc<LegacyStream> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.last += 1;
        let stream = LegacyStream::new(open.last, outbox, polling, &self.limits);
        let number = open.last;
        open.streams.insert(number, Arc::clone(&stream));
        while open.streams.len() > self.limits.streams {
            open.streams.pop_first();
        }
        stream
    }

    /// Takes up the stream that `Last-Event-ID` names.
    pub(crate) fn resume(&self, last_event_id: &str) -> Result<Reader, Lost> {
        let (stream, event) = last_event_id.split_once('-').ok_or(Lost::Gone)?;
        let stream: u64 = stream.parse().map_err(|_| Lost::Gone)?;
        let event: u64 = event.parse().map_err(|_| Lost::Gone)?;
        if stream == STANDING {
            return self.standing.resume(event);
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.streams.get(&stream).cloned();
        drop(open);
        found.ok_or(Lost::Gone)?.resume(event)
    }
}
