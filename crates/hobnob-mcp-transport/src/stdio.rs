//! Standard input and output.
//!
//! Two plain threads: blocking reads and writes never hold up the runtime, and the flags of a
//! descriptor we share with our parent stay as they are.

use crate::framing::{Line, LineFramer};
use crate::outbox::{Outbox, OutboxLimits};
use bytes::Bytes;
use std::fs::File;
use std::future::Future;
use std::io::{self, Read, Write};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use tokio::sync::oneshot;

const READ_SIZE: usize = 64 * 1024;

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
            let output = unbuffered_stdout()?;
            move || write_frames(output, &queue)
        })?;
        Ok(Self { outbox, writer })
    }

    /// Where frames go.
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
        if self.writer.join().is_err() {
            tracing::error!("the writer of standard output panicked");
        }
    }
}

/// Standard output without the buffer that the library keeps in front of it: frames are gathered
/// here already, and its search for line ends would only look at every byte again.
fn unbuffered_stdout() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(File::from(owned))
}

fn read_lines(mut input: impl Read, limit: usize, take: &mut impl FnMut(Line)) {
    let mut framer = LineFramer::new(limit);
    let mut buffer = vec![0; READ_SIZE];
    let mut lines = Vec::new();
    loop {
        match input.read(&mut buffer) {
            Ok(0) => {
                framer.finish(&mut lines);
                lines.drain(..).for_each(&mut *take);
                return;
            }
            Ok(count) => framer.push(&buffer[..count], &mut lines),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read any more");
                return;
            }
        }
        lines.drain(..).for_each(&mut *take);
    }
}

fn write_frames(mut output: impl Write, outbox: &Outbox) {
    let mut buffer = Vec::with_capacity(READ_SIZE);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while let Some(frame) = wait(&waker, outbox.frame()) {
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

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread, parked while it waits; `waker` must be this thread's.
fn wait<T>(waker: &Waker, future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
