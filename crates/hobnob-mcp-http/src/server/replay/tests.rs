//! The account of the bytes that streams store for resumption.

use super::{Replay, ReplayLog};
use crate::server::options::SessionLimits;
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const MAX_BYTES: usize = 100;

fn fill(log: &ReplayLog, numbers: std::ops::Range<u64>) {
    for number in numbers {
        log.push(number, Bytes::from_static(&[b'x'; 10]), &SessionLimits::default());
    }
}

/// How many events are still stored.
fn count(log: &ReplayLog) -> usize {
    log.events.lock().queue.len()
}

fn bytes(replay: &Arc<Replay>) -> usize {
    replay.bytes.load(Ordering::Relaxed)
}

#[test]
fn streams_that_have_ended_make_room_in_the_order_of_their_ends() {
    let replay = Replay::new(MAX_BYTES);
    let [first, second, running] = [(); 3].map(|()| ReplayLog::new(&replay));
    fill(&first, 0..3);
    fill(&second, 0..3);
    fill(&running, 0..4);
    second.end();
    first.end();
    let counts = || [count(&first), count(&second), count(&running)];
    assert_eq!((counts(), bytes(&replay)), ([3, 3, 4], MAX_BYTES));
    fill(&running, 4..5);
    assert_eq!(counts(), [3, 0, 5]);
    fill(&running, 5..8);
    assert_eq!(counts(), [0, 0, 8]);
    fill(&running, 8..50);
    assert_eq!((counts(), bytes(&replay)), ([0, 0, 10], MAX_BYTES));
}

#[test]
fn running_streams_give_way_themselves_and_the_bound_holds() {
    let replay = Replay::new(MAX_BYTES);
    let streams = [(); 30].map(|()| ReplayLog::new(&replay));
    for end in 1..=30 {
        for stream in &streams {
            fill(stream, end - 1..end);
            assert!(bytes(&replay) <= MAX_BYTES);
        }
    }
    assert_eq!(streams.iter().map(count).sum::<usize>(), 10);
}

#[test]
fn what_is_dropped_or_read_to_its_end_no_longer_counts() {
    let replay = Replay::new(MAX_BYTES);
    let [dropped, ended, read] = [(); 3].map(|()| ReplayLog::new(&replay));
    for stream in [&dropped, &ended, &read] {
        fill(stream, 0..2);
    }
    ended.end();
    read.end();
    drop(dropped);
    assert_eq!(bytes(&replay), 40);
    read.clear();
    assert_eq!((bytes(&replay), count(&read)), (20, 0));
    assert_eq!(read.after(1), Some(Bytes::new()), "there is nothing more, and that is known");
    drop([ended, read]);
    assert_eq!(bytes(&replay), 0);
    assert!(replay.ended.lock().streams.is_empty());
}

#[test]
fn only_an_event_of_this_stream_is_followed_by_the_rest_of_it() {
    let log = ReplayLog::new(&Replay::new(MAX_BYTES));
    let limits = SessionLimits { events: 2, ..SessionLimits::default() };
    // The other numbers belong to other streams of the session.
    for (number, event) in [(3, "a"), (5, "b"), (9, "c")] {
        log.push(number, Bytes::from_static(event.as_bytes()), &limits);
    }
    let known = (0..12).filter_map(|number| Some((number, log.after(number)?)));
    let known: Vec<(u64, Bytes)> = known.collect();
    // The first event was dropped, but the events after it are stored.
    assert_eq!(known, [(3, "bc".into()), (5, "c".into()), (9, "".into())]);
}
