//! Lines from standard input: threads take turns in reading, so that one may do what a line asks
//! for, and block in it, while another reads on.
//!
//! [`Stdio`](crate::Stdio) starts the threads, the serve loop says what is done with a line.
//! Whoever holds the input reads; lines are begun in their order, under that lock.

use crate::descriptor;
use crate::framing::{Line, LineFramer};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

const READ_SIZE: usize = 64 * 1024;

/// What is done with the lines of the input.
pub trait LineHandler: Send + Sync + 'static {
    /// What is left to do for a line.
    type Work;

    /// What the work ends with.
    type Answer;

    /// Takes the lines, one after the other. Must not block: while it does, nothing is read.
    fn begin(&self, line: Line) -> Option<Self::Work>;

    /// Does the work on this thread, which may block: another one reads.
    fn run_here(&self, work: Self::Work) -> Option<Self::Answer>;

    /// Sends the answer. May block only while the peer does not read.
    fn deliver(&self, answer: Self::Answer);

    /// Has the work done on another thread. Must not block.
    fn run_elsewhere(&self, work: Self::Work);
}

/// What the reading threads share.
pub(crate) struct Reading<I, H> {
    /// Gone when the input has ended.
    input: Mutex<Option<I>>,
    /// How many threads wait for their turn.
    waiting: AtomicUsize,
    handler: Arc<H>,
}

impl<I: Iterator<Item = Line>, H: LineHandler> Reading<I, H> {
    pub(crate) fn new(input: I, handler: Arc<H>) -> Self {
        Self { input: Mutex::new(Some(input)), waiting: AtomicUsize::new(0), handler }
    }

    /// Reads, and works on what was read, until the input has ended. A thread's whole life.
    pub(crate) fn take_turns(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        while let Some(work) = self.next_work() {
            let answer = self.handler.run_here(work);
            // It counts as waiting before the peer has its answer and may ask again. If the answer
            // cannot be written, the peer does not read, and need not be read from.
            self.waiting.fetch_add(1, Ordering::Relaxed);
            if let Some(answer) = answer {
                self.handler.deliver(answer);
            }
        }
    }

    /// Reads until there is work and another thread that reads on; `None` at the end. The thread
    /// counts as waiting already.
    fn next_work(&self) -> Option<H::Work> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        loop {
            let Some(line) = input.as_mut()?.next() else {
                *input = None;
                return None;
            };
            match self.handler.begin(line) {
                // The one who waits wakes up as soon as the input is let go of.
                Some(work) if self.waiting.load(Ordering::Relaxed) > 0 => return Some(work),
                Some(work) => self.handler.run_elsewhere(work),
                None => {}
            }
        }
    }
}

/// Standard input, cut into lines; the next one blocks until it is there.
pub(crate) struct Input {
    source: io::Stdin,
    framer: LineFramer,
    buffer: Vec<u8>,
    /// Lines that were read and not handed out, the next one last.
    lines: Vec<Line>,
    ended: bool,
    /// Dropped with the input, which is how its end is noticed.
    _end: oneshot::Sender<()>,
}

impl Input {
    pub(crate) fn new(line_limit: usize, end: oneshot::Sender<()>) -> Self {
        Self {
            source: io::stdin(),
            framer: LineFramer::new(line_limit),
            buffer: vec![0; READ_SIZE],
            lines: Vec::new(),
            ended: false,
            _end: end,
        }
    }
}

impl Iterator for Input {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.lines.pop() {
                return Some(line);
            }
            if self.ended {
                return None;
            }
            match descriptor::read(&mut self.source, &mut self.buffer) {
                Ok(0) => {
                    self.ended = true;
                    self.framer.finish(&mut self.lines);
                }
                Ok(count) => self.framer.push(&self.buffer[..count], &mut self.lines),
                Err(error) => {
                    tracing::warn!(%error, "standard input cannot be read any more");
                    return None;
                }
            }
            self.lines.reverse();
        }
    }
}

#[cfg(test)]
mod tests;
