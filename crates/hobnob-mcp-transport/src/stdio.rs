//! Standard input and output, as a server uses them.
//!
//! Two plain threads: blocking reads and writes never hold up the runtime, and the flags of a
//! descriptor we share with our parent stay as they are.

use crate::descriptor;
use crate::framing::{Line, LineFramer};
use crate::outbox::{Frame, Outbox, OutboxLimits};
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;
use tokio::sync::oneshot;

const READ_SIZE: usize = 64 * 1024;

/// How often an idle writer looks whether anybody is left to read.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Standard input and output, with frames on their way out.
#[derive(Debug)]
pub struct Stdio {
    outbox: Arc<Outbox>,
    writer: JoinHandle<()>,
}

impl Stdio {
    /// Starts to write what is put into the outbox.
    pub fn open() -> io::Result<Self> {
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let queue = Arc::clone(&outbox);
        let writer = thread::Builder::new().name("stdout".into()).spawn({
            let output = descriptor::stdout()?;
            move || write_frames(&output, &queue)
        })?;
        Ok(Self { outbox, writer })
    }

    /// The queue whose frames the writing thread sends to standard output.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// Hands every line to `take`, on a thread of its own; the result is ready when the input
    /// has ended. `take` must not block: while it does, nothing is read.
    ///
    /// Straight from the reading thread, because another queue and another task in between would
    /// cost as much as a tenth of a whole call.
    pub fn read(
        line_limit: usize,
        mut take: impl FnMut(Line) + Send + 'static,
    ) -> io::Result<oneshot::Receiver<()>> {
        let (sender, ended) = oneshot::channel();
        // The thread is not joined: it sits in a blocking read that only the peer or the end of
        // the process can end.
        thread::Builder::new().name("stdin".into()).spawn(move || {
            read_lines(io::stdin(), line_limit, &mut take);
            drop(sender);
        })?;
        Ok(ended)
    }

    /// Writes what still waits and ends the writer; blocks while nobody reads it.
    pub fn flush(self) {
        self.outbox.finish();
        let dropped = self.outbox.dropped();
        if dropped > 0 {
            tracing::warn!(dropped, "notifications the client did not read in time were dropped");
        }
        if self.writer.join().is_err() {
            tracing::error!("the writer of standard output panicked");
        }
    }
}

fn read_lines(mut input: io::Stdin, limit: usize, take: &mut impl FnMut(Line)) {
    let mut framer = LineFramer::new(limit);
    let mut buffer = vec![0; READ_SIZE];
    let mut lines = Vec::new();
    loop {
        match descriptor::read(&mut input, &mut buffer) {
            Ok(0) => {
                framer.finish(&mut lines);
                lines.drain(..).for_each(&mut *take);
                return;
            }
            Ok(count) => framer.push(&buffer[..count], &mut lines),
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read any more");
                return;
            }
        }
        lines.drain(..).for_each(&mut *take);
    }
}

fn write_frames(output: &File, outbox: &Outbox) {
    let mut buffer = Vec::with_capacity(READ_SIZE);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while let Some(frame) = next_frame(&waker, outbox, output) {
        let mut next = Some(frame);
        // One write for all that waits, as long as it stays small.
        while let Some(frame) = next {
            append(&mut buffer, &frame.bytes);
            next = if buffer.len() < READ_SIZE { outbox.try_frame() } else { None };
        }
        if let Err(error) = descriptor::write_all(output, &buffer) {
            tracing::debug!(%error, "standard output is closed");
            outbox.close();
            return;
        }
        buffer.clear();
        buffer.shrink_to(4 * READ_SIZE);
    }
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
    if memchr::memchr2(b'\n', b'\r', message).is_some() {
        for byte in message {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for the next frame; closes the outbox when nobody could read it any more, so that a
/// server whose client has gone does not stay for ever. `waker` must be this thread's.
fn next_frame(waker: &Waker, outbox: &Outbox, output: &File) -> Option<Frame> {
    let mut context = Context::from_waker(waker);
    let mut woken_for_nothing = false;
    loop {
        if let Poll::Ready(frame) = outbox.poll_frame(&mut context) {
            return frame;
        }
        if woken_for_nothing && descriptor::is_abandoned(output) {
            outbox.close();
            continue;
        }
        thread::park_timeout(IDLE_CHECK_INTERVAL);
        woken_for_nothing = true;
    }
}

#[cfg(test)]
mod tests {
    use super::append;

    #[test]
    fn a_frame_is_one_line_whatever_is_in_it() {
        let mut buffer = b"before\n".to_vec();
        append(&mut buffer, b"{\n  \"a\": 1,\r\n  \"b\": \"\\n\"\n}");
        assert_eq!(buffer, b"before\n{   \"a\": 1,    \"b\": \"\\n\" }\n");
    }
}
