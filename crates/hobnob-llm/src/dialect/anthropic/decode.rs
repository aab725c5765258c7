//! Decodes the stream of Anthropic's Messages API into events.
//!
//! What must stay true: only `message_stop` completes an answer; unknown events and unknown kinds
//! of blocks are ignored, as the documentation asks.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::fault::{ProviderFault, StreamFault};
use super::super::frame::{DecoderOptions, FrameDecoder, Tagged, cut, read};
use super::super::tool_call::{ToolCallParts, ToolCalls};
use crate::event::{ModelEvent, StopReason};
use crate::request::ThinkingBlock;
use crate::usage::TokenUsage;

/// Decodes one answer; every answer needs a new decoder.
pub(crate) struct AnthropicDecoder {
    options: DecoderOptions,
    open: BTreeMap<u64, OpenBlock>,
    calls: ToolCalls,
    usage: Counts,
    stop: Option<StopReason>,
}

/// A block that has begun but not ended.
enum OpenBlock {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    /// Thinking whose text the provider withholds: only this encrypted form arrives.
    Hidden(Box<str>),
    Call(ToolCallParts),
    Unknown,
}

#[derive(Deserialize)]
struct MessageStart {
    message: StartedMessage,
}

#[derive(Deserialize)]
struct StartedMessage {
    #[serde(default)]
    id: Box<str>,
    #[serde(default)]
    model: Box<str>,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct BlockStart {
    index: u64,
    content_block: StartedBlock,
}

#[derive(Deserialize)]
struct StartedBlock {
    #[serde(rename = "type")]
    tag: Box<str>,
    id: Option<Box<str>>,
    name: Option<Box<str>>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    data: Option<Box<str>>,
    input: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct BlockDelta {
    index: u64,
    delta: Delta,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(rename = "type")]
    tag: Box<str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
}

#[derive(Deserialize)]
struct BlockStop {
    index: u64,
}

#[derive(Deserialize)]
struct MessageDelta {
    delta: MessageChange,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct MessageChange {
    stop_reason: Option<Box<str>>,
}

/// The token counts so far; a count that an event leaves out keeps its value.
#[derive(Clone, Copy, Default, Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation: Option<CacheCreation>,
}

#[derive(Clone, Copy, Deserialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_1h_input_tokens: u64,
}

impl Counts {
    fn update(&mut self, newer: Self) {
        self.input_tokens = newer.input_tokens.or(self.input_tokens);
        self.output_tokens = newer.output_tokens.or(self.output_tokens);
        self.cache_creation_input_tokens =
            newer.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens =
            newer.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.cache_creation = newer.cache_creation.or(self.cache_creation);
    }

    fn usage(&self) -> TokenUsage {
        let written = self.cache_creation_input_tokens.unwrap_or_default();
        let hour = self.cache_creation.map_or(0, |it| it.ephemeral_1h_input_tokens).min(written);
        TokenUsage {
            input: self.input_tokens.unwrap_or_default(),
            output: self.output_tokens.unwrap_or_default(),
            cache_read: self.cache_read_input_tokens.unwrap_or_default(),
            cache_write: written - hour,
            cache_write_hour: hour,
            thinking: None,
        }
    }
}

impl AnthropicDecoder {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        let calls = ToolCalls::new(options.call_seed);
        let usage = Counts::default();
        Self { options, open: BTreeMap::new(), calls, usage, stop: None }
    }

    fn start(&mut self, start: MessageStart, events: &mut Vec<ModelEvent>) {
        let StartedMessage { id, model, usage } = start.message;
        events.push(ModelEvent::Started { id, model });
        self.count(usage, events);
    }

    fn count(&mut self, counts: Option<Counts>, events: &mut Vec<ModelEvent>) {
        if let Some(counts) = counts {
            self.usage.update(counts);
            events.push(ModelEvent::Usage(self.usage.usage()));
        }
    }

    fn begin(&mut self, start: BlockStart, events: &mut Vec<ModelEvent>) {
        let block = start.content_block;
        let open = match &*block.tag {
            "text" => {
                push_text(block.text, events);
                OpenBlock::Text
            }
            "thinking" => {
                let text = block.thinking.unwrap_or_default();
                push_thinking(&text, events);
                OpenBlock::Thinking { text, signature: block.signature.unwrap_or_default() }
            }
            "redacted_thinking" => OpenBlock::Hidden(block.data.unwrap_or_default()),
            "tool_use" => OpenBlock::Call(ToolCallParts {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                // An empty object means that the arguments follow in pieces.
                arguments: match block.input {
                    Some(input) if input.get() != "{}" => input.get().into(),
                    _ => String::new(),
                },
            }),
            _ => OpenBlock::Unknown,
        };
        self.open.insert(start.index, open);
    }

    fn extend(
        &mut self,
        change: BlockDelta,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        let BlockDelta { index, delta } = change;
        let block = self.open.get_mut(&index).ok_or_else(|| no_such_block(index))?;
        match (&*delta.tag, block) {
            ("text_delta", OpenBlock::Text) => push_text(delta.text, events),
            ("thinking_delta", OpenBlock::Thinking { text, .. }) => {
                let piece = delta.thinking.unwrap_or_default();
                text.push_str(&piece);
                push_thinking(&piece, events);
            }
            ("signature_delta", OpenBlock::Thinking { signature, .. }) => {
                signature.push_str(&delta.signature.unwrap_or_default());
            }
            ("input_json_delta", OpenBlock::Call(parts)) => {
                parts.arguments.push_str(&delta.partial_json.unwrap_or_default());
            }
            // A delta in the wrong block would be lost text.
            ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta", block)
                if !matches!(block, OpenBlock::Unknown) =>
            {
                let what = format!("`{}` in a block of another kind", delta.tag);
                return Err(StreamFault::garbled(what));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish_block(
        &mut self,
        stop: &BlockStop,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        let thought = |text: String, signature: Box<str>, hidden| {
            let signature = Some(signature).filter(|signature| !signature.is_empty());
            let model = self.options.model.clone();
            ModelEvent::ThinkingEnded(ThinkingBlock { text, signature, hidden, model })
        };
        match self.open.remove(&stop.index).ok_or_else(|| no_such_block(stop.index))? {
            OpenBlock::Text | OpenBlock::Unknown => {}
            OpenBlock::Thinking { text, signature } => {
                events.push(thought(text, signature.into(), false));
            }
            OpenBlock::Hidden(data) => events.push(thought(String::new(), data, true)),
            OpenBlock::Call(parts) => self.calls.finish(parts, events),
        }
        Ok(())
    }

    fn complete(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        let stop = self.stop.take().unwrap_or(StopReason::End);
        self.calls.settle(&stop, events);
        events.push(self.options.finished(stop, Some(self.usage.usage())));
        Ok(())
    }
}

impl FrameDecoder for AnthropicDecoder {
    fn frame(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        let tagged: Tagged = read(payload)?;
        match &*tagged.tag {
            "message_start" => self.start(read(payload)?, events),
            "content_block_start" => self.begin(read(payload)?, events),
            "content_block_delta" => self.extend(read(payload)?, events)?,
            "content_block_stop" => self.finish_block(&read(payload)?, events)?,
            "message_delta" => {
                let MessageDelta { delta, usage } = read(payload)?;
                self.stop = delta.stop_reason.map(stop_reason).or(self.stop.take());
                self.count(usage, events);
            }
            "message_stop" => self.complete(events)?,
            "error" => return Err(StreamFault::Reported(ProviderFault::read(payload))),
            // `ping`, and kinds of events that did not exist when this was written.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        Err(cut())
    }
}

fn stop_reason(word: Box<str>) -> StopReason {
    match &*word {
        "end_turn" => StopReason::End,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "stop_sequence" => StopReason::StopText,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other(word),
    }
}

fn push_text(text: Option<String>, events: &mut Vec<ModelEvent>) {
    events.extend(text.filter(|text| !text.is_empty()).map(ModelEvent::Text));
}

fn push_thinking(text: &str, events: &mut Vec<ModelEvent>) {
    if !text.is_empty() {
        events.push(ModelEvent::Thinking(text.to_owned()));
    }
}

fn no_such_block(index: u64) -> StreamFault {
    StreamFault::garbled(format!("an event is about block {index}, which has not begun"))
}
