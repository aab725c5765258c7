//! The audit log's writer thread: takes the waiting lines, writes both streams, and answers the
//! callers that wait.
//!
//! A single call's line is written at once. After a write the thread pauses and collects lines, so
//! that in a busy log a call neither wakes it nor pays for a write of its own; lines of calls reach
//! the disk within a second. Decisions are on the disk before anything else is done. A decision
//! that takes effect although it cannot be written is kept until it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::queue::{AuditQueue, DecisionLine, MAX_BYTES, Unwritten, Waiting};
use super::record::write_lost;
use super::refusals::Refusals;
use super::stream::AuditStream;
use super::stream_writer::StreamWriter;
use super::write_error::AuditWriteError;

/// Bytes of buffer that are kept when the log is quiet again.
const KEPT_CAPACITY: usize = 64 * 1024;
/// How long the thread collects lines after a write.
const BATCH_DELAY: Duration = Duration::from_millis(5);
/// When decisions that could not be written are retried.
const RETRY_DELAY: Duration = Duration::from_secs(1);

pub(super) struct Writer {
    pub(super) calls: StreamWriter,
    pub(super) decisions: StreamWriter,
    pub(super) queue: Arc<AuditQueue>,
    pub(super) refusals: Arc<Refusals>,
    pub(super) lost: Arc<LostCounts>,
    /// Decisions that took effect and are not on the disk yet.
    pub(super) kept: KeptDecisions,
}

/// Records that were lost: the queue was full, or the disk refused them.
#[derive(Debug, Default)]
pub(super) struct LostCounts {
    pub(super) calls: AtomicU64,
    pub(super) decisions: AtomicU64,
}

/// Decisions that wait for the disk to work again.
#[derive(Debug, Default)]
pub(super) struct KeptDecisions {
    text: String,
    retry: Option<Instant>,
}

impl Writer {
    pub(super) fn run(&mut self) {
        let mut taken = Waiting::default();
        loop {
            let goes_on = self.queue.take(&mut taken, self.due());
            let is_past = |due: Option<Instant>| due.is_some_and(|due| due <= Instant::now());
            let asked = |stream| !goes_on || taken.replies.iter().any(|it| it.is_about(stream));
            let sync_calls = asked(AuditStream::Calls) || is_past(self.calls.sync_due());
            if asked(AuditStream::Calls) || is_past(self.refusals.due()) {
                taken.call_lines += self.add_refusals(&mut taken.calls);
            }
            let decisions = self.write_decisions(&mut taken.decisions);
            let written = self.write_calls(&mut taken.calls, taken.call_lines);
            taken.call_lines = 0;
            taken.calls.shrink_to(KEPT_CAPACITY);
            let calls = if sync_calls { written.and(self.calls.sync()) } else { written };
            for reply in taken.replies.drain(..) {
                let answer = match reply.stream {
                    Some(AuditStream::Calls) => calls.clone(),
                    Some(AuditStream::Decisions) => decisions.clone(),
                    None => decisions.clone().and(calls.clone()),
                };
                (reply.then)(answer);
            }
            if !goes_on {
                return;
            }
            self.queue.pause(BATCH_DELAY);
        }
    }

    /// The next time at which there is work even if no line comes.
    fn due(&self) -> Option<Instant> {
        let due = [self.refusals.due(), self.calls.sync_due(), self.kept.retry];
        due.into_iter().flatten().min()
    }

    fn add_refusals(&self, batch: &mut String) -> u64 {
        let lines = self.refusals.take();
        lines.iter().for_each(|line| batch.push_str(line));
        lines.len() as u64
    }

    fn write_calls(&mut self, batch: &mut String, count: u64) -> Result<(), AuditWriteError> {
        let lost = self.lost.calls.swap(0, Ordering::Relaxed);
        if 0 < lost {
            write_lost(batch, Timestamp::now(), lost);
        }
        if batch.is_empty() {
            return Ok(());
        }
        let written = self.calls.append(batch);
        if written.is_err() {
            self.lost.calls.fetch_add(lost + count, Ordering::Relaxed);
        }
        batch.clear();
        written
    }

    fn write_decisions(&mut self, lines: &mut Vec<DecisionLine>) -> Result<(), AuditWriteError> {
        let mut batch = std::mem::take(&mut self.kept.text);
        self.kept.retry = None;
        let earlier = batch.len();
        lines.iter().for_each(|line| batch.push_str(&line.text));
        let lost = self.lost.decisions.swap(0, Ordering::Relaxed);
        if 0 < lost {
            write_lost(&mut batch, Timestamp::now(), lost);
        }
        if batch.is_empty() {
            return self.decisions.sync();
        }
        let appended = self.decisions.append(&batch);
        if appended.is_err() {
            self.lost.decisions.fetch_add(lost, Ordering::Relaxed);
            batch.truncate(earlier);
            self.kept = KeptDecisions { text: batch, retry: Some(Instant::now() + RETRY_DELAY) };
            for line in lines.iter().filter(|line| line.unwritten == Unwritten::Keep) {
                self.keep(&line.text);
            }
        }
        lines.clear();
        appended.and_then(|()| self.decisions.sync())
    }

    fn keep(&mut self, line: &str) {
        if MAX_BYTES < self.kept.text.len() + line.len() {
            self.lost.decisions.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.kept.text.push_str(line);
    }
}
