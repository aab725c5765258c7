//! Decodes the stream of chat completions into events.
//!
//! What must stay true: no answer is complete without a `finish_reason`, not even after `[DONE]`;
//! tool calls are emitted when the reason is known, because their pieces may be interleaved.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::fault::{ProviderFault, StreamFault};
use super::super::frame::{DecoderOptions, FrameDecoder, cut, read};
use super::super::tool_call::{ToolCallParts, ToolCalls};
use crate::event::{ModelEvent, StopReason};
use crate::request::ThinkingBlock;
use crate::usage::TokenUsage;

/// The marker that ends the stream, after the last payload.
const DONE: &str = "[DONE]";

/// Decodes one answer; every answer needs a new decoder.
pub(crate) struct ChatDecoder {
    options: DecoderOptions,
    phase: Phase,
    open: BTreeMap<u64, ToolCallParts>,
    calls: ToolCalls,
    thinking: String,
    usage: Option<TokenUsage>,
    refused: bool,
}

enum Phase {
    Waiting,
    Answering,
    /// The model has stopped; the usage may still arrive.
    Stopped(StopReason),
}

#[derive(Deserialize)]
struct Chunk {
    id: Option<Box<str>>,
    model: Option<Box<str>>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Counts>,
    error: Option<Box<RawValue>>,
    object: Option<Box<str>>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Delta>,
    finish_reason: Option<Box<str>>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    /// Thinking, as DeepSeek, llama.cpp and older versions of vLLM name it.
    reasoning_content: Option<String>,
    /// Thinking, as OpenRouter and newer versions of vLLM name it.
    reasoning: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<u64>,
    id: Option<Box<str>>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    name: Option<Box<str>>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl Counts {
    /// The provider's count of the prompt includes cached tokens; `TokenUsage::input` does not.
    fn usage(&self) -> TokenUsage {
        let details = self.prompt_tokens_details.as_ref();
        let read = details.and_then(|it| it.cached_tokens).unwrap_or_default();
        let write = details.and_then(|it| it.cache_write_tokens).unwrap_or_default();
        let thinking = self.completion_tokens_details.as_ref().and_then(|it| it.reasoning_tokens);
        TokenUsage {
            input: self.prompt_tokens.saturating_sub(read).saturating_sub(write),
            output: self.completion_tokens,
            cache_read: read,
            cache_write: write,
            cache_write_hour: 0,
            thinking,
        }
    }
}

impl ChatDecoder {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        Self {
            calls: ToolCalls::new(options.call_seed),
            options,
            phase: Phase::Waiting,
            open: BTreeMap::new(),
            thinking: String::new(),
            usage: None,
            refused: false,
        }
    }

    fn chunk(&mut self, chunk: Chunk, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        if matches!(self.phase, Phase::Waiting) {
            let (id, model) = (chunk.id.unwrap_or_default(), chunk.model.unwrap_or_default());
            events.push(ModelEvent::Started { id, model });
            self.phase = Phase::Answering;
        }
        // A request asks for one answer, so there is at most one choice.
        for choice in chunk.choices.into_iter().take(1) {
            self.delta(choice.delta.unwrap_or_default(), events);
            if let Some(word) = choice.finish_reason.filter(|word| !word.is_empty()) {
                self.stop(word, events)?;
            }
        }
        if let Some(counts) = chunk.usage {
            let usage = counts.usage();
            // Some servers send counts with every chunk; unchanged counts are not emitted again.
            if self.usage != Some(usage) {
                self.usage = Some(usage);
                events.push(ModelEvent::Usage(usage));
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, events: &mut Vec<ModelEvent>) {
        if let Some(thought) = some_text(delta.reasoning_content.or(delta.reasoning)) {
            self.thinking.push_str(&thought);
            events.push(ModelEvent::Thinking(thought));
        }
        let refusal = some_text(delta.refusal);
        self.refused |= refusal.is_some();
        if let Some(text) = some_text(delta.content).or(refusal) {
            self.end_thinking(events);
            events.push(ModelEvent::Text(text));
        }
        for (place, call) in delta.tool_calls.into_iter().flatten().enumerate() {
            self.extend_call(place as u64, call);
        }
    }

    /// Only the first piece of a call has its id and name; the index ties the pieces together.
    fn extend_call(&mut self, place: u64, call: CallDelta) {
        let parts = self.open.entry(call.index.unwrap_or(place)).or_default();
        if let Some(id) = call.id.filter(|id| !id.is_empty()) {
            parts.id = id;
        }
        let Some(function) = call.function else { return };
        if let Some(name) = function.name.filter(|name| !name.is_empty()) {
            parts.name = name;
        }
        parts.arguments.push_str(&function.arguments.unwrap_or_default());
    }

    fn end_thinking(&mut self, events: &mut Vec<ModelEvent>) {
        if self.thinking.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.thinking);
        let model = self.options.model.clone();
        let block = ThinkingBlock { text, signature: None, hidden: false, model };
        events.push(ModelEvent::ThinkingEnded(block));
    }

    fn stop(&mut self, word: Box<str>, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        self.end_thinking(events);
        for parts in std::mem::take(&mut self.open).into_values() {
            self.calls.finish(parts, events);
        }
        let stop = match &*word {
            "length" => StopReason::Length,
            "content_filter" => StopReason::Refusal,
            // Some servers say `stop` although the model waits for results.
            "stop" | "tool_calls" | "function_call" if self.calls.any() => StopReason::ToolUse,
            "stop" if self.refused => StopReason::Refusal,
            "stop" | "tool_calls" | "function_call" => StopReason::End,
            _ => StopReason::Other(word),
        };
        self.calls.settle(&stop, events);
        self.phase = Phase::Stopped(stop);
        Ok(())
    }

    fn complete(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        match std::mem::replace(&mut self.phase, Phase::Waiting) {
            Phase::Stopped(stop) => events.push(self.options.finished(stop, self.usage)),
            Phase::Waiting | Phase::Answering => return Err(cut()),
        }
        Ok(())
    }
}

impl FrameDecoder for ChatDecoder {
    fn frame(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        if payload.trim() == DONE {
            return self.complete(events);
        }
        let chunk: Chunk = read(payload)?;
        let error = chunk.error.as_ref().is_some_and(|error| error.get() != "null");
        if error || chunk.object.as_deref() == Some("error") {
            return Err(StreamFault::Reported(ProviderFault::read(payload)));
        }
        self.chunk(chunk, events)
    }

    /// Some servers never send the marker at the end: the `finish_reason` decides.
    fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        self.complete(events)
    }
}

fn some_text(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
