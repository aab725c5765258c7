//! Encodes a request for Ollama's `/api/chat`.
//!
//! What must stay true: a result names its tool. The name is looked up in the conversation.

use serde_json::{Map, Value, json};

use super::super::written::{RequestContext, function_tools, result_text, set, texts_and_images};
use crate::request::{
    ModelBlock, ModelImage, ModelMessage, ModelRequest, ModelRole, ThinkingEffort, ThinkingWish,
};

/// The beginning of the names of models whose thinking has levels; for all others it is on or off.
const LEVELED_PREFIX: &str = "gpt-oss";

/// Encodes the body of a request.
pub(crate) fn write(request: &ModelRequest, _context: &RequestContext) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &request.messages {
        match message.role {
            ModelRole::User => user(request, message, &mut messages),
            ModelRole::Assistant => messages.push(assistant(message)),
        }
    }
    let mut options = Map::new();
    set(&mut options, "num_predict", request.max_tokens);
    set(&mut options, "temperature", request.temperature);
    if !request.stop.is_empty() {
        options.insert("stop".into(), json!(request.stop));
    }
    let mut body = Map::new();
    body.insert("model".into(), request.model.as_ref().into());
    body.insert("messages".into(), messages.into());
    body.insert("stream".into(), true.into());
    if !request.tools.is_empty() {
        body.insert("tools".into(), function_tools(request).into());
    }
    if !options.is_empty() {
        body.insert("options".into(), options.into());
    }
    set(&mut body, "think", think(request));
    body.into()
}

fn think(request: &ModelRequest) -> Option<Value> {
    let effort = match request.thinking {
        ThinkingWish::Default => return None,
        ThinkingWish::Off => return Some(false.into()),
        ThinkingWish::Effort(effort) => effort,
        ThinkingWish::Tokens(tokens) => ThinkingEffort::of_tokens(tokens),
    };
    let levels = request.model.rsplit('/').next().is_some_and(|it| it.starts_with(LEVELED_PREFIX));
    Some(if levels { effort.word().into() } else { true.into() })
}

fn user(request: &ModelRequest, message: &ModelMessage, messages: &mut Vec<Value>) {
    for block in &message.blocks {
        match block {
            ModelBlock::ToolResult(result) => {
                let mut written = json!({"role": "tool", "content": result_text(result)});
                if let Some(name) = tool_name(request, &result.id) {
                    written["tool_name"] = name.into();
                }
                add_images(&mut written, result.images.iter());
                messages.push(written);
            }
            ModelBlock::Text(_)
            | ModelBlock::Image(_)
            | ModelBlock::ToolUse(_)
            | ModelBlock::Thinking(_) => {}
        }
    }
    let (text, images) = texts_and_images(message);
    if text.is_empty() && images.is_empty() {
        return;
    }
    let mut written = json!({"role": "user", "content": text});
    add_images(&mut written, images.into_iter());
    messages.push(written);
}

fn add_images<'a>(message: &mut Value, images: impl Iterator<Item = &'a ModelImage>) {
    let images: Vec<_> = images.map(|image| image.data.as_ref()).collect::<Vec<&str>>();
    if !images.is_empty() {
        message["images"] = images.into();
    }
}

fn assistant(message: &ModelMessage) -> Value {
    let mut calls = Vec::new();
    let mut thinking = String::new();
    for block in &message.blocks {
        match block {
            ModelBlock::ToolUse(call) => {
                let (name, arguments) = (&call.name, call.input.to_value());
                calls.push(json!({"function": {"name": name, "arguments": arguments}}));
            }
            // Ollama does not sign thinking, and accepts the thinking of any model.
            ModelBlock::Thinking(block) => thinking.push_str(&block.text),
            ModelBlock::Text(_) | ModelBlock::Image(_) | ModelBlock::ToolResult(_) => {}
        }
    }
    let mut written = json!({"role": "assistant", "content": message.text()});
    if !thinking.is_empty() {
        written["thinking"] = thinking.into();
    }
    if !calls.is_empty() {
        written["tool_calls"] = calls.into();
    }
    written
}

/// The name of the tool whose call has this id; of the last such call, if an id occurs twice.
fn tool_name<'a>(request: &'a ModelRequest, id: &str) -> Option<&'a str> {
    let blocks = request.messages.iter().rev().flat_map(|message| message.blocks.iter().rev());
    let mut names = blocks.filter_map(|block| match block {
        ModelBlock::ToolUse(call) if *call.id == *id => Some(&*call.name),
        ModelBlock::ToolUse(_)
        | ModelBlock::Text(_)
        | ModelBlock::Image(_)
        | ModelBlock::ToolResult(_)
        | ModelBlock::Thinking(_) => None,
    });
    names.next()
}
