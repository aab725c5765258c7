//! The ring gives each reader every frame once, in order, or says that it cannot.

use super::{FrameLog, MAX_BYTES, MAX_FRAMES, NextFrame};

/// Reads from `id` to the end; `None` if a frame is gone.
fn read(log: &FrameLog, mut id: u64) -> Option<Vec<u64>> {
    let mut ids = Vec::new();
    loop {
        match log.after(id) {
            NextFrame::Frame(next, _) => {
                ids.push(next);
                id = next;
            }
            NextFrame::UpToDate => return Some(ids),
            NextFrame::Gone => return None,
        }
    }
}

#[test]
fn readers_get_what_they_have_not_read() {
    let mut log = FrameLog::new(100, MAX_BYTES);
    assert_eq!(read(&log, 100), Some(vec![]));
    (0..3).for_each(|number| log.push("calls", &number));
    for (from, expected) in [
        (100, Some(vec![101, 102, 103])),
        (102, Some(vec![103])),
        (103, Some(vec![])),
        (99, None),
        (0, None),
        (104, None),
        (u64::MAX, None),
    ] {
        assert_eq!(read(&log, from), expected, "from {from}");
    }
    let block = match log.after(102) {
        NextFrame::Frame(_, block) => String::from_utf8(block.to_vec()).unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(block, "id: 103\nevent: calls\ndata: 2\n\n");
}

#[test]
fn the_ring_is_bounded_in_number_and_in_bytes() {
    let mut log = FrameLog::new(0, MAX_BYTES);
    (0..MAX_FRAMES + 10).for_each(|number| log.push("calls", &number));
    assert_eq!(read(&log, 9), None);
    assert_eq!(read(&log, 10).unwrap().len(), MAX_FRAMES);
    let large = "x".repeat(MAX_BYTES / 4);
    let before = log.last();
    (0..6).for_each(|_| log.push("calls", &large));
    assert!(log.bytes <= MAX_BYTES);
    assert_eq!(read(&log, before), None);
    assert_eq!(read(&log, log.last() - 3).unwrap().len(), 3);
    // One frame that is larger than the ring is gone at once.
    log.push("calls", &"x".repeat(MAX_BYTES + 1));
    assert_eq!((read(&log, log.last() - 1), log.bytes), (None, 0));
}

#[test]
fn a_gap_is_a_gap_for_readers_who_had_read_everything() {
    let mut log = FrameLog::new(0, MAX_BYTES);
    log.push("calls", &1);
    let last = log.last();
    log.forget();
    assert_eq!(read(&log, last), None);
}
