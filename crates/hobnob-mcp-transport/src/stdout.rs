//! Frames to standard output: a thread writes what waits in the outbox, and others may write directly
//! when nothing waits: whoever may block, and tasks of the runtime what cannot block them.
//!
//! [`Stdio`](crate::Stdio) starts the thread and hands out [`DirectWriter`]s. Frames leave in the
//! order in which they were made: whoever takes one out of the outbox holds the output already.

use crate::descriptor;
use crate::outbox::{Frame, Outbox};
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

/// As much is gathered before it is written.
const WRITE_SIZE: usize = 64 * 1024;

/// How often an idle writer looks whether anybody is left to read.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Standard output, and what is about to be written to it.
#[derive(Debug)]
pub(crate) struct BufferedStdout {
    file: File,
    /// The most that never blocks while the file has room.
    whole_write: usize,
    buffer: Vec<u8>,
}

impl BufferedStdout {
    pub(crate) fn open() -> io::Result<Arc<Mutex<Self>>> {
        Ok(Self::over(descriptor::stdout()?))
    }

    fn over(file: File) -> Arc<Mutex<Self>> {
        let whole_write = descriptor::whole_write(&file);
        Arc::new(Mutex::new(Self { file, whole_write, buffer: Vec::with_capacity(WRITE_SIZE) }))
    }

    /// Writes what was gathered.
    fn write(&mut self, outbox: &Outbox) -> io::Result<()> {
        let written = descriptor::write_all(&self.file, &self.buffer);
        self.buffer.clear();
        self.buffer.shrink_to(4 * WRITE_SIZE);
        if let Err(error) = &written {
            tracing::debug!(%error, "standard output is closed");
            outbox.close();
        }
        written
    }
}

/// Writes to standard output without a switch to the writing thread.
#[derive(Debug, Clone)]
pub struct DirectWriter {
    output: Arc<Mutex<BufferedStdout>>,
    outbox: Arc<Outbox>,
}

impl DirectWriter {
    pub(crate) fn new(output: Arc<Mutex<BufferedStdout>>, outbox: Arc<Outbox>) -> Self {
        Self { output, outbox }
    }

    /// The right to write now, if nobody else is writing and nothing waits to be written. Never
    /// blocks; writing may.
    pub fn claim(&self) -> Option<WriteClaim<'_>> {
        let output = match self.output.try_lock() {
            Ok(output) => output,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.outbox.is_empty().then(|| WriteClaim { output, outbox: &self.outbox })
    }

    /// Sends a frame without ever blocking: writes it if it fits into what is free of a pipe and
    /// nobody is before it, and leaves it to the writing thread otherwise.
    pub fn send(&self, frame: Frame) {
        match self.claim() {
            Some(claim) if claim.has_room_for(&frame) => claim.write(&frame),
            _ => self.outbox.put(frame),
        }
    }
}

/// The right to write the next frame.
#[derive(Debug)]
pub struct WriteClaim<'a> {
    output: MutexGuard<'a, BufferedStdout>,
    outbox: &'a Outbox,
}

impl WriteClaim<'_> {
    /// Whether writing this frame cannot block.
    fn has_room_for(&self, frame: &Frame) -> bool {
        // With the line end.
        frame.bytes.len() < self.output.whole_write && descriptor::has_room(&self.output.file)
    }

    /// Writes a frame; blocks while nobody reads.
    pub fn write(mut self, frame: &Frame) {
        if frame.bytes.len() < WRITE_SIZE || has_line_end(&frame.bytes) {
            append(&mut self.output.buffer, &frame.bytes);
        } else {
            // A second write costs less than a copy. What fails here fails again there.
            let _ = descriptor::write_all(&self.output.file, &frame.bytes);
            self.output.buffer.push(b'\n');
        }
        // If it fails the outbox is closed, and that ends the server.
        let _ = self.output.write(self.outbox);
    }
}

/// Writes what waits until the outbox ends. The writing thread's whole life.
pub(crate) fn write_frames(output: &Mutex<BufferedStdout>, outbox: &Outbox) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while wait_for_frame(&waker, outbox, output) {
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for all that waits, as long as it stays small.
        while output.buffer.len() < WRITE_SIZE
            && let Some(frame) = outbox.try_frame()
        {
            append(&mut output.buffer, &frame.bytes);
        }
        if output.write(outbox).is_err() {
            return;
        }
    }
    // Whoever writes directly comes to an end first.
    drop(output.lock());
}

/// Appends a frame as one line.
pub(crate) fn append(buffer: &mut Vec<u8>, frame: &[u8]) {
    let start = buffer.len();
    buffer.extend_from_slice(frame);
    on_one_line(&mut buffer[start..]);
    buffer.push(b'\n');
}

/// A line end inside a message can only be white space between tokens that some handler passed on
/// as it was; it must not end the line.
pub(crate) fn on_one_line(message: &mut [u8]) {
    if has_line_end(message) {
        for byte in message {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}

fn has_line_end(message: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', message).is_some()
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits until a frame waits; `false` after the last one. Closes the outbox when nobody could read
/// it any more, so that a server whose client has gone does not stay for ever. `waker` must be this
/// thread's.
fn wait_for_frame(waker: &Waker, outbox: &Outbox, output: &Mutex<BufferedStdout>) -> bool {
    let mut context = Context::from_waker(waker);
    let mut woken_for_nothing = false;
    loop {
        if let Poll::Ready(more) = outbox.poll_waiting(&mut context) {
            return more;
        }
        // Whoever writes right now will notice it too.
        if woken_for_nothing
            && output.try_lock().is_ok_and(|output| descriptor::is_abandoned(&output.file))
        {
            outbox.close();
            continue;
        }
        thread::park_timeout(IDLE_CHECK_INTERVAL);
        woken_for_nothing = true;
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
