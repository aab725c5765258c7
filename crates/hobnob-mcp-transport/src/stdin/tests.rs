//! Who does the work of a line: a reading thread, as long as another one reads on.

use super::{LineHandler, Reading};
use crate::framing::Line;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};

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
        match line {
            Line::Text(text) => Some(text),
            Line::TooLong { .. } => None,
        }
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

struct Stage {
    lines: SyncSender<Line>,
    events: Receiver<Event>,
    gate: Arc<Barrier>,
    readers: Vec<JoinHandle<()>>,
}

impl Stage {
    fn new(readers: usize) -> Self {
        let (lines, source) = sync_channel(1);
        let (sender, events) = sync_channel(1);
        let gate = Arc::new(Barrier::new(2));
        let reporter = Reporter { events: sender, gate: Arc::clone(&gate) };
        let reading = Arc::new(Reading::new(source.into_iter(), Arc::new(reporter)));
        let read = |_| {
            let reading = Arc::clone(&reading);
            thread::spawn(move || reading.take_turns())
        };
        Self { lines, events, gate, readers: (0..readers).map(read).collect() }
    }

    fn send(&self, line: &str) -> Event {
        self.lines.send(Line::Text(line.into())).unwrap();
        self.events.recv().unwrap()
    }

    fn end(self) {
        drop(self.lines);
        self.readers.into_iter().for_each(|reader| reader.join().unwrap());
    }
}

#[test]
fn work_that_blocks_does_not_keep_other_lines_from_being_read() {
    let stage = Stage::new(2);
    // The second thread may take a moment to start.
    let mut tries = (0..1_000_000).map(|_| stage.send("block"));
    assert!(tries.any(|event| event == Event::Here(b"block".into())));
    // Nobody else reads, so the one who does may not do the work.
    assert_eq!(stage.send("one"), Event::Elsewhere(b"one".into()));
    assert_eq!(stage.send("two"), Event::Elsewhere(b"two".into()));
    stage.gate.wait();
    stage.end();
}

#[test]
fn whoever_asks_after_each_answer_is_answered_by_a_reading_thread() {
    let stage = Stage::new(2);
    // The second thread may take a moment to start.
    let mut tries = (0..1_000_000).map(|_| stage.send("first"));
    assert!(tries.any(|event| event == Event::Here(b"first".into())));
    for _ in 0..1_000 {
        assert_eq!(stage.send("next"), Event::Here(b"next".into()));
    }
    stage.end();
}

#[test]
fn a_thread_that_reads_alone_does_no_work() {
    let stage = Stage::new(1);
    assert_eq!(stage.send("one"), Event::Elsewhere(b"one".into()));
    assert_eq!(stage.send("two"), Event::Elsewhere(b"two".into()));
    stage.end();
}
