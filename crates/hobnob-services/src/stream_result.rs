//! Collects the events of a stream into one result, for callers that receive no events.
//!
//! Services that stream send their events through this, so that both kinds of callers get the same:
//! text is joined and comes first, tool calls and errors follow in their order, and an error makes
//! the result a failure. The size of the result is bounded.

use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_toolbox::{CallContext, ToolReply};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::json::{entries, field, object};
use hobnob_mcp_types::tools::CallToolResult;
use serde_json::value::RawValue;

/// Most text in a result, in bytes: about a million words of a model.
const MAX_TEXT: usize = 4 << 20;
/// Most tool calls and errors that a result lists.
const MAX_BLOCKS: usize = 1000;

/// The result of a stream so far.
#[derive(Debug, Default)]
pub struct StreamResult {
    text: String,
    /// Bytes of text over the limit.
    left_out: usize,
    blocks: Vec<String>,
    ending: Ending,
}

/// How the stream ended, if it has.
#[derive(Debug, Default)]
enum Ending {
    #[default]
    Open,
    /// The members of the `complete` event.
    Complete(String),
    Failed,
}

impl StreamResult {
    /// Sends an event to the caller, and adds it to the result. Waits while a caller that needs
    /// every event has no room.
    pub async fn emit(&mut self, context: &CallContext, event: StreamEvent) {
        self.collect(&event);
        context.emit(event).await;
    }

    /// Adds an event to the result only.
    pub fn collect(&mut self, event: &StreamEvent) {
        match event.kind() {
            StreamEvent::CONTENT | "stdout" | "stderr" => {
                self.add_text(event.message().unwrap_or_default());
            }
            StreamEvent::TOOL_USE => {
                let json = event.to_json();
                let name = field(&json, "tool_name").and_then(string).unwrap_or_default();
                self.add_block(format!("[Tool: {name}] {}", field(&json, "input").unwrap_or("{}")));
            }
            StreamEvent::ERROR => {
                let json = event.to_json();
                let message = field(&json, "message").and_then(string);
                self.add_block(message.unwrap_or_else(|| "the call failed".into()));
                self.ending = Ending::Failed;
            }
            StreamEvent::COMPLETE => {
                if let Ending::Open = self.ending {
                    self.ending = Ending::Complete(members(&event.to_json()));
                }
            }
            // Starts, thoughts and tool results are only for callers that follow the stream.
            _ => {}
        }
    }

    /// The result. If only a completion arrived, its members are also the text.
    pub fn into_reply(self) -> ToolReply {
        let mut texts = Vec::new();
        if !self.text.is_empty() {
            let left_out = match self.left_out {
                0 => String::new(),
                bytes => format!("\n[{bytes} bytes left out]\n"),
            };
            texts.push(self.text + &left_out);
        }
        texts.extend(self.blocks);
        let data = match self.ending {
            Ending::Open => None,
            Ending::Complete(data) => Some(data),
            Ending::Failed => return failure(texts),
        };
        if let (true, Some(data)) = (texts.is_empty(), &data) {
            texts.push(pretty(data));
        }
        match (texts.pop(), texts.is_empty()) {
            (Some(text), true) => ToolReply::TextAndData { text, data, is_error: false },
            (last, _) => {
                texts.extend(last);
                let content = texts.into_iter().map(Content::text).collect();
                let mut result = CallToolResult::new(content);
                result.structured_content = data.and_then(|data| RawValue::from_string(data).ok());
                ToolReply::Full(Box::new(result))
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        let room = MAX_TEXT - self.text.len();
        let fits = if self.left_out > 0 { 0 } else { text.floor_char_boundary(room) };
        self.text.push_str(&text[..fits]);
        self.left_out += text.len() - fits;
    }

    fn add_block(&mut self, block: String) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push(block);
        } else if let Some(last) = self.blocks.last_mut() {
            // The last block, such as an error, matters most.
            *last = block;
        }
    }
}

fn failure(texts: Vec<String>) -> ToolReply {
    let content = texts.into_iter().map(Content::text).collect();
    ToolReply::Full(Box::new(CallToolResult { is_error: true, ..CallToolResult::new(content) }))
}

/// The members of the last event, without its type.
fn members(event: &str) -> String {
    object(|object| {
        for (name, value) in entries(event).iter().filter(|(name, _)| name != "type") {
            object.raw(name, value);
        }
    })
}

/// The data in a form for people: a completion with only a `result` is shown as that result.
fn pretty(data: &str) -> String {
    let shown = match &entries(data)[..] {
        [(name, value)] if name == "result" => value,
        _ => data,
    };
    let value: Result<serde_json::Value, _> = serde_json::from_str(shown);
    value
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| shown.to_owned())
}

/// Parses a JSON string.
fn string(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

#[cfg(test)]
mod tests;
