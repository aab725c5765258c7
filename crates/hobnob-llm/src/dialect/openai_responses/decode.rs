//! Decodes the stream of OpenAI's Responses API into events.
//!
//! What must stay true: only `response.completed` and `response.incomplete` complete an answer;
//! tool calls and reasoning are emitted when their item is done.

use serde::Deserialize;

use super::super::fault::{ProviderFault, StreamFault};
use super::super::frame::{DecoderOptions, FrameDecoder, Tagged, cut, read};
use super::super::tool_call::{ToolCallParts, ToolCalls};
use crate::event::{ModelEvent, StopReason};
use crate::request::ThinkingBlock;
use crate::usage::TokenUsage;

/// A marker that compatible servers may send as the last payload.
const DONE: &str = "[DONE]";

/// Decodes one answer; every answer needs a new decoder.
pub(crate) struct ResponsesDecoder {
    options: DecoderOptions,
    calls: ToolCalls,
    refused: bool,
    /// Whether a piece of reasoning has arrived, so that the next part begins a new paragraph.
    thinking: bool,
}

#[derive(Deserialize)]
struct Created {
    response: ResponseHead,
}

#[derive(Deserialize)]
struct ResponseHead {
    #[serde(default)]
    id: Box<str>,
    #[serde(default)]
    model: Box<str>,
}

#[derive(Deserialize)]
struct TextDelta {
    delta: String,
}

#[derive(Deserialize)]
struct ItemDone {
    item: Item,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    tag: Box<str>,
    call_id: Option<Box<str>>,
    name: Option<Box<str>>,
    arguments: Option<String>,
    encrypted_content: Option<Box<str>>,
    #[serde(default)]
    summary: Vec<SummaryPart>,
    content: Option<Vec<SummaryPart>>,
}

#[derive(Deserialize)]
struct SummaryPart {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Ended {
    response: EndedResponse,
}

#[derive(Deserialize)]
struct EndedResponse {
    usage: Option<Counts>,
    incomplete_details: Option<IncompleteDetails>,
}

#[derive(Deserialize)]
struct IncompleteDetails {
    reason: Option<Box<str>>,
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

impl Counts {
    /// The provider's count of the input includes cached tokens; `TokenUsage::input` does not.
    fn usage(&self) -> TokenUsage {
        let details = self.input_tokens_details.as_ref();
        let read = details.and_then(|it| it.cached_tokens).unwrap_or_default();
        let write = details.and_then(|it| it.cache_write_tokens).unwrap_or_default();
        TokenUsage {
            input: self.input_tokens.saturating_sub(read).saturating_sub(write),
            output: self.output_tokens,
            cache_read: read,
            cache_write: write,
            cache_write_hour: 0,
            thinking: self.output_tokens_details.as_ref().and_then(|it| it.reasoning_tokens),
        }
    }
}

impl ResponsesDecoder {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        let calls = ToolCalls::new(options.call_seed);
        Self { options, calls, refused: false, thinking: false }
    }

    fn item(&mut self, item: Item, events: &mut Vec<ModelEvent>) {
        match &*item.tag {
            "function_call" => self.calls.finish(
                ToolCallParts {
                    id: item.call_id.unwrap_or_default(),
                    name: item.name.unwrap_or_default(),
                    arguments: item.arguments.unwrap_or_default(),
                },
                events,
            ),
            "reasoning" => {
                let parts = if item.summary.is_empty() { item.content } else { Some(item.summary) };
                let parts = parts.into_iter().flatten().filter_map(|part| part.text);
                let text = parts.collect::<Vec<_>>().join("\n\n");
                let model = self.options.model.clone();
                let signature = item.encrypted_content;
                let block = ThinkingBlock { text, signature, hidden: false, model };
                self.thinking = false;
                events.push(ModelEvent::ThinkingEnded(block));
            }
            // Messages have arrived in pieces; requests do not offer the provider's own tools.
            _ => {}
        }
    }

    fn complete(
        &mut self,
        stop: StopReason,
        counts: Option<Counts>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), StreamFault> {
        self.calls.settle(&stop, events);
        let usage = counts.map(|counts| counts.usage());
        events.extend(usage.map(ModelEvent::Usage));
        events.push(self.options.finished(stop, usage));
        Ok(())
    }
}

impl FrameDecoder for ResponsesDecoder {
    fn frame(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        if payload.trim() == DONE {
            return Err(cut());
        }
        let tagged: Tagged = read(payload)?;
        match &*tagged.tag {
            "response.created" => {
                let ResponseHead { id, model } = read::<Created>(payload)?.response;
                events.push(ModelEvent::Started { id, model });
            }
            "response.output_text.delta" => {
                events.push(ModelEvent::Text(read::<TextDelta>(payload)?.delta));
            }
            "response.refusal.delta" => {
                self.refused = true;
                events.push(ModelEvent::Text(read::<TextDelta>(payload)?.delta));
            }
            "response.reasoning_summary_part.added" if self.thinking => {
                events.push(ModelEvent::Thinking("\n\n".into()));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.thinking = true;
                events.push(ModelEvent::Thinking(read::<TextDelta>(payload)?.delta));
            }
            "response.output_item.done" => self.item(read::<ItemDone>(payload)?.item, events),
            "response.completed" => {
                let stop = match (self.calls.any(), self.refused) {
                    (true, _) => StopReason::ToolUse,
                    (false, true) => StopReason::Refusal,
                    (false, false) => StopReason::End,
                };
                self.complete(stop, read::<Ended>(payload)?.response.usage, events)?;
            }
            "response.incomplete" => {
                let EndedResponse { usage, incomplete_details } = read::<Ended>(payload)?.response;
                let reason = incomplete_details.and_then(|details| details.reason);
                self.complete(incomplete(reason), usage, events)?;
            }
            "response.failed" | "error" => {
                return Err(StreamFault::Reported(reported(payload)));
            }
            // Starts and ends of parts, and kinds of events that are not known yet.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        Err(cut())
    }
}

fn incomplete(reason: Option<Box<str>>) -> StopReason {
    match reason.as_deref() {
        Some("max_output_tokens") => StopReason::Length,
        Some("content_filter") => StopReason::Refusal,
        _ => StopReason::Other(reason.unwrap_or_else(|| "incomplete".into())),
    }
}

/// Reads the error inside the response. If there is none, the payload itself is the error, and its
/// `type` says no more than that.
fn reported(payload: &str) -> ProviderFault {
    let value: serde_json::Value = serde_json::from_str(payload).unwrap_or_default();
    let inner = value.pointer("/response/error").or_else(|| value.get("error"));
    match inner.filter(|inner| !inner.is_null()) {
        Some(inner) => ProviderFault::read(&inner.to_string()),
        None => {
            let mut value = value;
            if let Some(object) = value.as_object_mut() {
                object.shift_remove("type");
            }
            ProviderFault::read(&value.to_string())
        }
    }
}
