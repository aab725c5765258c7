//! Takes a program's output: lines go into a bounded queue, and the end of what it wrote to its
//! standard error is kept.
//!
//! A slow reader of the queue holds the program up, since nothing is read from it meanwhile.

use super::json_lines::{LineSplitter, SplitLine};
use super::limits::KEPT_STDERR;
use crate::commands::OutputReceiver;
use hobnob_mcp_engine::OutputStream;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// Lines that may wait to be understood.
const WAITING_LINES: usize = 16;

/// One line of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProgramLine {
    Text(String),
    /// It was longer than any may be.
    TooLong,
}

/// Cuts what a program writes into lines, and queues them.
pub(super) struct LineReceiver {
    splitter: LineSplitter,
    /// Lines that have no place in the queue yet: at most what one read brought.
    cut: Mutex<VecDeque<ProgramLine>>,
    queue: mpsc::Sender<ProgramLine>,
    stderr: String,
}

impl LineReceiver {
    /// The receiver, and where its lines come out.
    pub(super) fn new() -> (Self, mpsc::Receiver<ProgramLine>) {
        let (queue, lines) = mpsc::channel(WAITING_LINES);
        let (splitter, cut, stderr) = (LineSplitter::default(), Mutex::default(), String::new());
        (Self { splitter, cut, queue, stderr }, lines)
    }

    /// Queues what is left once the program has ended, and returns the end of what it wrote to its
    /// standard error.
    pub(super) async fn finish(mut self) -> String {
        let cut = self.cut.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.splitter.finish(|line| cut.push_back(ProgramLine::from(line)));
        self.room().await;
        self.stderr
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ProgramLine>> {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner)
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
            // Nobody reads any more if this fails, and then nothing is to be kept either.
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
                let cut = self.cut.get_mut().unwrap_or_else(PoisonError::into_inner);
                self.splitter.push(text, |line| cut.push_back(ProgramLine::from(line)));
            }
            OutputStream::Stderr => {
                self.stderr.push_str(text);
                let extra = self.stderr.len().saturating_sub(KEPT_STDERR);
                drop(self.stderr.drain(..self.stderr.ceil_char_boundary(extra)));
            }
        }
    }
}
