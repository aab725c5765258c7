//! Lines and server-sent events: many messages in one stream, read in pieces of any length.

use super::{any_object, any_text, config, in_pieces, read_lengths};
use hobnob_mcp_transport::{Line, LineFramer};
use hobnob_web_client::sse::{Decoder, OutgoingEvent};
use proptest::prelude::*;
use serde_json::Value;

/// A limit that no generated message reaches.
const NO_LIMIT: usize = 1 << 20;

fn messages() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_object().prop_map(|object| Value::Object(object).to_string()), 0..5)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_message_comes_out_as_its_line(
        messages in messages(), windows in any::<bool>(), lengths in read_lengths(),
    ) {
        let end = if windows { "\r\n" } else { "\n" };
        let stream: String = messages.iter().map(|text| format!("{text}{end}{end}")).collect();
        let mut framer = LineFramer::new(NO_LIMIT);
        let mut lines = Vec::new();
        for piece in in_pieces(stream.as_bytes(), &lengths) {
            framer.push(piece, &mut lines);
        }
        framer.finish(&mut lines);
        let expected: Vec<Line> =
            messages.into_iter().map(|text| Line::Text(text.into_bytes())).collect();
        prop_assert_eq!(lines, expected);
    }

    /// An event without an id repeats the last one on the stream.
    #[test]
    fn every_message_comes_out_as_its_event(
        events in prop::collection::vec((prop::option::of("[a-z0-9-]{1,8}"), any_text()), 0..8),
        lengths in read_lengths(),
    ) {
        let mut stream = Vec::new();
        for (id, text) in &events {
            let data = Value::from(text.as_str()).to_string();
            let event = OutgoingEvent { id: id.as_deref(), data: data.as_bytes(), ..Default::default() };
            stream.extend_from_slice(&event.to_bytes());
        }
        let mut decoder: Decoder = Decoder::new(NO_LIMIT);
        let mut found = Vec::new();
        for piece in in_pieces(&stream, &lengths) {
            decoder.push(piece, &mut found);
        }
        prop_assert_eq!(found.len(), events.len());
        let mut last_id = String::new();
        for (event, (id, text)) in found.iter().zip(&events) {
            last_id = id.clone().unwrap_or(last_id);
            prop_assert_eq!(event.id.as_ref(), last_id.as_str());
            prop_assert_eq!(&serde_json::from_slice::<String>(&event.data).unwrap(), text);
        }
        prop_assert_eq!(decoder.last_event_id(), last_id.as_str());
    }
}
