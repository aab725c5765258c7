//! The audit log: callers format and queue, one thread writes.
//!
//! Recording a call never blocks its caller: a line that does not fit or cannot be written is
//! counted, and the next line that can be written says how many were lost. A decision is on the
//! disk before its caller continues, and so is the beginning of a call if the settings ask for it.

use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use super::options::{AuditMode, AuditOptions};
use super::queue::{AuditQueue, DecisionLine, NotTaken, Reply, Unwritten, WrittenCallback};
use super::record::AuditRecord;
use super::refusals::{RecordHandling, Refusals};
use super::stream::AuditStream;
use super::stream_writer::StreamWriter;
use super::write_error::{AuditWriteError, TIMEOUT};
use super::writer::{KeptDecisions, LostCounts, Writer};

/// Bytes that most lines fit into.
const LINE_CAPACITY: usize = 512;

/// An open log. Dropping it writes the waiting lines.
#[derive(Debug)]
pub struct AuditLog {
    queue: Arc<AuditQueue>,
    lost: Arc<LostCounts>,
    refusals: Arc<Refusals>,
    mode: AuditMode,
    /// Signals the end of the thread. The mutex only makes the log shareable; `drop` alone waits.
    done: Mutex<Receiver<()>>,
    writer: Option<JoinHandle<()>>,
}

impl AuditLog {
    /// Opens or creates both files and starts the writer thread. The folder must exist.
    ///
    /// # Errors
    /// When a file cannot be opened for appending or the thread cannot be started.
    pub fn open(path: &Path, options: AuditOptions) -> io::Result<Self> {
        let AuditOptions { calls, decisions, mode } = options;
        let open = |stream: AuditStream, kept| StreamWriter::open(&stream.path(path), kept, mode);
        let queue = Arc::new(AuditQueue::default());
        let (finished, done) = sync_channel(1);
        let lost = Arc::new(LostCounts::default());
        let refusals = Arc::new(Refusals::default());
        let mut writer = Writer {
            calls: open(AuditStream::Calls, calls)?,
            decisions: open(AuditStream::Decisions, decisions)?,
            queue: Arc::clone(&queue),
            refusals: refusals.clone(),
            lost: lost.clone(),
            kept: KeptDecisions::default(),
        };
        let thread = std::thread::Builder::new().name("audit".into()).spawn(move || {
            writer.run();
            // The receiver is gone when `drop` has given up on this thread.
            let _ = finished.send(());
        })?;
        Ok(Self { queue, lost, refusals, mode, done: Mutex::new(done), writer: Some(thread) })
    }

    /// What happens to calls whose record cannot be written.
    #[must_use]
    pub fn mode(&self) -> AuditMode {
        self.mode
    }

    /// Queues the record of a call; never waits. A repeated refusal is only counted.
    pub fn record(&self, record: &AuditRecord<'_>) {
        let line = line(record);
        if self.refusals.see(record, &line, Instant::now()) == RecordHandling::Counted {
            return;
        }
        if self.queue.push_call(&line, None).is_err() {
            self.lost.calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Queues the record of a call, and calls `then` when it is on the disk or failed to get there.
    pub fn record_then(&self, record: &AuditRecord<'_>, then: WrittenCallback) {
        let reply = Reply { stream: Some(AuditStream::Calls), then };
        report_full(self.queue.push_call(&line(record), Some(reply)));
    }

    /// Queues a decision that a person took elsewhere and that is already in effect; never waits.
    /// The log keeps it until it can be written.
    pub fn notice(&self, record: &AuditRecord<'_>) {
        self.push_decision(record, Unwritten::Keep, None);
    }

    /// Like [`AuditLog::notice`], and calls `then` when it is on the disk, or failed for now.
    pub fn notice_then(&self, record: &AuditRecord<'_>, then: WrittenCallback) {
        self.push_decision(record, Unwritten::Keep, Some(then));
    }

    /// Queues a person's decision, and calls `then` when it is on the disk or failed to get there.
    /// In best-effort mode the decision takes effect anyway, and the log keeps its record to retry.
    pub fn decide(&self, record: &AuditRecord<'_>, then: WrittenCallback) {
        let unwritten = match self.mode {
            AuditMode::BestEffort => Unwritten::Keep,
            AuditMode::Strict => Unwritten::Forget,
        };
        self.push_decision(record, unwritten, Some(then));
    }

    /// Records a change that a person is about to make, and waits until the record is on the disk.
    ///
    /// # Errors
    /// When it is not: the change must not be made then, and the log does not say that it was.
    pub fn decide_and_wait(&self, record: &AuditRecord<'_>) -> Result<(), AuditWriteError> {
        wait(|then| self.push_decision(record, Unwritten::Forget, Some(then)))
    }

    /// Waits until everything recorded before is on the disk.
    ///
    /// # Errors
    /// When that takes too long, or the last write failed.
    pub fn flush(&self) -> Result<(), AuditWriteError> {
        wait(|then| report_full(self.queue.flush(Reply { stream: None, then })))
    }

    fn push_decision(
        &self,
        record: &AuditRecord<'_>,
        unwritten: Unwritten,
        then: Option<WrittenCallback>,
    ) {
        let reply = then.map(|then| Reply { stream: Some(AuditStream::Decisions), then });
        let line = DecisionLine { text: line(record), unwritten };
        let pushed = self.queue.push_decision(line, reply);
        if pushed.is_err() && unwritten == Unwritten::Keep {
            self.lost.decisions.fetch_add(1, Ordering::Relaxed);
        }
        report_full(pushed);
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        self.queue.close();
        // A thread that hangs in a write cannot be joined: it runs until the process ends.
        let ended =
            !matches!(self.done.get_mut().recv_timeout(TIMEOUT), Err(RecvTimeoutError::Timeout));
        if ended && let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn line(record: &AuditRecord<'_>) -> String {
    let mut line = String::with_capacity(LINE_CAPACITY);
    record.write_line(&mut line);
    line
}

/// Reports to a caller that the queue had no room for its line.
fn report_full(pushed: Result<(), NotTaken>) {
    if let Err(NotTaken(Some(reply))) = pushed {
        (reply.then)(Err(AuditWriteError::Full));
    }
}

/// Runs `begin` and waits for the writer thread to call back.
fn wait(begin: impl FnOnce(WrittenCallback)) -> Result<(), AuditWriteError> {
    let (reply, answer) = sync_channel(1);
    begin(Box::new(move |written| {
        // The caller may have given up.
        let _ = reply.send(written);
    }));
    answer.recv_timeout(TIMEOUT).map_err(|_| AuditWriteError::Late)?
}
