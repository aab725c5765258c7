//! The bytes of the input, cut into lines. The threads that read share one, under a lock.

use crate::descriptor::{self, ByteSource};
use crate::framing::{Line, LineFramer};
use tokio::sync::oneshot;

/// How many bytes are read at once.
pub(crate) const READ_SIZE: usize = 64 * 1024;

/// An input that is read in lines.
pub(crate) struct Input<S> {
    source: S,
    framer: LineFramer,
    buffer: Vec<u8>,
    /// Lines that were read and not handed out, the next one last.
    lines: Vec<Line>,
    /// How often it was read, so that a thread sees whether another one has.
    reads: u64,
    /// Whether the last read took as much as it could.
    filled: bool,
    /// Whether the other threads were woken since the last read.
    others_woken: bool,
    ended: bool,
    /// Dropped when everything was handed out, which is how the end is noticed.
    end: Option<oneshot::Sender<()>>,
}

impl<S: ByteSource> Input<S> {
    pub(crate) fn new(source: S, line_limit: usize, end: oneshot::Sender<()>) -> Self {
        Self {
            source,
            framer: LineFramer::new(line_limit),
            buffer: vec![0; READ_SIZE],
            lines: Vec::new(),
            reads: 0,
            filled: false,
            others_woken: false,
            ended: false,
            end: Some(end),
        }
    }

    /// Whether lines were read that nobody has taken.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// How often it was read.
    pub(crate) fn reads(&self) -> u64 {
        self.reads
    }

    /// The next of the lines that were read.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        self.lines.pop()
    }

    /// Whether the last read may have left something, although nobody is woken for it.
    pub(crate) fn has_rest(&self) -> bool {
        self.filled && self.is_ready()
    }

    /// Whether there is something to read, or the end.
    pub(crate) fn is_ready(&self) -> bool {
        descriptor::is_readable(&self.source)
    }

    /// Whether the other threads have to be woken for what is left; true once for each read.
    pub(crate) fn take_wake_up(&mut self) -> bool {
        let has_more = self.has_lines() || self.filled;
        has_more && !std::mem::replace(&mut self.others_woken, true)
    }

    /// Whether the end was read.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Says that the end was read and every line taken.
    pub(crate) fn announce_end(&mut self) {
        self.end = None;
    }

    /// Reads what there is, and blocks until there is something.
    pub(crate) fn read(&mut self) {
        self.reads += 1;
        self.others_woken = false;
        match descriptor::read(&mut self.source, &mut self.buffer) {
            Ok(0) => {
                self.ended = true;
                self.filled = false;
                self.framer.finish(&mut self.lines);
            }
            Ok(count) => {
                self.filled = count == self.buffer.len();
                self.framer.push(&self.buffer[..count], &mut self.lines);
            }
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read any more");
                self.ended = true;
            }
        }
        self.lines.reverse();
    }
}
