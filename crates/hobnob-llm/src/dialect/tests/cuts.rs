//! A property test: the split of a stream into chunks never changes its events. The random streams
//! mix valid events with random bytes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const DIALECTS: [ProviderDialect; 4] = [
    ProviderDialect::Anthropic,
    ProviderDialect::OpenaiChat,
    ProviderDialect::OpenaiResponses,
    ProviderDialect::Ollama,
];

/// One payload: a valid one with any text in it, or random bytes.
fn payload(dialect: ProviderDialect) -> impl Strategy<Value = Vec<u8>> {
    let good = any::<String>().prop_map(move |text| {
        let text = serde_json::to_string(&text).unwrap();
        let payload = match dialect {
            ProviderDialect::Anthropic => format!(
                r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"text","text":{text}}}}}"#
            ),
            ProviderDialect::OpenaiChat => format!(r#"{{"choices":[{{"delta":{{"content":{text}}}}}]}}"#),
            ProviderDialect::OpenaiResponses => {
                format!(r#"{{"type":"response.output_text.delta","delta":{text}}}"#)
            }
            ProviderDialect::Ollama => format!(r#"{{"message":{{"content":{text}}}}}"#),
        };
        payload.into_bytes()
    });
    let bad = vec(any::<u8>(), 0..8);
    prop_oneof![12 => good, 1 => bad]
}

fn stream() -> impl Strategy<Value = (ProviderDialect, Vec<u8>)> {
    let framed = |dialect: ProviderDialect| {
        let line_end = prop_oneof![Just("\n"), Just("\r\n")];
        (vec(payload(dialect), 0..8), line_end).prop_map(move |(payloads, line_end)| {
            let mut bytes = Vec::new();
            for payload in payloads {
                if dialect != ProviderDialect::Ollama {
                    bytes.extend_from_slice(b"data: ");
                }
                bytes.extend_from_slice(&payload);
                bytes.extend_from_slice(line_end.as_bytes());
                if dialect != ProviderDialect::Ollama {
                    bytes.extend_from_slice(line_end.as_bytes());
                }
            }
            (dialect, bytes)
        })
    };
    (0..DIALECTS.len()).prop_flat_map(move |at| framed(DIALECTS[at]))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cuts_change_nothing((dialect, bytes) in stream(), cuts in vec(any::<u16>(), 0..12)) {
        let whole = decode(dialect, [&bytes[..]]);
        let mut places: Vec<usize> =
            cuts.into_iter().map(|cut| usize::from(cut) % (bytes.len() + 1)).collect();
        places.sort_unstable();
        let mut chunks = Vec::new();
        let mut from = 0;
        for place in places {
            chunks.push(&bytes[from..place]);
            from = place;
        }
        chunks.push(&bytes[from..]);
        prop_assert_eq!(decode(dialect, chunks), whole);
    }
}
