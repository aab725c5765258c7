//! The bytes of the input, cut into lines. The reading threads share one [`Input`] under a lock.

use crate::descriptor::{self, ByteSource};
use crate::framing::{Line, LineFramer};
use tokio::sync::oneshot;

/// The maximum number of bytes per read.
pub(crate) const READ_SIZE: usize = 64 * 1024;

/// An input that is read in lines.
pub(crate) struct Input<S> {
    source: S,
    framer: LineFramer,
    buffer: Vec<u8>,
    /// Lines that were read but not handed out yet, the next one last.
    lines: Vec<Line>,
    /// The number of reads, so that a thread notices when another one has read.
    reads: u64,
    /// Whether the last read filled the buffer.
    filled: bool,
    /// Whether the other threads were woken since the last read.
    others_woken: bool,
    ended: bool,
    /// Dropped when every line was handed out, which tells the receiver that the input has ended.
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

    /// Whether there are lines that no thread has taken yet.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The number of reads so far.
    pub(crate) fn reads(&self) -> u64 {
        self.reads
    }

    /// The next line that was read.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        self.lines.pop()
    }

    /// Whether the last read may have left bytes, for which no thread is woken.
    pub(crate) fn has_rest(&self) -> bool {
        self.filled && self.is_ready()
    }

    /// Whether a read would return at once, with bytes or with the end.
    pub(crate) fn is_ready(&self) -> bool {
        descriptor::is_readable(&self.source)
    }

    /// Whether the other threads must be woken for what is left; true at most once per read.
    pub(crate) fn take_wake_up(&mut self) -> bool {
        let has_more = self.has_lines() || self.filled;
        has_more && !std::mem::replace(&mut self.others_woken, true)
    }

    /// Whether the end was read.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Announces that the end was read and every line was taken.
    pub(crate) fn announce_end(&mut self) {
        self.end = None;
    }

    /// Reads the bytes that are available; blocks until there are some.
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
