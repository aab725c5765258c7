//! Standard input and output as a [`Link`].
//!
//! Two plain threads: blocking reads and writes never hold up the runtime, and the flags of a
//! descriptor we share with our parent stay as they are.

use crate::framing::{Line, LineFramer};
use crate::link::Link;
use crate::outbox::{Outbox, OutboxLimits};
use bytes::Bytes;
use std::future::Future;
use std::io::{self, Read, Write};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use tokio::sync::mpsc;

const READ_SIZE: usize = 64 * 1024;

/// What is left to do after the conversation: see that everything was written.
#[derive(Debug)]
pub struct StdioEnd {
    outbox: Arc<Outbox>,
    writer: JoinHandle<()>,
}

impl StdioEnd {
    /// Writes what still waits and ends the writer; an output nobody reads is not waited for
    /// longer than the caller lets this run on a thread of its own.
    pub fn flush(self) {
        self.outbox.finish();
        if self.writer.join().is_err() {
            tracing::error!("the writer of standard output panicked");
        }
    }
}

/// Starts the two threads.
pub fn stdio_link(line_limit: usize) -> io::Result<(Link, StdioEnd)> {
    link_over(io::stdin(), io::stdout(), line_limit)
}

fn link_over(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    line_limit: usize,
) -> io::Result<(Link, StdioEnd)> {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let (sender, lines) = mpsc::channel(Link::WAITING_READS);
    let queue = Arc::clone(&outbox);
    let writer = thread::Builder::new()
        .name("stdout".into())
        .spawn(move || write_frames(output, &queue))?;
    // The reader is not joined: it sits in a blocking read that only the peer or the end of the
    // process can end, and it owns nothing.
    thread::Builder::new()
        .name("stdin".into())
        .spawn(move || read_lines(input, line_limit, &sender))?;
    Ok((Link { lines, outbox: Arc::clone(&outbox) }, StdioEnd { outbox, writer }))
}

fn read_lines(mut input: impl Read, limit: usize, sender: &mpsc::Sender<Vec<Line>>) {
    let mut framer = LineFramer::new(limit);
    let mut buffer = vec![0; READ_SIZE];
    loop {
        let mut lines = Vec::new();
        match input.read(&mut buffer) {
            Ok(0) => {
                framer.finish(&mut lines);
                if !lines.is_empty() {
                    drop(sender.blocking_send(lines));
                }
                return;
            }
            Ok(count) => framer.push(&buffer[..count], &mut lines),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read any more");
                return;
            }
        }
        if !lines.is_empty() && sender.blocking_send(lines).is_err() {
            return;
        }
    }
}

fn write_frames(mut output: impl Write, outbox: &Outbox) {
    let mut buffer = Vec::with_capacity(READ_SIZE);
    while let Some(frame) = wait(outbox.frame()) {
        let mut next = Some(frame);
        // One write for all that waits, as long as it stays small.
        while let Some(frame) = next {
            append(&mut buffer, &frame.bytes);
            next = if buffer.len() < READ_SIZE { outbox.try_frame() } else { None };
        }
        if let Err(error) = output.write_all(&buffer).and_then(|()| output.flush()) {
            tracing::debug!(%error, "standard output is closed");
            outbox.close();
            return;
        }
        buffer.clear();
        buffer.shrink_to(4 * READ_SIZE);
    }
}

fn append(buffer: &mut Vec<u8>, frame: &Bytes) {
    buffer.extend_from_slice(frame);
    buffer.push(b'\n');
}

/// Runs a future on this thread, parked while it waits.
fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
