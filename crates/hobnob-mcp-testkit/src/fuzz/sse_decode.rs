//! Checks the SSE decoder: it finds the same events however the bytes arrive, and decodes what the
//! encoder wrote.
#![expect(clippy::expect_used, reason = "there always is the uncut stream")]

use super::cut::{cuts, small_number};
use hobnob_mcp_http::OversizedMessage;
use hobnob_mcp_types::EnvelopeParts;
use hobnob_web_client::sse::{Decoder, OutgoingEvent};

type Event = hobnob_web_client::sse::Event<EnvelopeParts>;

/// A limit that no fuzz input reaches.
const NO_LIMIT: usize = 1 << 20;

/// The first byte is the limit of an event, the rest is the stream.
pub fn sse_decode(data: &[u8]) {
    let (limit, stream) = small_number(data);
    for limit in [limit, NO_LIMIT] {
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

/// Everything the decoder can report about a stream.
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

/// Encodes an event that was read, and reads it again.
fn echo(event: &Event) {
    let outgoing = OutgoingEvent {
        event: event.event.as_deref(),
        id: Some(&event.id),
        retry_ms: None,
        data: &event.data,
    };
    let name = event.event.as_deref().map(|name| name.replace('\0', " ").into());
    let expected = Event { event: name, ..event.clone() };
    assert_eq!(read(NO_LIMIT, &[&outgoing.to_bytes()]).events, [expected]);
}

/// Encodes an event with arbitrary content: nothing in it may end the event early or add a field.
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
    // Other events before and after it must not confuse the reader.
    let found = read(NO_LIMIT, &[b": hello\n\ndata: 0\n\n", &bytes, b"data: 1\n\n"]);
    assert_eq!(found.events.len(), 3);
    assert_eq!(found.events[1], expected);
    assert_eq!(
        (found.events[0].data.as_slice(), found.events[2].data.as_slice()),
        (&b"0"[..], &b"1"[..])
    );
    assert_eq!(found.retry_ms, retry_ms);
}

/// The data with LF for every kind of line end, as the decoder must return it.
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
