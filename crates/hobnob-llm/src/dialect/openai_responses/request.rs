//! Encodes a request for OpenAI's Responses API.
//!
//! What must stay true: the provider stores nothing (`store` is false), so each request carries all
//! that the provider needs again, including its encrypted reasoning.

use serde_json::{Map, Value, json};

use super::super::written::{RequestContext, data_url, own_thinking, result_text, set};
use crate::error::ProviderError;
use crate::model::ThinkingStyle;
use crate::request::{
    ModelBlock, ModelImage, ModelRequest, ModelRole, ThinkingBlock, ThinkingEffort, ThinkingWish,
    ToolResultBlock,
};

/// Encodes the body of a request.
pub(crate) fn write(
    request: &ModelRequest,
    context: &RequestContext,
) -> Result<Value, ProviderError> {
    if !request.stop.is_empty() {
        let what = "the Responses API has no texts to stop at; leave them out, or use chat";
        return Err(ProviderError::Request(what.into()));
    }
    let mut body = Map::new();
    body.insert("model".into(), request.model.as_ref().into());
    set(&mut body, "instructions", request.system.as_deref());
    body.insert("input".into(), input(request).into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    set(&mut body, "max_output_tokens", request.max_tokens);
    set(&mut body, "temperature", request.temperature);
    if !request.tools.is_empty() {
        let tool = |tool: &crate::tool::ModelTool| {
            json!({
                "type": "function",
                "name": tool.name(),
                "description": tool.description(),
                "parameters": tool.schema().to_value(),
                "strict": false,
            })
        };
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    let effort = match request.thinking {
        ThinkingWish::Default => None,
        ThinkingWish::Off => Some("none"),
        ThinkingWish::Effort(effort) => Some(effort.word()),
        ThinkingWish::Tokens(tokens) => Some(ThinkingEffort::of_tokens(tokens).word()),
    };
    let effort = effort.filter(|_| context.thinking != Some(ThinkingStyle::None));
    let reasoning = effort.map(|effort| json!({"effort": effort, "summary": "auto"}));
    let reasons = reasoning.is_some() || context.thinking.is_some_and(ThinkingStyle::thinks);
    set(&mut body, "reasoning", reasoning);
    set(&mut body, "include", reasons.then(|| json!(["reasoning.encrypted_content"])));
    set(&mut body, "prompt_cache_key", request.cache.key.as_deref());
    Ok(body.into())
}

/// The conversation as a list of items: messages, calls, results and reasoning side by side.
fn input(request: &ModelRequest) -> Vec<Value> {
    let mut items = Vec::new();
    for message in &request.messages {
        let mut parts = Parts { role: message.role, content: Vec::new() };
        for block in &message.blocks {
            let item = match block {
                ModelBlock::Text(text) => {
                    parts.text(text);
                    continue;
                }
                ModelBlock::Image(image) => {
                    parts.content.push(picture(image));
                    continue;
                }
                ModelBlock::ToolUse(call) => Some(json!({
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": call.input.as_str(),
                })),
                ModelBlock::ToolResult(result) => Some(json!({
                    "type": "function_call_output",
                    "call_id": result.id,
                    "output": output(result),
                })),
                ModelBlock::Thinking(block) => reasoning(request, block),
            };
            parts.flush(&mut items);
            items.extend(item);
        }
        parts.flush(&mut items);
    }
    items
}

/// The texts and pictures of a message up to the next item of another kind.
struct Parts {
    role: ModelRole,
    content: Vec<Value>,
}

impl Parts {
    fn text(&mut self, text: &str) {
        let kind = match self.role {
            ModelRole::User => "input_text",
            ModelRole::Assistant => "output_text",
        };
        if !text.is_empty() {
            self.content.push(json!({"type": kind, "text": text}));
        }
    }

    fn flush(&mut self, items: &mut Vec<Value>) {
        let content = std::mem::take(&mut self.content);
        let role = match self.role {
            ModelRole::User => "user",
            ModelRole::Assistant => "assistant",
        };
        if !content.is_empty() {
            items.push(json!({"type": "message", "role": role, "content": content}));
        }
    }
}

fn picture(image: &ModelImage) -> Value {
    json!({"type": "input_image", "image_url": data_url(image)})
}

fn output(result: &ToolResultBlock) -> Value {
    let text = result_text(result);
    if result.images.is_empty() {
        return text.into();
    }
    let text = json!({"type": "input_text", "text": text});
    std::iter::once(text).chain(result.images.iter().map(picture)).collect()
}

fn reasoning(request: &ModelRequest, block: &ThinkingBlock) -> Option<Value> {
    let (block, encrypted) = own_thinking(request, block)?;
    let summary = Some(&block.text).filter(|text| !text.is_empty());
    let summary: Vec<_> =
        summary.map(|text| json!({"type": "summary_text", "text": text})).into_iter().collect();
    Some(json!({"type": "reasoning", "summary": summary, "encrypted_content": encrypted}))
}
