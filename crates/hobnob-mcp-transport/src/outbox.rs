//! The queue of frames towards one reader: the writer of a pipe, or the body of one response.
//!
//! Answers are always accepted; a caller that lets a peer cause answers checks the
//! [backlog](Outbox::backlog) and stops listening to a peer that does not read.
//! Notes are bounded in bytes and number. A note that supersedes an older one takes its place;
//! beyond the bounds the queue does what its [`Overflow`] says.
//! Events are always accepted too: their sender counts them with a [`FrameHold`] and waits.

use crate::frame_hold::FrameHold;
use crate::sync::{AtomicWaker, Condvar, Mutex, MutexGuard, PoisonError};
use bytes::Bytes;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

/// How a frame is to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// The answer to a request; on HTTP the last frame of its stream.
    Reply(Option<Fault>),
    /// A request of the server to the client.
    Ask,
    /// A notification, which may be merged or dropped when the reader is slow.
    Note,
    /// An item of a stream, never merged or dropped: its sender waits when the reader is slow.
    Event,
    /// Not a message: the reader of a resumable stream may disconnect for this long.
    Pause(std::time::Duration),
}

/// An error answer that HTTP must also show in its status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The message itself is wrong.
    BadRequest,
    /// The method does not exist.
    NotFound,
    /// The server is overloaded; the client may try again later.
    Busy,
}

/// One encoded message, without any framing.
#[derive(Debug, Clone)]
pub struct Frame {
    /// How the frame is to be delivered.
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

/// Whether a note may replace an older one that still waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Every one counts: it is delivered or dropped, but never replaced.
    Never,
    /// A newer note with this key always replaces the older one: both say the same thing.
    Always(Box<str>),
    /// A newer note with this key replaces the older one once the reader falls behind.
    WhenBehind(Box<str>),
}

/// What happens to a note that exceeds the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest note is dropped, and counted.
    DropOldest,
    /// The reader is too slow: the queue is closed.
    Cut,
}

/// The limits of an [`Outbox`].
#[derive(Debug, Clone, Copy)]
pub struct OutboxLimits {
    /// The maximum number of bytes of waiting notes, and of one note.
    pub bytes: usize,
    /// The maximum number of waiting notes.
    pub frames: usize,
    /// What happens when a note exceeds these limits.
    pub overflow: Overflow,
}

impl Default for OutboxLimits {
    fn default() -> Self {
        Self { bytes: 1 << 20, frames: 1024, overflow: Overflow::DropOldest }
    }
}

/// Observes the messages to one reader. The code that sends them calls it, so that answers that are
/// written without the queue are observed too.
pub trait SentMessages: fmt::Debug + Send + Sync {
    /// A message is sent or queued.
    fn sent(&self, text: &str);
}

/// The queue. One reader, any number of writers.
#[derive(Debug)]
pub struct Outbox {
    limits: OutboxLimits,
    /// Observes the messages to this reader; empty until a server sets it.
    pub observer: OnceLock<Arc<dyn SentMessages>>,
    state: Mutex<State>,
    reader: AtomicWaker,
    /// The task that waits for the queue to be closed.
    watcher: AtomicWaker,
    /// Threads that wait for the reader to catch up.
    caught_up: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Frame>,
    note_bytes: usize,
    notes: usize,
    /// The estimated memory of all frames except notes.
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
    /// No more frames will be added; the waiting ones are still delivered.
    Finished,
    /// The reader is gone; all waiting frames were dropped.
    Closed,
}

impl Outbox {
    /// An empty queue that is open until [`Self::finish`] or [`Self::close`].
    pub fn new(limits: OutboxLimits) -> Self {
        Self {
            limits,
            observer: OnceLock::new(),
            state: Mutex::default(),
            reader: AtomicWaker::new(),
            watcher: AtomicWaker::new(),
            caught_up: Condvar::new(),
        }
    }

    /// Queues an answer, beyond all limits; `fault` is for the status line of HTTP.
    pub fn reply(&self, text: impl Into<Bytes>, fault: Option<Fault>) {
        self.put(Frame::reply(text, fault));
    }

    /// Queues a request to the client.
    pub fn ask(&self, text: impl Into<Bytes>) {
        self.put(Frame::new(FrameKind::Ask, text));
    }

    /// Queues an item of a stream, beyond all limits: the sender bounds how many wait, and learns
    /// from the drop of `hold` that the reader has taken this one.
    pub fn event(&self, text: impl Into<Bytes>, hold: FrameHold) {
        self.put(Frame { _hold: Some(hold), ..Frame::new(FrameKind::Event, text) });
    }

    /// Queues a note, or puts it in the place of the one it supersedes.
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
            // Replace the newest match, so that what the reader sees never goes backwards.
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

    /// Queues a note only if it fits without dropping another one, and returns whether it did. For
    /// notes that the reader can get in another way, and that would push out all others.
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

    /// Tells the reader of a resumable stream to disconnect for a while; for such readers only.
    pub fn pause(&self, retry: std::time::Duration) {
        self.put(Frame::new(FrameKind::Pause(retry), Bytes::new()));
    }

    /// Ends the queue: the reader stops after the frames that wait.
    pub fn finish(&self) {
        let mut state = self.lock();
        if state.end == End::Open {
            state.end = End::Finished;
        }
        let waited_for = std::mem::take(&mut state.waited_for);
        drop(state);
        self.reader.wake();
        // `notify_all` is a system call even if no thread waits.
        if waited_for {
            self.caught_up.notify_all();
        }
    }

    /// Closes the queue and drops what waits: the reader is gone, or must go.
    pub fn close(&self) {
        self.lock().close();
        self.reader.wake();
        self.watcher.wake();
        self.caught_up.notify_all();
    }

    /// Whether the queue is closed, so that nothing will be read from it any more.
    pub fn is_closed(&self) -> bool {
        self.lock().end == End::Closed
    }

    /// Whether no frame waits for the reader.
    pub fn is_empty(&self) -> bool {
        self.lock().queue.is_empty()
    }

    /// How many notes were dropped so far.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// The estimated bytes of the frames, except notes, that the reader has not taken yet.
    pub fn backlog(&self) -> usize {
        self.lock().backlog
    }

    /// Blocks this thread until the backlog is at most `bytes`, or the queue has ended.
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
        // A frame may have been queued between the check and the registration.
        self.next()
    }

    /// Ready with `true` when a frame waits, or with `false` when none will come any more.
    pub fn poll_waiting(&self, context: &mut Context<'_>) -> Poll<bool> {
        if let ready @ Poll::Ready(_) = self.waiting() {
            return ready;
        }
        self.reader.register(context.waker());
        // A frame may have been queued between the check and the registration.
        self.waiting()
    }

    /// The next frame, or `None` if none waits right now.
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

    /// Wakes the reader without a new frame, so that it checks another condition.
    pub fn wake_reader(&self) {
        self.reader.wake();
    }

    /// Waits until the queue is closed.
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
        // `notify_all` is a system call even if no thread waits.
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
        // A panic under the lock cannot leave the queue half changed in a way that matters.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An estimate of the memory a frame takes: a small answer takes more than its text.
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
