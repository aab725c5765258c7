//! Encodes a request for Anthropic's Messages API.
//!
//! What must stay true, because the provider refuses anything else: thinking goes back only to the
//! model that produced it, at most four blocks carry a cache breakpoint, and no block is empty.

use serde_json::{Map, Value, json};

use super::super::written::{RequestContext, own_thinking, set};
use crate::error::ProviderError;
use crate::model::ThinkingStyle;
use crate::request::{
    CacheLifetime, CachePoint, ModelBlock, ModelImage, ModelMessage, ModelRequest, ModelRole,
    ThinkingEffort, ThinkingWish, ToolOutcome, ToolResultBlock,
};

/// The provider requires a limit. This one applies if neither request nor model entry has one.
const DEFAULT_MAX_TOKENS: u32 = 8_192;

/// The smallest thinking budget that the provider accepts, in tokens.
const MIN_THINKING_TOKENS: u32 = 1_024;

/// The most cache breakpoints of a request.
const MAX_BREAKPOINTS: usize = 4;

/// Encodes the body of a request.
pub(crate) fn write(
    request: &ModelRequest,
    context: &RequestContext,
) -> Result<Value, ProviderError> {
    let limit = request.max_tokens.or(context.max_output).unwrap_or(DEFAULT_MAX_TOKENS);
    let breakpoints = Breakpoints::of(request);
    let mut body = Map::new();
    body.insert("model".into(), request.model.as_ref().into());
    body.insert("max_tokens".into(), limit.into());
    body.insert("stream".into(), true.into());
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        let block = breakpoints.apply(json!({"type": "text", "text": system}), CachePoint::System);
        body.insert("system".into(), json!([block]));
    }
    let messages = request.messages.iter().enumerate();
    let messages = messages.filter_map(|(at, message)| written(request, &breakpoints, at, message));
    body.insert("messages".into(), messages.collect());
    if !request.tools.is_empty() {
        body.insert("tools".into(), tools(request, &breakpoints));
    }
    set(&mut body, "temperature", request.temperature);
    if !request.stop.is_empty() {
        let stop: Vec<_> = request.stop.iter().map(AsRef::as_ref).collect::<Vec<&str>>();
        body.insert("stop_sequences".into(), stop.into());
    }
    let (thinking, effort) = thinking(request.thinking, context.thinking, limit)?;
    set(&mut body, "thinking", thinking);
    set(&mut body, "output_config", effort.map(|effort| json!({"effort": effort.word()})));
    Ok(body.into())
}

/// The cache breakpoints of a request: where they are, and the value that marks a block.
struct Breakpoints {
    points: Vec<CachePoint>,
    cache_control: Value,
}

impl Breakpoints {
    fn of(request: &ModelRequest) -> Self {
        let mut points = request.cache.points.clone();
        points.sort_unstable();
        points.dedup();
        points.drain(..points.len().saturating_sub(MAX_BREAKPOINTS));
        let cache_control = match request.cache.lifetime {
            CacheLifetime::Short => json!({"type": "ephemeral"}),
            CacheLifetime::Hour => json!({"type": "ephemeral", "ttl": "1h"}),
        };
        Self { points, cache_control }
    }

    fn apply(&self, mut block: Value, point: CachePoint) -> Value {
        if let Some(object) = block.as_object_mut().filter(|_| self.points.contains(&point)) {
            object.insert("cache_control".into(), self.cache_control.clone());
        }
        block
    }
}

fn tools(request: &ModelRequest, breakpoints: &Breakpoints) -> Value {
    let last = request.tools.len() - 1;
    let tools = request.tools.iter().enumerate().map(|(at, tool)| {
        let written = json!({
            "name": tool.name(),
            "description": tool.description(),
            "input_schema": tool.schema().to_value(),
        });
        if at == last { breakpoints.apply(written, CachePoint::Tools) } else { written }
    });
    tools.collect()
}

/// Encodes a message; `None` if none of its blocks can be sent.
fn written(
    request: &ModelRequest,
    breakpoints: &Breakpoints,
    at: usize,
    message: &ModelMessage,
) -> Option<Value> {
    let mut blocks: Vec<_> =
        message.blocks.iter().filter_map(|written| block(request, written)).collect();
    // The provider accepts no breakpoint on thinking, and a user's message never ends with it.
    if let Some(last) = blocks.last_mut().filter(|last| !is_thinking(last)) {
        *last = breakpoints.apply(last.take(), CachePoint::Message(at));
    }
    let role = match message.role {
        ModelRole::User => "user",
        ModelRole::Assistant => "assistant",
    };
    (!blocks.is_empty()).then(|| json!({"role": role, "content": blocks}))
}

fn is_thinking(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

fn block(request: &ModelRequest, block: &ModelBlock) -> Option<Value> {
    match block {
        ModelBlock::Text(text) => {
            (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
        }
        ModelBlock::Image(image) => Some(picture(image)),
        ModelBlock::ToolUse(call) => Some(json!({
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": call.input.to_value(),
        })),
        ModelBlock::ToolResult(result) => Some(tool_result(result)),
        ModelBlock::Thinking(block) => {
            let (block, signature) = own_thinking(request, block)?;
            Some(if block.hidden {
                json!({"type": "redacted_thinking", "data": signature})
            } else {
                json!({"type": "thinking", "thinking": block.text, "signature": signature})
            })
        }
    }
}

fn picture(image: &ModelImage) -> Value {
    let source = json!({"type": "base64", "media_type": image.media_type, "data": image.data});
    json!({"type": "image", "source": source})
}

fn tool_result(result: &ToolResultBlock) -> Value {
    let mut content = Vec::new();
    if !result.text.is_empty() {
        content.push(json!({"type": "text", "text": result.text}));
    }
    content.extend(result.images.iter().map(picture));
    let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": content});
    if result.outcome == ToolOutcome::Failed {
        block["is_error"] = true.into();
    }
    block
}

/// The two settings of thinking: the field `thinking`, and the effort.
fn thinking(
    wish: ThinkingWish,
    style: Option<ThinkingStyle>,
    limit: u32,
) -> Result<(Option<Value>, Option<ThinkingEffort>), ProviderError> {
    let effort = match wish {
        ThinkingWish::Default => return Ok((None, None)),
        ThinkingWish::Off => None,
        ThinkingWish::Effort(effort) => Some(effort),
        ThinkingWish::Tokens(tokens) => Some(ThinkingEffort::of_tokens(tokens)),
    };
    // Without `display`, the newer models send no text of their thinking.
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    // All current models accept an effort, so a model without an entry gets one too.
    Ok(match (style.unwrap_or(ThinkingStyle::Adaptive), effort) {
        (ThinkingStyle::None, _) | (ThinkingStyle::Budget, None) => (None, None),
        (ThinkingStyle::Budget, Some(effort)) => (Some(budget(wish, effort, limit)?), None),
        (ThinkingStyle::Adaptive | ThinkingStyle::Effort, None) => {
            (Some(json!({"type": "disabled"})), None)
        }
        (ThinkingStyle::Always, None) => (None, Some(ThinkingEffort::Low)),
        (ThinkingStyle::Adaptive | ThinkingStyle::Effort | ThinkingStyle::Always, effort) => {
            (Some(adaptive), effort)
        }
    })
}

/// The field for a thinking budget in tokens, which must leave room for the answer.
fn budget(wish: ThinkingWish, effort: ThinkingEffort, limit: u32) -> Result<Value, ProviderError> {
    let tokens = match wish {
        ThinkingWish::Tokens(tokens) => tokens,
        ThinkingWish::Default | ThinkingWish::Off | ThinkingWish::Effort(_) => effort.tokens(),
    };
    if limit <= MIN_THINKING_TOKENS {
        let what =
            format!("thinking needs a limit above {MIN_THINKING_TOKENS} tokens, not {limit}");
        return Err(ProviderError::Request(what.into()));
    }
    let tokens = tokens.clamp(MIN_THINKING_TOKENS, limit - 1);
    Ok(json!({"type": "enabled", "budget_tokens": tokens}))
}
