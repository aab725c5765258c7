//! Positions stay valid while old output is dropped.

use super::{MAX_PIECES, OutputRing};
use hobnob_mcp_engine::OutputStream::{Stderr, Stdout};

/// The output from a position in short form: missed bytes, texts, next position.
fn part(ring: &OutputRing, position: u64) -> (u64, String, u64) {
    let part = ring.since(position);
    let text = part.pieces.iter().map(|it| format!("{}:{} ", &it.stream.as_str()[3..], it.text));
    (part.missed, text.collect(), part.next)
}

#[test]
fn a_reader_goes_on_where_it_was() {
    let mut ring = OutputRing::new(100);
    assert_eq!(part(&ring, 0), (0, String::new(), 0));
    ring.push(Stdout, "one");
    ring.push(Stderr, "two");
    ring.push(Stderr, "ä");
    assert_eq!(part(&ring, 0), (0, "out:one err:twoä ".into(), 8));
    assert_eq!(part(&ring, 2), (0, "out:e err:twoä ".into(), 8));
    assert_eq!(part(&ring, 3), (0, "err:twoä ".into(), 8));
    assert_eq!(part(&ring, 7), (0, "err:ä ".into(), 8), "inside of a character");
    assert_eq!(part(&ring, 8), (0, String::new(), 8));
    assert_eq!(part(&ring, u64::MAX), (0, String::new(), 8));
}

#[test]
fn whoever_comes_too_late_learns_what_it_missed() {
    let mut ring = OutputRing::new(10);
    for number in 0..10 {
        ring.push(if number % 2 == 0 { Stdout } else { Stderr }, &number.to_string().repeat(4));
    }
    assert_eq!(part(&ring, 0), (30, "err:77 out:8888 err:9999 ".into(), 40));
    assert_eq!(part(&ring, 29), (1, "err:77 out:8888 err:9999 ".into(), 40));
    assert_eq!(part(&ring, 33), (0, "out:888 err:9999 ".into(), 40));
    ring.push(Stdout, &"x".repeat(1000));
    assert_eq!(part(&ring, 40), (990, format!("out:{} ", "x".repeat(10)), 1040));
    ring.push(Stdout, "ü😀ü😀");
    let (missed, text, next) = part(&ring, 0);
    assert_eq!((missed + 10, next), (1052, 1052), "{text}");
}

#[test]
fn small_pieces_are_bounded_in_number() {
    let mut ring = OutputRing::new(1 << 20);
    for _ in 0..MAX_PIECES {
        ring.push(Stdout, "a");
        ring.push(Stderr, "b");
    }
    assert_eq!(ring.since(0).pieces.len(), MAX_PIECES);
    assert_eq!(ring.end(), 2 * MAX_PIECES as u64);
}
