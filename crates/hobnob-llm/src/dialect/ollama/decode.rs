//! Decodes the lines of Ollama's `/api/chat` into events.
//!
//! What must stay true: only a line with `done` completes an answer; a line with `error` ends it
//! with an error, although the HTTP status was a success.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::fault::{ProviderFault, StreamFault};
use super::super::frame::{DecoderOptions, FrameDecoder, cut, read};
use super::super::tool_call::{ToolCallParts, ToolCalls};
use crate::event::{ModelEvent, StopReason};
use crate::request::ThinkingBlock;
use crate::usage::TokenUsage;

/// Decodes one answer; every answer needs a new decoder.
pub(crate) struct OllamaDecoder {
    options: DecoderOptions,
    started: bool,
    thinking: String,
    calls: ToolCalls,
}

#[derive(Deserialize)]
struct ChatLine {
    #[serde(default)]
    model: Box<str>,
    message: Option<LineMessage>,
    #[serde(default)]
    done: bool,
    done_reason: Option<Box<str>>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct LineMessage {
    content: Option<String>,
    thinking: Option<String>,
    tool_calls: Option<Vec<LineCall>>,
}

#[derive(Deserialize)]
struct LineCall {
    id: Option<Box<str>>,
    function: LineFunction,
}

#[derive(Deserialize)]
struct LineFunction {
    name: Box<str>,
    arguments: Option<Box<RawValue>>,
}

impl OllamaDecoder {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        let calls = ToolCalls::new(options.call_seed);
        Self { options, started: false, thinking: String::new(), calls }
    }

    fn message(&mut self, message: LineMessage, events: &mut Vec<ModelEvent>) {
        if let Some(thought) = message.thinking.filter(|text| !text.is_empty()) {
            self.thinking.push_str(&thought);
            events.push(ModelEvent::Thinking(thought));
        }
        if let Some(text) = message.content.filter(|text| !text.is_empty()) {
            self.end_thinking(events);
            events.push(ModelEvent::Text(text));
        }
        for call in message.tool_calls.into_iter().flatten() {
            self.end_thinking(events);
            let arguments = call.function.arguments.map(|it| it.get().to_owned());
            let parts = ToolCallParts {
                id: call.id.unwrap_or_default(),
                name: call.function.name,
                arguments: arguments.filter(|it| it != "null").unwrap_or_default(),
            };
            self.calls.finish(parts, events);
        }
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
}

impl FrameDecoder for OllamaDecoder {
    fn frame(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        let line: ChatLine = read(payload)?;
        if line.error.is_some_and(|error| error.get() != "null") {
            return Err(StreamFault::Reported(ProviderFault::read(payload)));
        }
        if !self.started {
            self.started = true;
            events.push(ModelEvent::Started { id: Box::default(), model: line.model });
        }
        if let Some(message) = line.message {
            self.message(message, events);
        }
        if !line.done {
            return Ok(());
        }
        self.end_thinking(events);
        let stop = match line.done_reason.as_deref() {
            Some("length") => StopReason::Length,
            None | Some("stop" | "") if self.calls.any() => StopReason::ToolUse,
            None | Some("stop" | "") => StopReason::End,
            Some(other) => StopReason::Other(other.into()),
        };
        self.calls.settle(&stop, events);
        let counted = line.prompt_eval_count.or(line.eval_count).is_some();
        let usage = counted.then(|| TokenUsage {
            input: line.prompt_eval_count.unwrap_or_default(),
            output: line.eval_count.unwrap_or_default(),
            ..TokenUsage::default()
        });
        events.extend(usage.map(ModelEvent::Usage));
        events.push(self.options.finished(stop, usage));
        Ok(())
    }

    fn end(&mut self, _events: &mut Vec<ModelEvent>) -> Result<(), StreamFault> {
        Err(cut())
    }
}
