//! Encodes a request for chat completions.
//!
//! What must stay true: the body has only fields that every such server knows, unless the caller
//! asks for more; the results of tool calls directly follow the message with the calls.

use serde_json::{Map, Value, json};

use super::super::written::{
    OutputLimitName, RequestContext, data_url, function_tools, result_text, set, texts_and_images,
};
use crate::request::{
    ModelBlock, ModelImage, ModelMessage, ModelRequest, ModelRole, ThinkingEffort, ThinkingWish,
    ToolResultBlock,
};

/// Encodes the body of a request.
pub(crate) fn write(request: &ModelRequest, context: &RequestContext) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &request.messages {
        match message.role {
            ModelRole::User => user(message, &mut messages),
            ModelRole::Assistant => messages.extend(assistant(message)),
        }
    }
    let mut body = Map::new();
    body.insert("model".into(), request.model.as_ref().into());
    body.insert("messages".into(), messages.into());
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({"include_usage": true}));
    let limit = match context.output_limit {
        OutputLimitName::MaxTokens => "max_tokens",
        OutputLimitName::MaxCompletionTokens => "max_completion_tokens",
    };
    set(&mut body, limit, request.max_tokens);
    set(&mut body, "temperature", request.temperature);
    if !request.tools.is_empty() {
        body.insert("tools".into(), function_tools(request).into());
    }
    if !request.stop.is_empty() {
        body.insert("stop".into(), json!(request.stop));
    }
    let effort = match request.thinking {
        // Few servers know `none`, and servers that think only on request need no field.
        ThinkingWish::Default | ThinkingWish::Off => None,
        ThinkingWish::Effort(effort) => Some(effort),
        ThinkingWish::Tokens(tokens) => Some(ThinkingEffort::of_tokens(tokens)),
    };
    set(&mut body, "reasoning_effort", effort.map(ThinkingEffort::word));
    body.into()
}

/// Encodes a user's message: results of tool calls as messages of their own, then the rest.
fn user(message: &ModelMessage, messages: &mut Vec<Value>) {
    let results: Vec<&ToolResultBlock> = message.blocks.iter().filter_map(result).collect();
    for result in &results {
        let content = result_text(result);
        messages.push(json!({"role": "tool", "tool_call_id": result.id, "content": content}));
    }
    let (text, mut images) = texts_and_images(message);
    // A message of role `tool` takes text only.
    images.extend(results.iter().flat_map(|result| &result.images));
    if images.is_empty() && text.is_empty() {
        return;
    }
    messages.push(json!({"role": "user", "content": content(text, &images)}));
}

fn result(block: &ModelBlock) -> Option<&ToolResultBlock> {
    match block {
        ModelBlock::ToolResult(result) => Some(result),
        ModelBlock::Text(_)
        | ModelBlock::Image(_)
        | ModelBlock::ToolUse(_)
        | ModelBlock::Thinking(_) => None,
    }
}

fn content(text: String, images: &[&ModelImage]) -> Value {
    if images.is_empty() {
        return text.into();
    }
    let picture =
        |image: &&ModelImage| json!({"type": "image_url", "image_url": {"url": data_url(image)}});
    let text = Some(text).filter(|text| !text.is_empty());
    let text = text.map(|text| json!({"type": "text", "text": text}));
    text.into_iter().chain(images.iter().map(picture)).collect()
}

/// Encodes a message of the model without its thinking, which servers refuse.
fn assistant(message: &ModelMessage) -> Option<Value> {
    let calls: Vec<_> = message
        .blocks
        .iter()
        .filter_map(|block| match block {
            ModelBlock::ToolUse(call) => Some(json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.input.as_str()},
            })),
            ModelBlock::Text(_)
            | ModelBlock::Image(_)
            | ModelBlock::ToolResult(_)
            | ModelBlock::Thinking(_) => None,
        })
        .collect();
    let text = message.text();
    if calls.is_empty() {
        return (!text.is_empty()).then(|| json!({"role": "assistant", "content": text}));
    }
    let content = if text.is_empty() { Value::Null } else { text.into() };
    Some(json!({"role": "assistant", "content": content, "tool_calls": calls}))
}
