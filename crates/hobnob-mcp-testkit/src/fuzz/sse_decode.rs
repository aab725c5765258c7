//! Events come out the same however the bytes arrive, and what is encoded is decoded again.
#![expect(clippy::expect_used, reason = "there always is the uncut stream")]

use super::cut::{cuts, small_number};
use hobnob_mcp_http::OversizedMessage;
use hobnob_mcp_types::EnvelopeParts;
use hobnob_web_client::sse::{Decoder, OutgoingEvent};

type Event = hobnob_web_client::sse::Event<EnvelopeParts>;

/// Room for everything the fuzzer writes.
const AMPLE: usize = 1 << 20;

/// The first byte is the cap of an event, the rest is the stream.
pub fn sse_decode(data: &[u8]) {
    let (limit, stream) = small_number(data);
    for limit in [limit, AMPLE] {
        let mut all = cuts(stream).map(|chunks| read(limit, &chunks));
        let whole = all.next().expect("the uncut stream");
        for cut in all {
            assert_eq!(cut, whole, "with a cap of {limit}");
        }
        for event in &whole.events {
            assert!(event.data.len() <= limit.max(16));
            if event.oversized.is_none() {
                echo(event);
            }
        }
    }
    let third = stream.len() / 3;
    let (event, rest) = stream.split_at(third);
    let (id, payload) = rest.split_at(third);
    send(&String::from_utf8_lossy(event), &String::from_utf8_lossy(id), payload);
}

/// Everything that can be known of a stream.
#[derive(Debug, PartialEq)]
struct Read {
    events: Vec<Event>,
    last_id: Box<str>,
    retry_ms: Option<u64>,
}

fn read(limit: usize, chunks: &[&[u8]]) -> Read {
    let mut decoder = Decoder::<OversizedMessage>::new(limit);
    let mut events = Vec::new();
    chunks.iter().for_each(|chunk| decoder.push(chunk, &mut events));
    Read { events, last_id: decoder.last_event_id().into(), retry_ms: decoder.retry_ms() }
}

/// An event that was read is sent on and read again.
fn echo(event: &Event) {
    let outgoing = OutgoingEvent {
        event: event.event.as_deref(),
        id: Some(&event.id),
        retry_ms: None,
        data: &event.data,
    };
    let name = event.event.as_deref().map(|name| name.replace('\0', " ").into());
    let expected = Event { event: name, ..event.clone() };
    assert_eq!(read(AMPLE, &[&outgoing.to_bytes()]).events, [expected]);
}

/// An event of arbitrary content: nothing in it may end it early or add a field.
fn send(event: &str, id: &str, payload: &[u8]) {
    let retry_ms = Some(u64::try_from(payload.len()).unwrap_or_default());
    let outgoing = OutgoingEvent { event: Some(event), id: Some(id), retry_ms, data: payload };
    let one_line = |text: &str| text.replace(['\r', '\n', '\0'], " ");
    let name = Some(one_line(event)).filter(|name| !name.is_empty());
    let expected = Event {
        event: name.map(Into::into),
        id: one_line(id).into(),
        data: with_plain_line_ends(payload),
        oversized: None,
    };
    let bytes = outgoing.to_bytes();
    // A reader that has read something before and something after is not confused either.
    let found = read(AMPLE, &[b": hello\n\ndata: 0\n\n", &bytes, b"data: 1\n\n"]);
    assert_eq!(found.events.len(), 3);
    assert_eq!(found.events[1], expected);
    assert_eq!(
        (found.events[0].data.as_slice(), found.events[2].data.as_slice()),
        (&b"0"[..], &b"1"[..])
    );
    assert_eq!(found.retry_ms, retry_ms);
}

/// In an event every kind of line end reads as LF.
fn with_plain_line_ends(payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len());
    let mut bytes = payload.iter().peekable();
    while let Some(byte) = bytes.next() {
        if *byte == b'\r' {
            bytes.next_if(|next| **next == b'\n');
            out.push(b'\n');
        } else {
            out.push(*byte);
        }
    }
    out
}
