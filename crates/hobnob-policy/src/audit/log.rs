//! The audit log: callers format and queue, one thread writes.
//!
//! A caller never waits for the disk. What does not fit or cannot be written is counted, and the
//! next line that can be written says how many were lost.
//! A line that comes alone is written at once. After a write the thread pauses, so that in a busy
//! log a call neither wakes it nor pays for a write of its own. Lines reach the disk within a second,
//! and the head record after them.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::file::AppendFile;
use super::options::AuditOptions;
use super::queue::{AuditQueue, NotTaken, Waiting};
use super::record::{AuditRecord, write_lost};
use super::refusals::{RecordHandling, Refusals};

/// Room that is kept for lines when the log is quiet again.
const KEPT_ROOM: usize = 64 * 1024;
/// How long lines gather after a write.
const PAUSE: Duration = Duration::from_millis(5);
/// How long lines may be written without being on the disk.
const SYNC_DELAY: Duration = Duration::from_secs(1);
/// What most lines take.
const LINE: usize = 512;
/// How long a flush, or the end of the log, waits for the disk.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why records may not be on disk yet.
#[derive(Debug, thiserror::Error)]
pub enum FlushError {
    /// The disk is slow or another process holds the file.
    #[error("the audit log did not reach the disk within {PATIENCE:?}; look at the disk's load")]
    Late,
    /// The last write failed; holds the system's reason.
    #[error("the audit log cannot be written; look at free space and permissions: {0}")]
    Write(String),
}

/// An open log. Dropping it writes what waits.
#[derive(Debug)]
pub struct AuditLog {
    queue: Arc<AuditQueue>,
    lost: Arc<AtomicU64>,
    refusals: Arc<Refusals>,
    /// In a lock only so that many may share the log; one waits for it, at the end.
    done: Mutex<Receiver<()>>,
    writer: Option<JoinHandle<()>>,
}

impl AuditLog {
    /// Opens or creates the file and starts its thread. The folder must exist.
    ///
    /// # Errors
    /// When the file cannot be opened for appending or the thread cannot be started.
    pub fn open(path: &Path, options: AuditOptions) -> io::Result<Self> {
        let file = AppendFile::open(path, options)?;
        let queue = Arc::new(AuditQueue::default());
        let (finished, done) = sync_channel(1);
        let lost = Arc::new(AtomicU64::new(0));
        let refusals = Arc::new(Refusals::default());
        let mut writer = Writer {
            file,
            queue: Arc::clone(&queue),
            lost: lost.clone(),
            refusals: refusals.clone(),
            unsynced: None,
            trouble: None,
        };
        let thread = std::thread::Builder::new().name("audit".into()).spawn(move || {
            writer.run();
            // Nobody listens when the log was given up on.
            let _ = finished.send(());
        })?;
        Ok(Self { queue, lost, refusals, done: Mutex::new(done), writer: Some(thread) })
    }

    /// Queues a record; never waits. A refusal that repeats is only counted.
    pub fn record(&self, record: &AuditRecord<'_>) {
        let mut line = String::with_capacity(LINE);
        record.write_line(&mut line);
        if self.refusals.see(record, &line, Instant::now()) == RecordHandling::Counted {
            return;
        }
        if self.queue.push(&line).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything recorded before is on the disk.
    ///
    /// # Errors
    /// When that takes too long, or the last write failed.
    pub fn flush(&self) -> Result<(), FlushError> {
        let (reply, answer) = sync_channel(1);
        let gone = |NotTaken| FlushError::Write("its thread has ended".into());
        self.queue.flush(reply).map_err(gone)?;
        answer.recv_timeout(PATIENCE).map_err(|_| FlushError::Late)?.map_err(FlushError::Write)
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

struct Writer {
    file: AppendFile,
    queue: Arc<AuditQueue>,
    lost: Arc<AtomicU64>,
    refusals: Arc<Refusals>,
    /// Since when lines are written that need not be on the disk.
    unsynced: Option<Instant>,
    /// The last write's error, until one succeeds.
    trouble: Option<String>,
}

impl Writer {
    fn run(&mut self) {
        let mut taken = Waiting::default();
        loop {
            let goes_on = self.queue.take(&mut taken, self.due());
            let is_past = |due: Option<Instant>| due.is_some_and(|due| due <= Instant::now());
            let at_once = !goes_on || !taken.flushes.is_empty();
            if at_once || is_past(self.refusals.due()) {
                taken.lines += self.add_refusals(&mut taken.text);
            }
            self.write(&mut taken.text, taken.lines);
            taken.lines = 0;
            taken.text.shrink_to(KEPT_ROOM);
            if at_once || is_past(self.sync_due()) {
                self.sync();
            }
            for reply in taken.flushes.drain(..) {
                let answer = self.trouble.clone().map_or(Ok(()), Err);
                // Whoever asked may have given up.
                let _ = reply.send(answer);
            }
            if !goes_on {
                return;
            }
            self.queue.pause(PAUSE);
        }
    }

    /// When there is something to do although no line comes.
    fn due(&self) -> Option<Instant> {
        [self.refusals.due(), self.sync_due()].into_iter().flatten().min()
    }

    fn sync_due(&self) -> Option<Instant> {
        self.unsynced.map(|since| since + SYNC_DELAY)
    }

    fn add_refusals(&self, batch: &mut String) -> u64 {
        let lines = self.refusals.take();
        lines.iter().for_each(|line| batch.push_str(line));
        lines.len() as u64
    }

    fn write(&mut self, batch: &mut String, count: u64) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if 0 < lost {
            write_lost(batch, Timestamp::now(), lost);
        }
        if batch.is_empty() {
            return;
        }
        match self.file.append(batch) {
            Ok(()) => {
                self.unsynced.get_or_insert_with(Instant::now);
                self.trouble = None;
            }
            Err(error) => {
                self.lost.fetch_add(lost + count, Ordering::Relaxed);
                self.fails(&error);
            }
        }
        batch.clear();
    }

    fn sync(&mut self) {
        if self.unsynced.take().is_some()
            && let Err(error) = self.file.sync()
        {
            self.fails(&error);
        }
    }

    fn fails(&mut self, error: &io::Error) {
        if self.trouble.is_none() {
            tracing::error!(%error, "the audit log cannot be written");
        }
        self.trouble = Some(error.to_string());
    }
}
