//! Complete streams of each provider, decoded at once and split at every byte, and requests as each
//! provider accepts them. The streams are hand-written after the providers' public documentation.

mod anthropic_streams;
mod chat_streams;
mod cuts;
mod faults;
mod ollama_streams;
mod requests;
mod responses_streams;

use super::{DecoderOptions, ProviderDialect, StreamDecoder, StreamFault};
use crate::event::{ModelCompletion, ModelEvent, StopReason};
use crate::price::{ModelPrices, TokenPrice, TokenPrices};
use crate::request::ThinkingBlock;
use crate::tool::{ToolInput, ToolUse};
use crate::usage::TokenUsage;

/// The events of a stream, and the fault that ended it, if any.
type Outcome = (Vec<ModelEvent>, Result<(), StreamFault>);

fn options() -> DecoderOptions {
    let price = |dollars| TokenPrice::of_million(dollars);
    let usual = TokenPrices {
        input: price(1.0).unwrap(),
        output: price(10.0).unwrap(),
        cache_read: price(0.1),
        cache_write: price(2.0),
        cache_write_hour: price(4.0),
    };
    let prices = Some(ModelPrices { usual, long: None });
    DecoderOptions { model: "asked".into(), call_seed: 0xABCD, prices, frame_bytes: 4_096 }
}

fn decode<'a>(dialect: ProviderDialect, chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut decoder = StreamDecoder::new(dialect, &options());
    let mut events = Vec::new();
    for chunk in chunks {
        if let Err(fault) = decoder.push(chunk, &mut events) {
            return (events, Err(fault));
        }
    }
    let end = decoder.end(&mut events);
    (events, end)
}

/// Decodes the whole stream, and asserts that no split into chunks changes the outcome.
fn check(dialect: ProviderDialect, stream: &[u8]) -> Outcome {
    let whole = decode(dialect, [stream]);
    for at in 0..=stream.len() {
        let (head, tail) = stream.split_at(at);
        assert_eq!(decode(dialect, [head, b"", tail]), whole, "cut at {at}");
    }
    assert_eq!(decode(dialect, stream.chunks(1)), whole, "byte by byte");
    whole
}

/// The events of a complete stream.
fn events(dialect: ProviderDialect, stream: &str) -> Vec<ModelEvent> {
    let (events, end) = check(dialect, stream.as_bytes());
    assert_eq!(end, Ok(()), "{stream}");
    // The formats also allow CRLF as the end of a line.
    let other = stream.replace('\n', "\r\n");
    assert_eq!(check(dialect, other.as_bytes()), (events.clone(), Ok(())));
    events
}

/// Server-sent events with these payloads, named by their `type`, as most providers do.
fn sse(payloads: &[&str]) -> String {
    let event = |payload: &&str| {
        let value: serde_json::Value = serde_json::from_str(payload).unwrap_or_default();
        let name = value["type"].as_str().map(|name| format!("event: {name}\n"));
        format!("{}data: {payload}\n\n", name.unwrap_or_default())
    };
    payloads.iter().map(event).collect()
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.into())
}

fn thinking(text: &str) -> ModelEvent {
    ModelEvent::Thinking(text.into())
}

fn thought(text: &str, signature: Option<&str>) -> ModelEvent {
    ModelEvent::ThinkingEnded(ThinkingBlock {
        text: text.into(),
        signature: signature.map(Into::into),
        hidden: false,
        model: "asked".into(),
    })
}

fn call(id: &str, name: &str, input: &str) -> ModelEvent {
    let input = ToolInput::parse(input).unwrap();
    ModelEvent::ToolUse(ToolUse { id: id.into(), name: name.into(), input })
}

fn started(id: &str, model: &str) -> ModelEvent {
    ModelEvent::Started { id: id.into(), model: model.into() }
}

fn usage(input: u64, output: u64) -> TokenUsage {
    TokenUsage { input, output, ..TokenUsage::default() }
}

fn finished(stop: StopReason, usage: Option<TokenUsage>) -> ModelEvent {
    let cost = usage.and_then(|usage| options().prices.unwrap().cost(&usage));
    ModelEvent::Finished(ModelCompletion { stop, usage, cost })
}
