//! Lines that wait for the audit log's thread: one text, bounded in bytes.
//!
//! Callers add lines and never wait for the disk; the thread takes all of them at once. It is woken
//! only if it has nothing to do: in a busy log no call pays for a switch of threads.

use std::sync::mpsc::SyncSender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that may wait for the disk.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Where the answer to a flush goes.
pub(super) type FlushReply = SyncSender<Result<(), String>>;

/// The lines that wait for the disk, and who is told of them.
#[derive(Debug, Default)]
pub(super) struct AuditQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Waiting,
    closed: bool,
    /// Whether a line must wake the thread; while it writes or pauses, it need not.
    idle: bool,
}

/// What the thread takes at once.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) text: String,
    pub(super) lines: u64,
    pub(super) flushes: Vec<FlushReply>,
}

/// There is no room for another line, or nobody would write it.
pub(super) struct NotTaken;

impl AuditQueue {
    /// Adds a line, with its end.
    pub(super) fn push(&self, line: &str) -> Result<(), NotTaken> {
        let mut state = self.lock();
        if state.closed || MAX_BYTES < state.waiting.text.len() + line.len() {
            return Err(NotTaken);
        }
        state.waiting.text.push_str(line);
        state.waiting.lines += 1;
        let wake = state.idle;
        drop(state);
        if wake {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Asks for an answer when everything before it is written.
    pub(super) fn flush(&self, reply: FlushReply) -> Result<(), NotTaken> {
        let mut state = self.lock();
        if state.closed {
            return Err(NotTaken);
        }
        state.waiting.flushes.push(reply);
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Nothing more is taken; the thread ends when it has written what waits.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits until there is something to do, at most until then, and puts it into `taken`, whose
    /// text must be empty: its room is used for the lines that come next. Whether there may be more
    /// after it.
    pub(super) fn take(&self, taken: &mut Waiting, until: Option<Instant>) -> bool {
        let mut state = self.lock();
        state.idle = true;
        while state.waiting.is_empty() && !state.closed {
            let Some(until) = until else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.idle = false;
        std::mem::swap(&mut state.waiting, taken);
        !state.closed
    }

    /// Waits that long, unless somebody asks for a flush or for the end.
    pub(super) fn pause(&self, length: Duration) {
        let urgent = |state: &State| state.closed || !state.waiting.flushes.is_empty();
        let paused = self.changed.wait_timeout_while(self.lock(), length, |state| !urgent(state));
        drop(paused);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.flushes.is_empty()
    }
}
