//! Lines from standard input: threads take turns in reading, so that one may do what a line asks
//! for, and block in it, while another reads on.
//!
//! [`Stdio`](crate::Stdio) starts the threads, the serve loop says what is done with a line.
//! Whoever holds the input reads; lines are begun in their order, under that lock.

use crate::descriptor::ByteSource;
use crate::framing::Line;
use crate::input::Input;
use crate::readiness::ReadinessWatch;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
pub(crate) struct Reading<S, H> {
    input: Mutex<Input<S>>,
    /// How many threads wait for their turn.
    waiting: AtomicUsize,
    handler: Arc<H>,
}

/// How a thread gets its turn.
#[derive(Debug)]
pub(crate) struct ReadingTurn {
    /// Without it, the lock on the input is where threads wait: for the one that reads, and
    /// blocks in it.
    watch: Option<ReadinessWatch>,
    /// How often the input had been read when this thread did so last.
    reads: u64,
}

impl ReadingTurn {
    /// One for each of the threads that read a source. They wait in the same way: one that blocks
    /// in reading would not notice what another one is woken for.
    pub(crate) fn several(source: &impl ByteSource, count: usize) -> Vec<Self> {
        let turn = |watch| Self { watch, reads: 0 };
        match ReadinessWatch::several(source, count) {
            Some(watches) => watches.into_iter().map(Some).map(turn).collect(),
            None => (0..count).map(|_| turn(None)).collect(),
        }
    }

    /// Waits until there is something to do.
    fn wait(&self) -> Woken {
        match &self.watch {
            Some(watch) if watch.wait() => Woken::ByInput,
            Some(_) => Woken::ByThread,
            None => Woken::Never,
        }
    }

    /// Whether there is something to read, so that nobody blocks in it who holds the input.
    fn may_read<S: ByteSource>(&self, input: &Input<S>, woken: Woken) -> bool {
        match woken {
            _ if self.watch.is_none() => true,
            Woken::Never => false,
            Woken::ByInput if input.reads() == self.reads => true,
            // Another thread may have been faster.
            Woken::ByInput | Woken::ByThread => input.is_ready(),
        }
    }

    /// Sees to it that whoever waits reads on, before this thread does something else.
    fn wake_others<S: ByteSource>(&self, input: &mut Input<S>, woken: Woken) {
        let Some(watch) = &self.watch else { return };
        // What woke this thread has woken no other, and may still be there.
        let is_unread = matches!(woken, Woken::ByInput);
        if is_unread || input.take_wake_up() {
            watch.wake_others();
        }
    }
}

impl Drop for ReadingTurn {
    /// A thread that ends, or panics, leaves the rest to the others.
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.wake_others();
        }
    }
}

/// What has woken a thread since it read.
#[derive(Clone, Copy)]
enum Woken {
    Never,
    ByInput,
    ByThread,
}

impl<S: ByteSource, H: LineHandler> Reading<S, H> {
    pub(crate) fn new(input: Input<S>, handler: Arc<H>) -> Self {
        Self { input: Mutex::new(input), waiting: AtomicUsize::new(0), handler }
    }

    /// Reads, and works on what was read, until the input has ended. A thread's whole life.
    pub(crate) fn take_turns(&self, mut turn: ReadingTurn) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        while let Some(work) = self.next_work(&mut turn) {
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
    fn next_work(&self, turn: &mut ReadingTurn) -> Option<H::Work> {
        let mut woken = Woken::Never;
        loop {
            let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            if input.has_ended() {
                return None;
            }
            if !input.has_lines() && turn.may_read(&input, woken) {
                input.read();
                turn.reads = input.reads();
                woken = Woken::Never;
            }
            let work = self.take_lines(&mut input);
            if input.has_ended() {
                input.announce_end();
                return work;
            }
            if work.is_some() {
                turn.wake_others(&mut input, woken);
                return work;
            }
            let has_rest = input.has_rest();
            self.waiting.fetch_add(1, Ordering::Relaxed);
            drop(input);
            woken = if has_rest { Woken::ByThread } else { turn.wait() };
        }
    }

    /// Takes lines that were read until there is work for this thread.
    fn take_lines(&self, input: &mut Input<S>) -> Option<H::Work> {
        while let Some(line) = input.next_line() {
            match self.handler.begin(line) {
                Some(work) if self.waiting.load(Ordering::Relaxed) > 0 => return Some(work),
                Some(work) => self.handler.run_elsewhere(work),
                None => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
