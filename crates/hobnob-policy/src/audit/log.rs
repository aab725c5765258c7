//! The audit log: callers format and queue, one thread writes.
//!
//! The record of a call never makes its caller wait: what does not fit or cannot be written is counted,
//! and the next line that can be written says how many were lost. A decision is on the disk before its
//! caller goes on, and so is the beginning of a call where the settings ask for it.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use super::options::{AuditMode, AuditOptions};
use super::queue::{AuditQueue, DecisionLine, NotTaken, Reply, Unwritten, WrittenCallback};
use super::record::AuditRecord;
use super::refusals::{RecordHandling, Refusals};
use super::stream::AuditStream;
use super::stream_writer::StreamWriter;
use super::write_error::{AuditWriteError, PATIENCE};
use super::writer::{KeptDecisions, LostCounts, Writer};

/// What most lines take.
const LINE: usize = 512;

/// An open log. Dropping it writes what waits.
#[derive(Debug)]
pub struct AuditLog {
    queue: Arc<AuditQueue>,
    lost: Arc<LostCounts>,
    refusals: Arc<Refusals>,
    mode: AuditMode,
    /// In a lock only so that many may share the log; one waits for it, at the end.
    done: Mutex<Receiver<()>>,
    writer: Option<JoinHandle<()>>,
}

impl AuditLog {
    /// Opens or creates both files and starts their thread. The folder must exist.
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
            // Nobody listens when the log was given up on.
            let _ = finished.send(());
        })?;
        Ok(Self { queue, lost, refusals, mode, done: Mutex::new(done), writer: Some(thread) })
    }

    /// What happens to calls that cannot be recorded.
    #[must_use]
    pub fn mode(&self) -> AuditMode {
        self.mode
    }

    /// Queues the record of a call; never waits. A refusal that repeats is only counted.
    pub fn record(&self, record: &AuditRecord<'_>) {
        let line = line(record);
        if self.refusals.see(record, &line, Instant::now()) == RecordHandling::Counted {
            return;
        }
        if self.queue.push_call(&line, None).is_err() {
            self.lost.calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Queues the record of a call and says when it is on the disk, or why it is not.
    pub fn record_then(&self, record: &AuditRecord<'_>, then: WrittenCallback) {
        let reply = Reply { stream: Some(AuditStream::Calls), then };
        tell(self.queue.push_call(&line(record), Some(reply)));
    }

    /// Queues what a person decided elsewhere and counts already; never waits. The log keeps it until it
    /// can be written.
    pub fn notice(&self, record: &AuditRecord<'_>) {
        self.push_decision(record, Unwritten::Keep, None);
    }

    /// The same, and says when it is on the disk, or why it is not yet.
    pub fn notice_then(&self, record: &AuditRecord<'_>, then: WrittenCallback) {
        self.push_decision(record, Unwritten::Keep, Some(then));
    }

    /// Queues what a person decided, and says when it is on the disk, or why it is not. Where calls go on
    /// without a record, so does the decision, and the log keeps it until it can be written.
    pub fn decide(&self, record: &AuditRecord<'_>, then: WrittenCallback) {
        let unwritten = match self.mode {
            AuditMode::BestEffort => Unwritten::Keep,
            AuditMode::Strict => Unwritten::Forget,
        };
        self.push_decision(record, unwritten, Some(then));
    }

    /// Writes down what a person is about to change, and waits until it is on the disk.
    ///
    /// # Errors
    /// When it is not: then the change must not be made, and the log does not say that it was.
    pub fn decide_and_wait(&self, record: &AuditRecord<'_>) -> Result<(), AuditWriteError> {
        wait(|then| self.push_decision(record, Unwritten::Forget, Some(then)))
    }

    /// Waits until everything recorded before is on the disk.
    ///
    /// # Errors
    /// When that takes too long, or the last write failed.
    pub fn flush(&self) -> Result<(), AuditWriteError> {
        wait(|then| tell(self.queue.flush(Reply { stream: None, then })))
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
        tell(pushed);
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        self.queue.close();
        // A thread that hangs in a write cannot be joined: it is left to the end of the process.
        let ended = !matches!(
            self.done.get_mut().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE),
            Err(RecvTimeoutError::Timeout)
        );
        if ended && let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn line(record: &AuditRecord<'_>) -> String {
    let mut line = String::with_capacity(LINE);
    record.write_line(&mut line);
    line
}

/// Tells a caller whose line found no room.
fn tell(pushed: Result<(), NotTaken>) {
    if let Err(NotTaken(Some(reply))) = pushed {
        (reply.then)(Err(AuditWriteError::Full));
    }
}

/// Waits for what `begin` hands to the thread.
fn wait(begin: impl FnOnce(WrittenCallback)) -> Result<(), AuditWriteError> {
    let (reply, answer) = sync_channel(1);
    begin(Box::new(move |written| {
        // The caller may have given up.
        let _ = reply.send(written);
    }));
    answer.recv_timeout(PATIENCE).map_err(|_| AuditWriteError::Late)?
}
