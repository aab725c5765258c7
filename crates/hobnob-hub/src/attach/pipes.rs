//! Standard input and output as the relay uses them: lines that come in, lines that go out.
//!
//! Plain threads read and write, because the descriptors are shared with the parent process and
//! must stay blocking. Both queues are bounded, so a slow reader slows the other side down.

use std::io::{self, BufReader, Write as _};
use std::thread;
use tokio::sync::mpsc;

/// How many lines may wait in each direction.
const QUEUE_CAPACITY: usize = 64;

/// A longer line is passed on in pieces; the hub reports what is wrong with it.
const MAX_LINE_BYTES: usize = 16 << 20;

/// Input from the client.
pub(super) enum PipeInput {
    /// A whole line with its line break.
    Line(Vec<u8>),
    /// A part of a line that is too long.
    Piece(Vec<u8>),
}

/// Starts a thread that reads standard input until it ends.
pub(super) fn read_stdin() -> io::Result<mpsc::Receiver<PipeInput>> {
    let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
    // The thread is not joined: it sits in a blocking read that only the client can end.
    thread::Builder::new().name("stdin".into()).spawn(move || {
        let mut input = BufReader::with_capacity(64 * 1024, io::stdin());
        if let Err(error) = pass_on(&mut input, &sender) {
            tracing::debug!(%error, "standard input cannot be read");
        }
    })?;
    Ok(receiver)
}

fn pass_on(input: &mut impl io::BufRead, sender: &mpsc::Sender<PipeInput>) -> io::Result<()> {
    let mut line = Vec::new();
    let mut is_rest = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let length = match available.iter().position(|byte| *byte == b'\n') {
            Some(at) => at + 1,
            None => available.len(),
        };
        let ended = available.is_empty();
        line.extend_from_slice(&available[..length]);
        input.consume(length);
        let is_whole = line.ends_with(b"\n") || (ended && !line.is_empty());
        if is_whole || MAX_LINE_BYTES < line.len() {
            let bytes = std::mem::take(&mut line);
            let input = match is_rest || !is_whole {
                true => PipeInput::Piece(bytes),
                false => PipeInput::Line(bytes),
            };
            is_rest = !is_whole;
            if sender.blocking_send(input).is_err() {
                return Ok(());
            }
        }
        if ended {
            return Ok(());
        }
    }
}

/// Standard output, written by its own thread.
pub(super) struct PipeOutput {
    lines: mpsc::Sender<Vec<u8>>,
    writer: thread::JoinHandle<()>,
}

/// The client has closed the reading end of standard output.
#[derive(Debug)]
pub(super) struct OutputClosed;

impl PipeOutput {
    pub(super) fn open() -> io::Result<Self> {
        let (lines, mut receiver) = mpsc::channel::<Vec<u8>>(QUEUE_CAPACITY);
        let writer = thread::Builder::new().name("stdout".into()).spawn(move || {
            let mut output = io::stdout().lock();
            while let Some(line) = receiver.blocking_recv() {
                if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { lines, writer })
    }

    /// Queues bytes for the client.
    pub(super) async fn send(&self, bytes: Vec<u8>) -> Result<(), OutputClosed> {
        self.lines.send(bytes).await.map_err(|_| OutputClosed)
    }

    /// Queues a line for the client.
    pub(super) async fn send_line(&self, mut line: String) -> Result<(), OutputClosed> {
        line.push('\n');
        self.send(line.into_bytes()).await
    }

    /// Writes the queued lines; blocks while the client does not read.
    pub(super) fn flush(self) {
        drop(self.lines);
        if self.writer.join().is_err() {
            tracing::error!("the writer of standard output panicked");
        }
    }
}

/// Reads the lines of the hub.
pub(super) struct HubLines<R> {
    reader: tokio::io::BufReader<R>,
}

impl<R: tokio::io::AsyncRead + Unpin> HubLines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: tokio::io::BufReader::with_capacity(64 * 1024, reader) }
    }

    /// The next line with its line break; `None` at the end. The hub limits its lines.
    pub(super) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let length =
            tokio::io::AsyncBufReadExt::read_until(&mut self.reader, b'\n', &mut line).await?;
        Ok((0 < length).then_some(line))
    }
}
