//! Lines that wait for the audit log's writer thread, bounded in bytes.
//!
//! Callers add lines and never wait for the disk here; the thread takes all lines at once. It is
//! woken only if it is idle, or if a caller waits for its line: in a busy log no other call pays
//! for a thread switch.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::fmt;
use std::time::{Duration, Instant};

use super::stream::AuditStream;
use super::write_error::AuditWriteError;

/// Maximum number of bytes of each stream that may wait for the disk.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Called when the lines are on the disk, or cannot be written.
pub type WrittenCallback = Box<dyn FnOnce(Result<(), AuditWriteError>) + Send>;

/// A caller that waits until its line is on the disk.
pub(super) struct Reply {
    /// The stream of the line; `None` for a flush of both.
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

/// The lines that wait for the disk, and the callers that wait for them.
#[derive(Debug, Default)]
pub(super) struct AuditQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Waiting,
    closed: bool,
    /// Whether a line must wake the thread; it need not while the thread writes or pauses.
    idle: bool,
}

/// The batch that the thread takes at once.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// The lines of calls, each with its line break.
    pub(super) calls: String,
    pub(super) call_lines: u64,
    pub(super) decisions: Vec<DecisionLine>,
    pub(super) replies: Vec<Reply>,
}

/// A line about what a person decided.
#[derive(Debug)]
pub(super) struct DecisionLine {
    /// The JSON of the line, with its line break.
    pub(super) text: String,
    pub(super) unwritten: Unwritten,
}

/// What happens to a decision that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unwritten {
    /// It takes effect anyway, so the log keeps it until it can be written.
    Keep,
    /// It does not take effect.
    Forget,
}

/// The queue is full, or closed; gives the reply back.
#[derive(Debug)]
pub(super) struct NotTaken(pub(super) Option<Reply>);

impl AuditQueue {
    /// Adds a line about a call, with its line break.
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

    /// Asks for an answer once every line before it is written.
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

    /// Takes no more lines; the thread ends when it has written the waiting ones.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits until there are lines, or until `until`, and swaps them into `taken`, which must be
    /// empty: its buffers hold the next lines. Returns whether more lines may follow.
    pub(super) fn take(&self, taken: &mut Waiting, until: Option<Instant>) -> bool {
        let mut state = self.lock();
        state.idle = true;
        while state.waiting.is_empty() && !state.closed {
            let Some(until) = until else {
                self.changed.wait(&mut state);
                continue;
            };
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        state.idle = false;
        std::mem::swap(&mut state.waiting, taken);
        !state.closed
    }

    /// Sleeps for `length`, unless a caller waits for its line or the queue is closed.
    pub(super) fn pause(&self, length: Duration) {
        let waits = |state: &mut State| !state.closed && state.waiting.replies.is_empty();
        self.changed.wait_while_for(&mut self.lock(), waits, length);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.decisions.is_empty() && self.replies.is_empty()
    }
}
