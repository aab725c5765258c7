//! Receives a program's output: lines of standard output go into a bounded queue, and the last
//! bytes of standard error are kept.
//!
//! A slow reader of the queue applies back pressure: the program's output is not read meanwhile.

use super::json_lines::{LineSplitter, SplitLine};
use super::limits::STDERR_TAIL_BYTES;
use crate::commands::OutputReceiver;
use hobnob_mcp_engine::OutputStream;
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use tokio::sync::mpsc;

/// Capacity of the line queue.
const QUEUE_CAPACITY: usize = 16;

/// One line of a program's standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProgramLine {
    Text(String),
    /// The line was over the size limit.
    TooLong,
}

/// Splits a program's standard output into lines, and queues them.
pub(super) struct LineReceiver {
    splitter: LineSplitter,
    /// Lines that have no place in the queue yet: at most those of one read.
    cut: Mutex<VecDeque<ProgramLine>>,
    queue: mpsc::Sender<ProgramLine>,
    stderr: String,
}

impl LineReceiver {
    /// The receiver, and the queue that its lines come out of.
    pub(super) fn new() -> (Self, mpsc::Receiver<ProgramLine>) {
        let (queue, lines) = mpsc::channel(QUEUE_CAPACITY);
        let (splitter, cut, stderr) = (LineSplitter::default(), Mutex::default(), String::new());
        (Self { splitter, cut, queue, stderr }, lines)
    }

    /// Queues the remaining lines after the program has ended, and returns the last bytes of its
    /// standard error.
    pub(super) async fn finish(mut self) -> String {
        let cut = self.cut.get_mut();
        self.splitter.finish(|line| cut.push_back(ProgramLine::from(line)));
        self.room().await;
        self.stderr
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ProgramLine>> {
        self.cut.lock()
    }
}

impl From<SplitLine<'_>> for ProgramLine {
    fn from(line: SplitLine<'_>) -> Self {
        match line {
            SplitLine::Whole(text) => Self::Text(text.to_owned()),
            SplitLine::TooLong => Self::TooLong,
        }
    }
}

impl OutputReceiver for LineReceiver {
    async fn room(&self) {
        while !self.lock().is_empty() {
            // This fails if the reader is gone, and then the lines need not be kept either.
            let Ok(place) = self.queue.reserve().await else { return };
            let line = self.lock().pop_front();
            if let Some(line) = line {
                place.send(line);
            }
        }
    }

    fn receive(&mut self, stream: OutputStream, text: &str) {
        match stream {
            OutputStream::Stdout => {
                let cut = self.cut.get_mut();
                self.splitter.push(text, |line| cut.push_back(ProgramLine::from(line)));
            }
            OutputStream::Stderr => {
                self.stderr.push_str(text);
                let extra = self.stderr.len().saturating_sub(STDERR_TAIL_BYTES);
                drop(self.stderr.drain(..self.stderr.ceil_char_boundary(extra)));
            }
        }
    }
}
