//! Frames to standard output. A thread writes those in the outbox. While none wait, others may
//! write directly: threads that may block, and tasks of the runtime if the write cannot block.
//!
//! [`Stdio`](crate::Stdio) starts the thread and hands out [`DirectWriter`]s. Invariant: frames
//! leave in the order they were made, because taking one out of the outbox requires the output.

use crate::descriptor;
use crate::outbox::{Frame, Outbox};
use parking_lot::{Mutex, MutexGuard};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

/// Frames are gathered up to this many bytes before they are written.
const WRITE_SIZE: usize = 64 * 1024;

/// How often an idle writer checks whether the pipe still has a reader.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Standard output, and the bytes that are about to be written to it.
#[derive(Debug)]
pub(crate) struct BufferedStdout {
    file: File,
    /// The largest write that never blocks while the file has room.
    atomic_limit: usize,
    buffer: Vec<u8>,
}

impl BufferedStdout {
    pub(crate) fn open() -> io::Result<Arc<Mutex<Self>>> {
        Ok(Self::over(descriptor::stdout()?))
    }

    fn over(file: File) -> Arc<Mutex<Self>> {
        let atomic_limit = descriptor::atomic_limit(&file);
        Arc::new(Mutex::new(Self { file, atomic_limit, buffer: Vec::with_capacity(WRITE_SIZE) }))
    }

    /// Writes the gathered bytes.
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

    /// Claims the right to write now; `None` if another thread is writing or frames wait in the
    /// outbox. Never blocks; writing may.
    pub fn claim(&self) -> Option<WriteClaim<'_>> {
        let output = self.output.try_lock()?;
        self.outbox.is_empty().then(|| WriteClaim { output, outbox: &self.outbox })
    }

    /// Sends a frame without ever blocking: writes it if no frame is ahead of it and it fits into
    /// the free space of a pipe, and leaves it to the writing thread otherwise.
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
        // `<` leaves a byte for the line end.
        frame.bytes.len() < self.output.atomic_limit && descriptor::has_room(&self.output.file)
    }

    /// Writes a frame; blocks while the client does not read.
    pub fn write(mut self, frame: &Frame) {
        if frame.bytes.len() < WRITE_SIZE || has_line_end(&frame.bytes) {
            append(&mut self.output.buffer, &frame.bytes);
        } else {
            // A second write costs less than a copy. If this one fails, so does the next.
            let _ = descriptor::write_all(&self.output.file, &frame.bytes);
            self.output.buffer.push(b'\n');
        }
        // If it fails, the outbox is closed, and that ends the server.
        let _ = self.output.write(self.outbox);
    }
}

/// Writes the frames of the outbox until it ends. The main function of the writing thread.
pub(crate) fn write_frames(output: &Mutex<BufferedStdout>, outbox: &Outbox) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while wait_for_frame(&waker, outbox, output) {
        let mut output = output.lock();
        // Gather the waiting frames into one write, as long as it stays small.
        while output.buffer.len() < WRITE_SIZE
            && let Some(frame) = outbox.try_frame()
        {
            append(&mut output.buffer, &frame.bytes);
        }
        if output.write(outbox).is_err() {
            return;
        }
    }
    // Let a direct write in progress end first.
    drop(output.lock());
}

/// Appends a frame as one line.
pub(crate) fn append(buffer: &mut Vec<u8>, frame: &[u8]) {
    let start = buffer.len();
    buffer.extend_from_slice(frame);
    on_one_line(&mut buffer[start..]);
    buffer.push(b'\n');
}

/// Replaces line ends inside a message by spaces. They can only be white space between tokens that
/// some handler passed on unchanged, and they must not end the line.
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

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits until a frame is queued; `false` after the last one. Closes the outbox when the pipe has
/// no reader left, so that a server whose client has gone does not stay for ever. `waker` must be
/// this thread's.
fn wait_for_frame(waker: &Waker, outbox: &Outbox, output: &Mutex<BufferedStdout>) -> bool {
    let mut context = Context::from_waker(waker);
    let mut woken_for_nothing = false;
    loop {
        if let Poll::Ready(more) = outbox.poll_waiting(&mut context) {
            return more;
        }
        // A thread that is writing right now will notice it too.
        if woken_for_nothing
            && output.try_lock().is_some_and(|output| descriptor::is_abandoned(&output.file))
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
