//! Model tests of the queue of frames: no frame is lost and no thread waits for ever.
//!
//! A lost wake-up is a deadlock here, and loom reports the interleaving that led to it.

use crate::outbox::{Merge, Outbox, OutboxLimits, Overflow};
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;

/// How many preemptions loom inserts per execution. Three find nearly every mistake; without a
/// bound the tests would take hours.
const MAX_PREEMPTIONS: usize = 3;

fn every_order(scene: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(MAX_PREEMPTIONS);
    model.check(scene);
}

fn outbox(overflow: Overflow) -> Arc<Outbox> {
    Arc::new(Outbox::new(OutboxLimits { bytes: 8, frames: 1, overflow }))
}

/// All frames until the end, joined into one text.
async fn read_all(outbox: &Outbox) -> String {
    let mut text = String::new();
    while let Some(frame) = outbox.frame().await {
        text += std::str::from_utf8(&frame.bytes).unwrap();
    }
    text
}

#[test]
fn every_answer_is_read_and_then_the_end() {
    every_order(|| {
        let outbox = outbox(Overflow::DropOldest);
        let writer = thread::spawn({
            let outbox = Arc::clone(&outbox);
            move || {
                outbox.reply("a", None);
                outbox.reply("b", None);
                outbox.finish();
            }
        });
        assert_eq!(block_on(read_all(&outbox)), "ab");
        writer.join().unwrap();
        assert_eq!(outbox.backlog(), 0);
    });
}

#[test]
fn answers_of_two_writers_are_read_once_each() {
    every_order(|| {
        let outbox = outbox(Overflow::DropOldest);
        let write = |text: &'static str| {
            let outbox = Arc::clone(&outbox);
            thread::spawn(move || outbox.reply(text, None))
        };
        let writers = [write("a"), write("b")];
        let read = block_on(async {
            let frames = [outbox.frame().await, outbox.frame().await];
            frames.map(|frame| frame.unwrap().bytes)
        });
        assert!(read == ["a", "b"] || read == ["b", "a"], "{read:?}");
        for writer in writers {
            writer.join().unwrap();
        }
        assert!(outbox.try_frame().is_none());
    });
}

#[test]
fn notes_are_dropped_and_counted_and_answers_are_not() {
    every_order(|| {
        let outbox = outbox(Overflow::DropOldest);
        let writer = thread::spawn({
            let outbox = Arc::clone(&outbox);
            move || {
                outbox.note("1", Merge::Never);
                outbox.note("2", Merge::Never);
                outbox.reply("a", None);
                outbox.finish();
            }
        });
        let read = block_on(read_all(&outbox));
        writer.join().unwrap();
        let expected = if outbox.dropped() == 0 { "12a" } else { "2a" };
        assert_eq!(read, expected);
    });
}

#[test]
fn whoever_waits_for_the_reader_goes_on_when_it_has_read() {
    every_order(|| {
        let outbox = outbox(Overflow::DropOldest);
        outbox.reply("a", None);
        let waiter = thread::spawn({
            let outbox = Arc::clone(&outbox);
            move || outbox.wait_below(0)
        });
        assert!(block_on(outbox.frame()).is_some());
        waiter.join().unwrap();
    });
}

#[test]
fn whoever_waits_for_the_reader_goes_on_at_the_end() {
    let ends: [fn(&Outbox); 3] = [
        Outbox::finish,
        Outbox::close,
        // A note that does not fit disconnects the reader.
        |outbox| {
            outbox.note("1", Merge::Never);
            outbox.note("2", Merge::Never);
        },
    ];
    for end in ends {
        every_order(move || {
            let outbox = outbox(Overflow::Cut);
            outbox.reply("a", None);
            let waiter = thread::spawn({
                let outbox = Arc::clone(&outbox);
                move || outbox.wait_below(0)
            });
            end(&outbox);
            waiter.join().unwrap();
        });
    }
}

#[test]
fn the_reader_and_whoever_watches_it_see_the_end() {
    every_order(|| {
        let outbox = outbox(Overflow::Cut);
        let watcher = thread::spawn({
            let outbox = Arc::clone(&outbox);
            move || block_on(outbox.closed())
        });
        let writer = thread::spawn({
            let outbox = Arc::clone(&outbox);
            move || {
                outbox.note("1", Merge::Never);
                outbox.close();
            }
        });
        // The reader gets the note in time, or `close` drops it with the rest.
        assert!(["", "1"].contains(&block_on(read_all(&outbox)).as_str()));
        writer.join().unwrap();
        watcher.join().unwrap();
    });
}

#[test]
fn whoever_watches_a_reader_sees_it_cut_off() {
    every_order(|| {
        let outbox = outbox(Overflow::Cut);
        let watcher = thread::spawn({
            let outbox = Arc::clone(&outbox);
            move || block_on(outbox.closed())
        });
        outbox.note("1", Merge::Never);
        outbox.note("2", Merge::Never);
        watcher.join().unwrap();
        assert!(outbox.is_closed());
    });
}
