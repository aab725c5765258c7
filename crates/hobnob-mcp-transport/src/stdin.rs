//! Lines from standard input, read by threads in the Leader/Followers pattern: the thread that has
//! read a line does its work, which may block, while another thread reads on.
//!
//! [`Stdio`](crate::Stdio) starts the threads, the serve loop provides the [`LineHandler`].
//! Invariant: the thread that holds the lock on the input reads, and begins the lines in order.

use crate::descriptor::ByteSource;
use crate::framing::Line;
use crate::input::Input;
use crate::readiness::ReadinessWatch;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Handles the lines of the input.
pub trait LineHandler: Send + Sync + 'static {
    /// The work that is left to do for a line.
    type Work;

    /// The outcome of the work.
    type Answer;

    /// Takes the lines one after the other, in order. No thread reads meanwhile, so this may block
    /// only to slow down a peer that does not read its answers.
    fn begin(&self, line: Line) -> Option<Self::Work>;

    /// Does the work on the calling thread. May block: another thread reads on.
    fn run_here(&self, work: Self::Work) -> Option<Self::Answer>;

    /// Sends the answer. May block only while the peer does not read.
    fn deliver(&self, answer: Self::Answer);

    /// Has the work done on another thread. Must not block.
    fn run_elsewhere(&self, work: Self::Work);
}

/// What the reading threads share.
pub(crate) struct Reading<S, H> {
    input: Mutex<Input<S>>,
    /// The number of threads that wait for their turn.
    waiting: AtomicUsize,
    handler: Arc<H>,
}

/// What one thread needs to wait for its turn.
#[derive(Debug)]
pub(crate) struct ReadingTurn {
    /// `None` if the input cannot be watched. The threads then wait for the lock on the input, and
    /// the thread that holds it blocks in the read.
    watch: Option<ReadinessWatch>,
    /// The number of reads of the input when this thread last read.
    reads: u64,
}

impl ReadingTurn {
    /// One turn for each of the `count` threads that read a source. Either all of them have a watch
    /// or none has: a thread that blocks in a read would not notice when another one wakes it.
    pub(crate) fn for_threads(source: &impl ByteSource, count: usize) -> Vec<Self> {
        let turn = |watch| Self { watch, reads: 0 };
        match ReadinessWatch::for_threads(source, count) {
            Some(watches) => watches.into_iter().map(Some).map(turn).collect(),
            None => (0..count).map(|_| turn(None)).collect(),
        }
    }

    /// Waits until there is something to read, or another thread wakes this one.
    fn wait(&self) -> Woken {
        match &self.watch {
            Some(watch) if watch.wait() => Woken::ByInput,
            Some(_) => Woken::ByThread,
            None => Woken::Never,
        }
    }

    /// Whether this thread may read: with a watch, it must not block while it holds the input.
    fn may_read<S: ByteSource>(&self, input: &Input<S>, woken: Woken) -> bool {
        match woken {
            _ if self.watch.is_none() => true,
            Woken::Never => false,
            Woken::ByInput if input.reads() == self.reads => true,
            // Another thread may have read it first.
            Woken::ByInput | Woken::ByThread => input.is_ready(),
        }
    }

    /// Wakes the waiting threads if something is left to read, before this thread works.
    fn wake_others<S: ByteSource>(&self, input: &mut Input<S>, woken: Woken) {
        let Some(watch) = &self.watch else { return };
        // The arrival that woke this thread has woken no other, and may still be unread.
        let is_unread = matches!(woken, Woken::ByInput);
        if is_unread || input.take_wake_up() {
            watch.wake_others();
        }
    }
}

impl Drop for ReadingTurn {
    /// A thread that ends or panics leaves the rest of the input to the others.
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.wake_others();
        }
    }
}

/// What has woken a thread since it last read.
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

    /// The main function of a reading thread: reads and works until the input has ended.
    pub(crate) fn take_turns(&self, mut turn: ReadingTurn) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        while let Some(work) = self.next_work(&mut turn) {
            let answer = self.handler.run_here(work);
            // The thread counts as waiting before the peer gets its answer and may send again. If
            // the answer cannot be written, the peer does not read, and need not be read from.
            self.waiting.fetch_add(1, Ordering::Relaxed);
            if let Some(answer) = answer {
                self.handler.deliver(answer);
            }
        }
    }

    /// Reads until there is work and another thread that can read on; `None` at the end. The caller
    /// has already counted this thread as waiting.
    fn next_work(&self, turn: &mut ReadingTurn) -> Option<H::Work> {
        let mut woken = Woken::Never;
        loop {
            let mut input = self.input.lock();
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

    /// Takes the lines that were read until one brings work for this thread.
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
