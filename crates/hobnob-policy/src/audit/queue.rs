//! Lines that wait for the audit log's thread, bounded in bytes.
//!
//! Callers add lines and never wait for the disk here; the thread takes all of them at once. It is woken
//! only if it has nothing to do, or if a caller waits for its line: in a busy log no other call pays for
//! a switch of threads.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::stream::AuditStream;
use super::write_error::AuditWriteError;

/// Bytes of each stream that may wait for the disk.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// What is done when lines are on the disk, or cannot be.
pub type WrittenCallback = Box<dyn FnOnce(Result<(), AuditWriteError>) + Send>;

/// A caller that waits for what it has added.
pub(super) struct Reply {
    /// The stream it added something to; both for a flush.
    pub(super) stream: Option<AuditStream>,
    pub(super) then: WrittenCallback,
}

impl Reply {
    pub(super) fn is_about(&self, stream: AuditStream) -> bool {
        self.stream.is_none_or(|about| about == stream)
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Reply").field("stream", &self.stream).finish_non_exhaustive()
    }
}

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
    /// The lines of calls, each with its end.
    pub(super) calls: String,
    pub(super) call_lines: u64,
    pub(super) decisions: Vec<DecisionLine>,
    pub(super) replies: Vec<Reply>,
}

/// A line about what a person decided.
#[derive(Debug)]
pub(super) struct DecisionLine {
    /// The JSON of the line, with the line break at its end.
    pub(super) text: String,
    pub(super) unwritten: Unwritten,
}

/// What becomes of a decision that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unwritten {
    /// It takes effect all the same, so it is written as soon as it can be.
    Keep,
    /// It does not take effect.
    Forget,
}

/// There is no room for another line, or no thread that would write it.
#[derive(Debug)]
pub(super) struct NotTaken(pub(super) Option<Reply>);

impl AuditQueue {
    /// Adds a line about a call, with its end.
    pub(super) fn push_call(&self, line: &str, reply: Option<Reply>) -> Result<(), NotTaken> {
        self.push(reply, |waiting| {
            let fits = waiting.calls.len() + line.len() <= MAX_BYTES;
            if fits {
                waiting.calls.push_str(line);
                waiting.call_lines += 1;
            }
            fits
        })
    }

    /// Adds a line about a decision.
    pub(super) fn push_decision(
        &self,
        line: DecisionLine,
        reply: Option<Reply>,
    ) -> Result<(), NotTaken> {
        self.push(reply, |waiting| {
            let bytes =
                |lines: &[DecisionLine]| lines.iter().map(|it| it.text.len()).sum::<usize>();
            let fits = bytes(&waiting.decisions) + line.text.len() <= MAX_BYTES;
            if fits {
                waiting.decisions.push(line);
            }
            fits
        })
    }

    /// Asks for an answer when everything before it is written.
    pub(super) fn flush(&self, reply: Reply) -> Result<(), NotTaken> {
        self.push(Some(reply), |_| true)
    }

    fn push(
        &self,
        reply: Option<Reply>,
        add: impl FnOnce(&mut Waiting) -> bool,
    ) -> Result<(), NotTaken> {
        let mut state = self.lock();
        if state.closed || !add(&mut state.waiting) {
            return Err(NotTaken(reply));
        }
        let wake = state.idle || reply.is_some();
        state.waiting.replies.extend(reply);
        drop(state);
        if wake {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Nothing more is taken; the thread ends when it has written what waits.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits until there is something to do, at most until then, and puts it into `taken`, which must
    /// be empty: its room is used for the lines that come next. Whether there may be more after it.
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

    /// Waits that long, unless a caller waits for its line or for the end.
    pub(super) fn pause(&self, length: Duration) {
        let urgent = |state: &State| state.closed || !state.waiting.replies.is_empty();
        let paused = self.changed.wait_timeout_while(self.lock(), length, |state| !urgent(state));
        drop(paused);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.decisions.is_empty() && self.replies.is_empty()
    }
}
