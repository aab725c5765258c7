//! Framing and queue, as data.

use std::sync::Arc;
use std::thread;

use crate::{FrameKind, Line, LineFramer, Merge, Outbox, OutboxLimits, Overflow};

fn frame(limit: usize, reads: &[&[u8]]) -> Vec<String> {
    let mut framer = LineFramer::new(limit);
    let mut lines = Vec::new();
    for read in reads {
        framer.push(read, &mut lines);
    }
    framer.finish(&mut lines);
    let show = |line: Line| match line {
        Line::Text(text) => String::from_utf8_lossy(&text).into_owned(),
        Line::TooLong { limit, envelope } => match envelope.id {
            Some(id) => format!("over {limit} {:?} {id}", envelope.kind),
            None => format!("over {limit}"),
        },
    };
    lines.into_iter().map(show).collect()
}

#[test]
fn lines_are_cut_the_same_however_they_arrive() {
    let text = "\u{feff}{\"a\":\"ü😀\"}\r\n\n  \r\n{\"b\":2}\n{\"c\":3}".as_bytes();
    let expected = ["{\"a\":\"ü😀\"}", "{\"b\":2}", "{\"c\":3}"];
    assert_eq!(frame(100, &[text]), expected);
    for cut in 0..text.len() {
        assert_eq!(frame(100, &[&text[..cut], &text[cut..]]), expected, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(frame(100, &bytes), expected);
}

#[test]
fn a_long_line_is_reported_once_and_skipped() {
    let long = vec![b'x'; 50];
    assert_eq!(frame(10, &[&long, &long, b"\nok\n"]), ["over 10", "ok"]);
    assert_eq!(
        frame(10, &[b"0123456789\n", b"01234567890\n", b"ok"]),
        ["0123456789", "over 10", "ok"]
    );
    // The id and the kind are read in passing, at the head and at the tail, also of the last line.
    let tail = br#"{"result":{"text":"long"},"jsonrpc":"2.0","id":7}"#;
    for cut in 0..tail.len() {
        let reads: [&[u8]; 3] = [&tail[..cut], &tail[cut..], b"\nok"];
        assert_eq!(frame(10, &reads), ["over 10 Answer 7", "ok"], "cut at {cut}");
    }
    let head = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"#;
    assert_eq!(frame(10, &[head]), ["over 10 Call \"a\""]);
}

fn texts(outbox: &Outbox) -> Vec<String> {
    std::iter::from_fn(|| outbox.try_frame())
        .map(|frame| String::from_utf8_lossy(&frame.bytes).into_owned())
        .collect()
}

fn key(name: &str) -> Merge {
    Merge::Always(name.into())
}

#[test]
fn newer_notes_take_the_place_of_older_ones() {
    let outbox = Outbox::new(OutboxLimits::default());
    outbox.note(b"p1".to_vec(), key("p"));
    outbox.note(b"log".to_vec(), Merge::Never);
    outbox.note(b"p2".to_vec(), key("p"));
    outbox.reply(b"answer".to_vec(), None);
    assert_eq!(texts(&outbox), ["p2", "log", "answer"]);
}

#[test]
fn progress_is_merged_only_for_a_reader_that_falls_behind() {
    let outbox = Outbox::new(OutboxLimits { frames: 16, ..OutboxLimits::default() });
    for step in 0..10 {
        outbox.note(format!("{step}").into_bytes(), Merge::WhenBehind("p".into()));
    }
    assert_eq!(texts(&outbox), ["0", "1", "9"]);
    for step in 0..3 {
        outbox.note(format!("{step}").into_bytes(), Merge::WhenBehind("p".into()));
        assert_eq!(texts(&outbox).len(), 1);
    }
}

#[test]
fn a_full_queue_drops_notes_but_never_answers() {
    let limits = OutboxLimits { bytes: 6, frames: 2, overflow: Overflow::DropOldest };
    let outbox = Outbox::new(limits);
    outbox.reply(vec![b'a'; 100], None);
    for note in ["n1", "n2", "n3"] {
        outbox.note(note, Merge::Never);
    }
    outbox.note(b"12345".to_vec(), Merge::Never);
    assert_eq!(outbox.dropped(), 3);
    assert_eq!(texts(&outbox), [&"a".repeat(100), "12345"]);
}

#[test]
fn a_note_that_must_find_room_pushes_out_no_other() {
    for overflow in [Overflow::DropOldest, Overflow::Cut] {
        let outbox = Outbox::new(OutboxLimits { bytes: 6, frames: 3, overflow });
        outbox.note(b"log".to_vec(), Merge::Never);
        assert!(outbox.note_if_room(b"ab".to_vec()));
        assert!(!outbox.note_if_room(b"cd".to_vec()), "too many bytes");
        assert!(outbox.note_if_room(b"e".to_vec()));
        assert!(!outbox.note_if_room(b"".to_vec()), "too many notes");
        assert_eq!(texts(&outbox), ["log", "ab", "e"]);
        assert!(outbox.note_if_room(b"f".to_vec()), "there is room again");
        outbox.finish();
        assert!(!outbox.note_if_room(b"g".to_vec()));
        assert_eq!(texts(&outbox), ["f"]);
    }
}

#[test]
fn a_slow_reader_is_cut_where_the_limits_say_so() {
    let outbox = Outbox::new(OutboxLimits { bytes: 4, frames: 9, overflow: Overflow::Cut });
    outbox.note(b"1234".to_vec(), Merge::Never);
    assert!(!outbox.is_closed());
    outbox.note(b"5".to_vec(), Merge::Never);
    assert!(outbox.is_closed());
    outbox.reply(b"late".to_vec(), None);
    assert!(texts(&outbox).is_empty());
}

#[tokio::test]
async fn the_reader_ends_after_what_waits() {
    let outbox = Outbox::new(OutboxLimits::default());
    outbox.ask(b"question".to_vec());
    outbox.finish();
    outbox.reply(b"late".to_vec(), None);
    assert_eq!(outbox.frame().await.map(|frame| frame.kind), Some(FrameKind::Ask));
    assert!(outbox.frame().await.is_none());
}

#[test]
fn a_note_too_large_for_the_queue_harms_no_other() {
    let outbox = Outbox::new(OutboxLimits { bytes: 4, frames: 9, overflow: Overflow::Cut });
    outbox.note("1", Merge::Never);
    outbox.note("12345", Merge::Never);
    assert_eq!((outbox.dropped(), outbox.is_closed()), (1, false));
    assert_eq!(texts(&outbox), ["1"]);
}

#[test]
fn whoever_causes_answers_can_wait_for_them_to_be_read() {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    outbox.reply("12345", None);
    outbox.ask("678");
    outbox.note("notes are bounded by themselves", Merge::Never);
    let all = outbox.backlog();
    assert!(all >= 8, "{all}");
    outbox.wait_below(all);
    let waiting = thread::spawn({
        let outbox = Arc::clone(&outbox);
        move || outbox.wait_below(all - 1)
    });
    assert_eq!(texts(&outbox).len(), 3);
    waiting.join().expect("ends when the reader has caught up");
    assert_eq!(outbox.backlog(), 0);
    outbox.reply("123456789", None);
    outbox.close();
    outbox.wait_below(0);
}
