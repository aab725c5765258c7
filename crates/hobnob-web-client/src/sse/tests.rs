//! Streams as data: each one is decoded whole, cut in two at every place, and byte by byte, always
//! with the same outcome.

use super::*;

fn event(name: Option<&str>, id: &str, data: &str) -> Event {
    Event { event: name.map(Into::into), id: id.into(), data: data.into(), oversized: None }
}

/// Decodes the chunks and returns the events, the last id and the wait.
fn decode(chunks: &[&[u8]]) -> (Vec<Event>, String, Option<u64>) {
    let mut decoder: Decoder = Decoder::new(1024);
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(chunk, &mut events);
    }
    (events, decoder.last_event_id().to_owned(), decoder.retry_ms())
}

/// Decodes the whole stream, and asserts that no cut changes the outcome.
fn check(stream: &[u8]) -> (Vec<Event>, String, Option<u64>) {
    let whole = decode(&[stream]);
    for at in 0..=stream.len() {
        let (head, tail) = stream.split_at(at);
        assert_eq!(decode(&[head, b"", tail]), whole, "{} cut at {at}", stream.escape_ascii());
    }
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(decode(&bytes), whole, "{} byte by byte", stream.escape_ascii());
    whole
}

#[test]
fn events_follow_the_standard() {
    let cases: &[(&[u8], &[Event])] = &[
        (b"data: {\"a\":1}\n\n", &[event(None, "", "{\"a\":1}")]),
        (b"data:x\r\n\r\n", &[event(None, "", "x")]),
        (b"data:x\r\r", &[event(None, "", "x")]),
        (b"data:x\n\r\n", &[event(None, "", "x")]),
        (b"data:x\r\n\ndata:y\r\r\n", &[event(None, "", "x"), event(None, "", "y")]),
        (b"\xEF\xBB\xBFdata:x\n\n", &[event(None, "", "x")]),
        (b"\n\xEF\xBB\xBFdata:x\n\n", &[]),
        (b"data:x\n\n\xEF\xBB\xBFdata:y\n\n", &[event(None, "", "x")]),
        (b": comment\n\n:\n\ndata:x\n\n", &[event(None, "", "x")]),
        (b"data:a\ndata: b\ndata:  c\n\n", &[event(None, "", "a\nb\n c")]),
        (b"data\n\n", &[event(None, "", "")]),
        (b"data:\n\n", &[event(None, "", "")]),
        (b"data\ndata\n\n", &[event(None, "", "\n")]),
        (b"id: 7\ndata:\n\n", &[event(None, "7", "")]),
        (b"id: 7\n\ndata:x\n\n", &[event(None, "7", "x")]),
        (b"id: 7\ndata:x\n\ndata:y\n\n", &[event(None, "7", "x"), event(None, "7", "y")]),
        (b"id: 7\ndata:x\n\nid\ndata:y\n\n", &[event(None, "7", "x"), event(None, "", "y")]),
        (b"id: 7\nid: a\0b\ndata:x\n\n", &[event(None, "7", "x")]),
        (
            b"event: endpoint\ndata: /m\n\ndata:x\n\n",
            &[event(Some("endpoint"), "", "/m"), event(None, "", "x")],
        ),
        (b"event: ping\n\ndata:x\n\n", &[event(None, "", "x")]),
        (b"event:\ndata:x\n\n", &[event(None, "", "x")]),
        (b"Data: x\ndatum: y\n data: z\n\n", &[]),
        (b"data: x\n", &[]),
        (b"data: x", &[]),
        (b"data: a:b: c\n\n", &[event(None, "", "a:b: c")]),
        ("data: Zürich 日本\n\n".as_bytes(), &[event(None, "", "Zürich 日本")]),
    ];
    for (stream, expected) in cases {
        assert_eq!(check(stream).0, *expected, "{}", stream.escape_ascii());
    }
}

#[test]
fn payload_bytes_are_kept_even_when_they_are_not_text() {
    assert_eq!(check(b"data: \xff\xfe\n\n").0[0].data, b"\xff\xfe");
}

#[test]
fn retry_takes_digits_only_and_the_last_one_stands() {
    let cases: &[(&[u8], Option<u64>)] = &[
        (b"retry: 500\n", Some(500)),
        (b"retry:0\n", Some(0)),
        (b"retry: 500\nretry: 700\n", Some(700)),
        (b"retry: 500\nretry: 7s\n", Some(500)),
        (b"retry: \n", None),
        (b"retry\n", None),
        (b"retry: -1\n", None),
        (b"retry: +1\n", None),
        (b"retry: 1.5\n", None),
        (b"retry: 99999999999999999999999\n", None),
    ];
    for (stream, expected) in cases {
        assert_eq!(check(stream).2, *expected, "{}", stream.escape_ascii());
    }
}

#[test]
fn an_id_outside_an_event_is_still_the_place_to_resume() {
    assert_eq!(check(b"id: 41\n\nid: 42\n\n").1, "42");
}

#[test]
fn what_outgrows_the_cap_is_read_and_not_stored() {
    /// Counts the letters; the count must not depend on how the stream is cut.
    #[derive(Debug, Default)]
    struct Letters(usize);

    impl OversizedPayload for Letters {
        type Summary = usize;

        fn push(&mut self, bytes: &[u8]) {
            self.0 += bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        }

        fn summary(&self) -> usize {
            self.0
        }
    }

    let cases: &[(&[u8], &[Option<usize>])] = &[
        (b"data: 0123456789abcdef\n\ndata: x\n\n", &[Some(6), None]),
        (b"data: 01234567ab\ndata: 01234567cd\n\n", &[Some(4)]),
        (b"event: abcdefghijklmnop\ndata: x\n\n", &[None]),
    ];
    for (stream, expected) in cases {
        for size in [1, 3, 7, stream.len()] {
            let mut decoder = Decoder::<Letters>::new(16);
            let mut events = Vec::new();
            stream.chunks(size).for_each(|chunk| decoder.push(chunk, &mut events));
            let letters: Vec<_> = events.iter().map(|event| event.oversized).collect();
            assert_eq!(letters, *expected, "{} by {size}", stream.escape_ascii());
            assert!(events.iter().all(|event| event.oversized.is_none() || event.data.is_empty()));
        }
    }
}

#[test]
fn encoded_events_look_like_this() {
    let cases: &[(OutgoingEvent<'_>, &str)] = &[
        (OutgoingEvent { data: b"{}", ..OutgoingEvent::default() }, "data: {}\n\n"),
        (
            OutgoingEvent {
                id: Some("s-1"),
                retry_ms: Some(500),
                data: b"",
                ..OutgoingEvent::default()
            },
            "id: s-1\nretry: 500\ndata: \n\n",
        ),
        (
            OutgoingEvent { event: Some("endpoint"), data: b"/m?x", ..OutgoingEvent::default() },
            "event: endpoint\ndata: /m?x\n\n",
        ),
        (
            OutgoingEvent {
                retry_ms: Some(u64::MAX),
                data: b"a\nb\r\nc\rd",
                ..OutgoingEvent::default()
            },
            "retry: 18446744073709551615\ndata: a\ndata: b\ndata: c\ndata: d\n\n",
        ),
        (
            OutgoingEvent {
                id: Some("1\ndata: evil\r\0"),
                retry_ms: Some(0),
                ..OutgoingEvent::default()
            },
            "id: 1 data: evil  \nretry: 0\ndata: \n\n",
        ),
    ];
    for (outgoing, expected) in cases {
        assert_eq!(outgoing.to_bytes(), expected.as_bytes(), "{outgoing:?}");
        let mut appended = b"before".to_vec();
        outgoing.encode(&mut appended);
        assert_eq!(&appended[6..], expected.as_bytes(), "{outgoing:?}");
    }
}

/// Every payload of up to five of the characters that matter survives encoding and decoding; each
/// kind of line end comes back as LF, which is all the format can carry.
#[test]
fn every_short_payload_survives_the_round_trip() {
    const LETTERS: [char; 5] = ['a', ':', ' ', '\n', '\r'];
    for length in 0..=5_u32 {
        for number in 0..5_usize.pow(length) {
            let payload: String =
                (0..length).map(|place| LETTERS[number / 5_usize.pow(place) % 5]).collect();
            let mut stream = KEEP_ALIVE.to_vec();
            encode_event(&mut stream, Some("9"), None, payload.as_bytes());
            let expected = payload.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(decode(&[&stream]).0, [event(None, "9", &expected)], "{payload:?}");
        }
    }
}
