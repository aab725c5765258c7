//! Which thread does the work of a line: the thread that has read it, if another one reads on.

mod arrivals;

use super::{LineHandler, Reading, ReadingTurn, Woken};
use crate::framing::Line;
use crate::input::{Input, READ_SIZE};
use std::io::{PipeReader, PipeWriter, Seek as _, Write as _, pipe};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot::{self, error::TryRecvError};

#[derive(Debug, PartialEq)]
enum Event {
    Here(Vec<u8>),
    Elsewhere(Vec<u8>),
}

/// Reports where each line is worked on; the work of `block` waits for the test.
struct Reporter {
    events: SyncSender<Event>,
    gate: Arc<Barrier>,
}

impl LineHandler for Reporter {
    type Work = Vec<u8>;
    type Answer = Event;

    fn begin(&self, line: Line) -> Option<Vec<u8>> {
        let text = text(line)?;
        assert_ne!(text, b"panic");
        Some(text).filter(|text| text != b"nothing")
    }

    fn run_here(&self, work: Vec<u8>) -> Option<Event> {
        if work == b"block" {
            self.events.send(Event::Here(work)).unwrap();
            self.gate.wait();
            return None;
        }
        Some(Event::Here(work))
    }

    fn deliver(&self, answer: Event) {
        self.events.send(answer).unwrap();
    }

    fn run_elsewhere(&self, work: Vec<u8>) {
        self.events.send(Event::Elsewhere(work)).unwrap();
    }
}

fn text(line: Line) -> Option<Vec<u8>> {
    match line {
        Line::Text(text) => Some(text),
        Line::TooLong { .. } => None,
    }
}

/// How the threads wait for their turn.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    /// With a watch, as for a pipe on Linux.
    ForThePipe,
    /// For the lock on the input, as for a file and on systems other than Linux.
    ForTheLock,
}

const BOTH: [Waiting; 2] = [Waiting::ForThePipe, Waiting::ForTheLock];

/// Threads that read a pipe until it ends.
struct Readers {
    threads: Vec<JoinHandle<()>>,
    ended: oneshot::Receiver<()>,
}

impl Readers {
    fn start(
        source: PipeReader,
        count: usize,
        waiting: Waiting,
        handler: impl LineHandler,
    ) -> Self {
        let turns = match waiting {
            Waiting::ForThePipe => ReadingTurn::for_threads(&source, count),
            Waiting::ForTheLock => ReadingTurn::for_threads(&tempfile::tempfile().unwrap(), count),
        };
        let (end, ended) = oneshot::channel();
        let reading = Arc::new(Reading::new(Input::new(source, 1024, end), Arc::new(handler)));
        let read = |turn| {
            let reading = Arc::clone(&reading);
            thread::spawn(move || reading.take_turns(turn))
        };
        Self { threads: turns.into_iter().map(read).collect(), ended }
    }

    fn join(self) {
        self.threads.into_iter().for_each(|reader| reader.join().unwrap());
    }
}

struct Stage {
    lines: PipeWriter,
    events: Receiver<Event>,
    gate: Arc<Barrier>,
    readers: Readers,
}

impl Stage {
    fn new(readers: usize, waiting: Waiting) -> Self {
        let (source, lines) = pipe().unwrap();
        let (sender, events) = sync_channel(1);
        let gate = Arc::new(Barrier::new(2));
        let reporter = Reporter { events: sender, gate: Arc::clone(&gate) };
        Self { lines, events, gate, readers: Readers::start(source, readers, waiting, reporter) }
    }

    fn write(&self, text: &str) {
        (&self.lines).write_all(text.as_bytes()).unwrap();
    }

    fn send(&self, line: &str) -> Event {
        self.write(&format!("{line}\n"));
        self.events.recv().unwrap()
    }

    /// Sends lines until a reading thread does the work: the second one may take a moment to start.
    fn send_until_here(&self, line: &str) {
        let mut tries = (0..1_000_000).map(|_| self.send(line));
        assert!(tries.any(|event| event == Event::Here(line.into())));
    }

    fn end(self) {
        drop(self.lines);
        self.readers.join();
    }
}

fn here(line: &str) -> Event {
    Event::Here(line.into())
}

fn elsewhere(line: &str) -> Event {
    Event::Elsewhere(line.into())
}

#[test]
fn work_that_blocks_does_not_keep_other_lines_from_being_read() {
    for waiting in BOTH {
        let stage = Stage::new(2, waiting);
        stage.send_until_here("block");
        // No other thread reads, so the reading thread must not do the work.
        assert_eq!(stage.send("one"), elsewhere("one"));
        assert_eq!(stage.send("two"), elsewhere("two"));
        stage.gate.wait();
        stage.end();
    }
}

#[test]
fn lines_that_came_together_with_work_that_blocks_are_begun() {
    for waiting in BOTH {
        let stage = Stage::new(2, waiting);
        stage.send_until_here("first");
        stage.write("block\none\nnothing\ntwo\n");
        let events = stage.events.iter().take(3).collect::<Vec<_>>();
        for event in [here("block"), elsewhere("one"), elsewhere("two")] {
            assert!(events.contains(&event), "{waiting:?}: {events:?}");
        }
        stage.gate.wait();
        stage.end();
    }
}

#[test]
fn the_end_is_announced_after_the_last_line_was_begun_and_before_its_work_is_done() {
    let (source, mut lines) = pipe().unwrap();
    let (end, mut ended) = oneshot::channel();
    let mut input = Input::new(source, 1024, end);
    lines.write_all(b"last").unwrap();
    drop(lines);
    input.read();
    assert!(!input.has_ended() && !input.has_lines());
    input.read();
    assert!(input.has_ended() && input.has_lines());
    assert_eq!(ended.try_recv(), Err(TryRecvError::Empty));

    for waiting in BOTH {
        let stage = Stage::new(2, waiting);
        stage.send_until_here("first");
        stage.write("block");
        drop(stage.lines);
        assert_eq!(stage.events.recv().unwrap(), here("block"));
        let Readers { threads, ended } = stage.readers;
        ended.blocking_recv().unwrap_err();
        stage.gate.wait();
        threads.into_iter().for_each(|reader| reader.join().unwrap());
    }
}

#[test]
fn others_are_woken_once_for_what_a_read_leaves_behind() {
    for (text, expected) in [("one\n".to_owned(), false), ("x".repeat(READ_SIZE), true)] {
        let mut source = tempfile::tempfile().unwrap();
        source.write_all(text.as_bytes()).unwrap();
        source.rewind().unwrap();
        let mut input = Input::new(source, 2 * READ_SIZE, oneshot::channel().0);
        input.read();
        input.next_line();
        assert_eq!((input.take_wake_up(), input.take_wake_up()), (expected, false));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_read_leaves_behind_is_read_while_work_blocks() {
    let short_lines = format!("{}\n", "x".repeat(900)).repeat(150);
    let long_line = format!("{}\n", "x".repeat(150_000));
    for rest in [short_lines, long_line] {
        let stage = Stage::new(2, Waiting::ForThePipe);
        rustix::pipe::fcntl_setpipe_size(&stage.lines, 256 * 1024).unwrap();
        stage.send_until_here("first");
        stage.write(&format!("block\n{rest}last\n"));
        assert!(stage.events.iter().any(|event| event == elsewhere("last")));
        stage.gate.wait();
        stage.end();
    }
}

#[test]
fn a_thread_that_panics_leaves_the_lines_to_the_other() {
    for waiting in BOTH {
        let stage = Stage::new(2, waiting);
        stage.send_until_here("first");
        stage.write("panic\none\n");
        assert_eq!(stage.events.recv().unwrap(), elsewhere("one"), "{waiting:?}");
        drop(stage.lines);
        let ends = stage.readers.threads.into_iter().map(|reader| reader.join().is_err());
        assert_eq!(ends.filter(|has_panicked| *has_panicked).count(), 1);
    }
}

#[test]
fn whoever_asks_after_each_answer_is_answered_by_a_reading_thread() {
    for waiting in BOTH {
        let stage = Stage::new(2, waiting);
        stage.send_until_here("first");
        for _ in 0..1_000 {
            assert_eq!(stage.send("next"), here("next"));
        }
        stage.end();
    }
}

#[test]
fn a_thread_that_reads_alone_does_no_work() {
    for waiting in BOTH {
        let stage = Stage::new(1, waiting);
        assert_eq!(stage.send("one"), elsewhere("one"));
        assert_eq!(stage.send("two"), elsewhere("two"));
        stage.end();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_blocks_in_reading_what_another_thread_has_read() {
    let (source, mut lines) = pipe().unwrap();
    let turns = ReadingTurn::for_threads(&source, 2);
    let mut input = Input::new(source, 1024, oneshot::channel().0);
    lines.write_all(b"one\n").unwrap();
    let woken = turns[0].wait();
    assert!(turns[0].may_read(&input, woken));
    input.read();
    assert!(!turns[0].may_read(&input, woken));
}

#[test]
#[cfg(target_os = "linux")]
fn a_thread_that_does_not_read_what_it_was_woken_for_wakes_another() {
    let (source, mut lines) = pipe().unwrap();
    let turns = ReadingTurn::for_threads(&source, 2);
    let mut input = Input::new(source, 1024, oneshot::channel().0);
    turns[0].wake_others(&mut input, Woken::ByInput);
    let woken = turns[1].wait();
    assert!(matches!(woken, Woken::ByThread));
    assert!(!turns[1].may_read(&input, woken));
    lines.write_all(b"one\n").unwrap();
    assert!(turns[1].may_read(&input, woken));
}
