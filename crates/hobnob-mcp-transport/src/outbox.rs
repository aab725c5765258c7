//! The queue of frames towards one reader: the writer of a pipe, or the body of one response.
//!
//! Answers are always taken; whoever lets a peer cause them looks at the [backlog](Outbox::backlog)
//! and stops listening to a peer that does not read.
//! Notes are bounded in bytes and number. A note that makes an older one worthless takes its
//! place; past the bound the queue does what its [`Overflow`] says.
//! Events are always taken too: whoever sends them counts them with a [`FrameHold`] and waits.

use crate::frame_hold::FrameHold;
use crate::sync::{AtomicWaker, Condvar, Mutex, MutexGuard, PoisonError};
use bytes::Bytes;
use std::collections::VecDeque;
use std::task::{Context, Poll};

/// What a frame is to the one who delivers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// The answer to a request; on HTTP the last frame of its stream.
    Reply(Option<Fault>),
    /// A request of ours to the client.
    Ask,
    /// A notification, which may be merged or dropped when the reader is slow.
    Note,
    /// An item of a stream, which is neither: its sender waits when the reader is slow.
    Event,
    /// No message: the reader of a resumable stream may leave and come back after a while.
    Pause(std::time::Duration),
}

/// An answer that HTTP must also show in its status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The message itself is wrong.
    BadRequest,
    /// The method does not exist.
    NotFound,
    /// Too much at once; try again later.
    Busy,
}

/// One message, encoded, without any framing.
#[derive(Debug, Clone)]
pub struct Frame {
    /// What it is to the one who delivers it.
    pub kind: FrameKind,
    /// One JSON-RPC message; empty for [`FrameKind::Pause`].
    pub bytes: Bytes,
    merge: Merge,
    _hold: Option<FrameHold>,
}

impl Frame {
    /// An answer; `fault` is for the status line of HTTP.
    pub fn reply(text: impl Into<Bytes>, fault: Option<Fault>) -> Self {
        Self::new(FrameKind::Reply(fault), text)
    }

    fn new(kind: FrameKind, text: impl Into<Bytes>) -> Self {
        Self { kind, bytes: text.into(), merge: Merge::Never, _hold: None }
    }
}

/// Whether a note may take the place of an older one that still waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Every one counts: it is delivered or dropped, but never replaced.
    Never,
    /// Notes with this key say the same thing.
    Always(Box<str>),
    /// A newer note with this key makes the older one worthless, once the reader falls behind.
    WhenBehind(Box<str>),
}

/// What happens when a note no longer fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest note goes, and is counted.
    DropOldest,
    /// The reader is too slow to be served: it is cut off.
    Cut,
}

/// How much may wait.
#[derive(Debug, Clone, Copy)]
pub struct OutboxLimits {
    /// Bytes of notes that may wait; one note may not be larger either.
    pub bytes: usize,
    /// Number of notes that may wait.
    pub frames: usize,
    /// What happens to a note beyond these limits.
    pub overflow: Overflow,
}

impl Default for OutboxLimits {
    fn default() -> Self {
        Self { bytes: 1 << 20, frames: 1024, overflow: Overflow::DropOldest }
    }
}

/// The queue. One reader, any number of writers.
#[derive(Debug)]
pub struct Outbox {
    limits: OutboxLimits,
    state: Mutex<State>,
    reader: AtomicWaker,
    /// Whoever waits for the reader to go.
    watcher: AtomicWaker,
    /// Threads that wait for the reader to catch up.
    caught_up: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Frame>,
    note_bytes: usize,
    notes: usize,
    /// What everything but notes takes in memory.
    backlog: usize,
    /// Whether a thread waits for the reader to catch up.
    waited_for: bool,
    dropped: u64,
    end: End,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum End {
    #[default]
    Open,
    /// Nothing more will be put in; what waits is still delivered.
    Finished,
    /// The reader is gone; everything that waited was dropped.
    Closed,
}

impl Outbox {
    /// An empty queue that is open until [`Self::finish`] or [`Self::close`].
    pub fn new(limits: OutboxLimits) -> Self {
        Self {
            limits,
            state: Mutex::default(),
            reader: AtomicWaker::new(),
            watcher: AtomicWaker::new(),
            caught_up: Condvar::new(),
        }
    }

    /// Queues an answer, whatever the limits say; `fault` is for the status line of HTTP.
    pub fn reply(&self, text: impl Into<Bytes>, fault: Option<Fault>) {
        self.put(Frame::reply(text, fault));
    }

    /// Queues a request of ours.
    pub fn ask(&self, text: impl Into<Bytes>) {
        self.put(Frame::new(FrameKind::Ask, text));
    }

    /// Queues an item of a stream, whatever the limits say: its sender bounds what waits, and learns
    /// from the end of `hold` that the reader has taken it.
    pub fn event(&self, text: impl Into<Bytes>, hold: FrameHold) {
        self.put(Frame { _hold: Some(hold), ..Frame::new(FrameKind::Event, text) });
    }

    /// Queues a note, or replaces the one it makes worthless.
    pub fn note(&self, text: impl Into<Bytes>, merge: Merge) {
        let mut state = self.lock();
        if state.end != End::Open {
            return;
        }
        let bytes = text.into();
        if bytes.len() > self.limits.bytes {
            // It alone would push out everything else.
            state.dropped += 1;
            return;
        }
        let merges = match &merge {
            Merge::Never => false,
            Merge::Always(_) => true,
            Merge::WhenBehind(_) => {
                state.notes > self.limits.frames / 8 || state.note_bytes > self.limits.bytes / 8
            }
        };
        let frame = Frame { merge, ..Frame::new(FrameKind::Note, bytes) };
        if merges {
            let same = |waiting: &&mut Frame| waiting.merge == frame.merge;
            // The newest of them, so that what the reader sees never goes backwards.
            if let Some(waiting) = state.queue.iter_mut().rev().find(same) {
                let before = std::mem::replace(&mut waiting.bytes, frame.bytes.clone()).len();
                state.note_bytes = state.note_bytes + frame.bytes.len() - before;
                return;
            }
        }
        state.notes += 1;
        state.note_bytes += frame.bytes.len();
        state.queue.push_back(frame);
        while state.notes > self.limits.frames || state.note_bytes > self.limits.bytes {
            match self.limits.overflow {
                Overflow::Cut => {
                    state.close();
                    break;
                }
                Overflow::DropOldest => state.drop_oldest_note(),
            }
        }
        let cut = state.end == End::Closed;
        drop(state);
        self.reader.wake();
        if cut {
            self.watcher.wake();
            self.caught_up.notify_all();
        }
    }

    /// Queues a note only if it fits without pushing out another; whether it does. For what can be
    /// had otherwise, and comes in such amounts that it would push out everything else.
    pub fn note_if_room(&self, text: impl Into<Bytes>) -> bool {
        let mut state = self.lock();
        let bytes = text.into();
        let fits = state.end == End::Open
            && state.notes < self.limits.frames
            && state.note_bytes + bytes.len() <= self.limits.bytes;
        if !fits {
            state.dropped += 1;
            return false;
        }
        state.notes += 1;
        state.note_bytes += bytes.len();
        state.queue.push_back(Frame::new(FrameKind::Note, bytes));
        drop(state);
        self.reader.wake();
        true
    }

    /// Lets the reader of a resumable stream go for a while; only such a reader may see this.
    pub fn pause(&self, retry: std::time::Duration) {
        self.put(Frame::new(FrameKind::Pause(retry), Bytes::new()));
    }

    /// Nothing more will come; the reader ends after what waits.
    pub fn finish(&self) {
        let mut state = self.lock();
        if state.end == End::Open {
            state.end = End::Finished;
        }
        let waited_for = std::mem::take(&mut state.waited_for);
        drop(state);
        self.reader.wake();
        // Waking nobody would still be a call to the system.
        if waited_for {
            self.caught_up.notify_all();
        }
    }

    /// The reader is gone, or must go.
    pub fn close(&self) {
        self.lock().close();
        self.reader.wake();
        self.watcher.wake();
        self.caught_up.notify_all();
    }

    /// Whether nobody will read any more.
    pub fn is_closed(&self) -> bool {
        self.lock().end == End::Closed
    }

    /// Whether nothing waits for the reader.
    pub fn is_empty(&self) -> bool {
        self.lock().queue.is_empty()
    }

    /// How many notes had to be dropped so far.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// Memory, in bytes, of the answers and questions that the reader has not taken yet.
    pub fn backlog(&self) -> usize {
        self.lock().backlog
    }

    /// Blocks this thread until the reader has taken all but that many bytes, or is gone.
    pub fn wait_below(&self, bytes: usize) {
        let mut state = self.lock();
        while state.backlog > bytes && state.end == End::Open {
            state.waited_for = true;
            state = self.caught_up.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next frame; `None` after the end.
    pub fn poll_frame(&self, context: &mut Context<'_>) -> Poll<Option<Frame>> {
        if let ready @ Poll::Ready(_) = self.next() {
            return ready;
        }
        self.reader.register(context.waker());
        // A frame may have been put between the look and the registration.
        self.next()
    }

    /// Ready when a frame waits, or, with `false`, when none ever will.
    pub fn poll_waiting(&self, context: &mut Context<'_>) -> Poll<bool> {
        if let ready @ Poll::Ready(_) = self.waiting() {
            return ready;
        }
        self.reader.register(context.waker());
        // A frame may have been put between the look and the registration.
        self.waiting()
    }

    /// The next frame, or nothing if none waits right now.
    pub fn try_frame(&self) -> Option<Frame> {
        match self.next() {
            Poll::Ready(frame) => frame,
            Poll::Pending => None,
        }
    }

    /// Waits for the next frame.
    pub async fn frame(&self) -> Option<Frame> {
        std::future::poll_fn(|context| self.poll_frame(context)).await
    }

    /// Wakes the reader although no frame was put, so that it looks at something else it waits for.
    pub fn wake_reader(&self) {
        self.reader.wake();
    }

    /// Waits until nobody will read any more.
    pub async fn closed(&self) {
        let notified = std::future::poll_fn(|context| {
            if self.is_closed() {
                return Poll::Ready(());
            }
            self.watcher.register(context.waker());
            if self.is_closed() { Poll::Ready(()) } else { Poll::Pending }
        });
        notified.await;
    }

    fn waiting(&self) -> Poll<bool> {
        let state = self.lock();
        match (state.queue.is_empty(), state.end) {
            (false, _) => Poll::Ready(true),
            (true, End::Open) => Poll::Pending,
            (true, End::Finished | End::Closed) => Poll::Ready(false),
        }
    }

    fn next(&self) -> Poll<Option<Frame>> {
        let mut state = self.lock();
        let next = state.next();
        // Waking nobody would still be a call to the system.
        if std::mem::take(&mut state.waited_for) {
            self.caught_up.notify_all();
        }
        next
    }

    /// Queues a frame that is not a note.
    pub(crate) fn put(&self, frame: Frame) {
        let mut state = self.lock();
        if state.end == End::Open {
            state.backlog += weight(&frame);
            state.queue.push_back(frame);
            drop(state);
            self.reader.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while holding the lock cannot leave the queue half changed in a way that matters.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a frame takes in memory, roughly: a small answer takes more memory than its text.
fn weight(frame: &Frame) -> usize {
    frame.bytes.len().max(256) + 64
}

impl State {
    fn next(&mut self) -> Poll<Option<Frame>> {
        match self.queue.pop_front() {
            Some(frame) => {
                if frame.kind == FrameKind::Note {
                    self.notes -= 1;
                    self.note_bytes -= frame.bytes.len();
                } else {
                    self.backlog -= weight(&frame);
                }
                Poll::Ready(Some(frame))
            }
            None if self.end == End::Open => Poll::Pending,
            None => Poll::Ready(None),
        }
    }

    fn drop_oldest_note(&mut self) {
        let Some(place) = self.queue.iter().position(|frame| frame.kind == FrameKind::Note) else {
            return;
        };
        if let Some(frame) = self.queue.remove(place) {
            self.notes -= 1;
            self.note_bytes -= frame.bytes.len();
            self.dropped += 1;
        }
    }

    fn close(&mut self) {
        *self = Self { end: End::Closed, dropped: self.dropped, ..Self::default() };
    }
}
