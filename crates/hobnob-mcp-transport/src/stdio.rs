//! Standard input and output, as a server uses them.
//!
//! Plain threads do the work: blocking reads and writes never hold up the runtime, and the flags of
//! a descriptor we share with our parent stay unchanged.

use crate::input::Input;
use crate::outbox::{Outbox, OutboxLimits};
use crate::stdin::{LineHandler, Reading, ReadingTurn};
use crate::stdout::{BufferedStdout, DirectWriter, write_frames};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How many threads take turns in reading: one reads, the other works.
const READERS: usize = 2;

/// Standard input and output, with the queue of outgoing frames.
#[derive(Debug)]
pub struct Stdio {
    outbox: Arc<Outbox>,
    output: Arc<Mutex<BufferedStdout>>,
    writer: JoinHandle<()>,
}

impl Stdio {
    /// Starts the thread that writes the frames of the outbox.
    pub fn open() -> io::Result<Self> {
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let output = BufferedStdout::open()?;
        let writer = thread::Builder::new().name("stdout".into()).spawn({
            let (output, outbox) = (Arc::clone(&output), Arc::clone(&outbox));
            move || write_frames(&output, &outbox)
        })?;
        Ok(Self { outbox, output, writer })
    }

    /// The queue whose frames the writing thread sends to standard output.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// A way to write a frame without a switch to the writing thread.
    pub fn direct_writer(&self) -> DirectWriter {
        DirectWriter::new(Arc::clone(&self.output), Arc::clone(&self.outbox))
    }

    /// Passes every line to the handler, on dedicated threads that have entered `runtime`. The
    /// returned receiver is ready when the input has ended.
    ///
    /// The reading thread calls the handler itself, because another queue and another task in
    /// between would cost as much as a third of a whole call.
    pub fn read(
        line_limit: usize,
        handler: Arc<impl LineHandler>,
        runtime: &Handle,
    ) -> io::Result<oneshot::Receiver<()>> {
        let (sender, ended) = oneshot::channel();
        let reading = Arc::new(Reading::new(Input::new(io::stdin(), line_limit, sender), handler));
        // The threads are not joined: they block in a read that only the peer or the end of the
        // process can end.
        for turn in ReadingTurn::for_threads(&io::stdin(), READERS) {
            let (reading, runtime) = (Arc::clone(&reading), runtime.clone());
            thread::Builder::new().name("stdin".into()).spawn(move || {
                let _entered = runtime.enter();
                reading.take_turns(turn);
            })?;
        }
        Ok(ended)
    }

    /// Writes the frames that still wait and ends the writer; blocks until the client reads.
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
