//! Streams as data: what is learned of a message that is too large, for every cut of the stream.

use hobnob_web_client::sse::{Decoder, Event};

use super::*;

#[test]
fn no_event_outgrows_its_cap() {
    let answer = r#"{"result":"0123456789","jsonrpc":"2.0","id":7}"#;
    let whole = format!("id: 1\ndata: {answer}\n\ndata:x\n\n");
    let lines = format!("data: {}\ndata: {}\n\ndata:x\n\n", &answer[..9], &answer[9..]);
    let cases: &[(&[u8], &[&str])] = &[
        (b"data: 0123456789\n\n", &["0123456789"]),
        (b"data: 0123456789a\n\ndata:x\n\n", &["over Unknown", "x"]),
        (b"data: 01234567890123456789", &[]),
        (b": a comment that never seems to come to its end\ndata:x\n\n", &["x"]),
        (b"event: a name that never seems to come to its end\ndata:x\n\n", &["x"]),
        (b"data: 01234567\ndata: 01234567\n\ndata:x\n\n", &["over Unknown", "x"]),
        (b"data:1\n\ndata:2\n\ndata:3\n\ndata:4\n\n", &["1", "2", "3", "4"]),
        (b":1234567\n:1234567\n:1234567\n:1234567\n", &[]),
        (whole.as_bytes(), &["over Answer 7", "x"]),
        (lines.as_bytes(), &["over Answer 7", "x"]),
    ];
    let show = |event: Event<EnvelopeParts>| match event.oversized {
        None => String::from_utf8(event.data).unwrap(),
        Some(parts) => {
            assert!(event.data.is_empty());
            let id = parts.id.map(|id| format!(" {id}")).unwrap_or_default();
            format!("over {:?}{id}", parts.kind)
        }
    };
    for (stream, expected) in cases {
        for size in [1, 3, 7, stream.len()] {
            let mut decoder = Decoder::<OversizedMessage>::new(16);
            let mut events = Vec::new();
            stream.chunks(size).for_each(|chunk| decoder.push(chunk, &mut events));
            let shown: Vec<_> = events.into_iter().map(show).collect();
            assert_eq!(shown, *expected, "{} by {size}", stream.escape_ascii());
        }
    }
}
