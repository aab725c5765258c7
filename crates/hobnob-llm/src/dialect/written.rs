//! What the request encoders of the dialects share: the facts that they need besides the request, and
//! helpers that encode pieces of it as JSON.
//!
//! The `request` file of each dialect uses it.

use serde_json::{Map, Value, json};

use crate::model::ThinkingStyle;
use crate::request::{ModelBlock, ModelImage, ModelMessage, ThinkingBlock, ToolOutcome};
use crate::request::{ModelRequest, ToolResultBlock};

/// What an encoder knows about the model and the server besides the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestContext {
    /// How a request controls the model's thinking; absent if the model has no entry.
    pub(crate) thinking: Option<ThinkingStyle>,
    /// The longest answer of the model; absent if the model has no entry.
    pub(crate) max_output: Option<u32>,
    /// The name of the output limit on this server.
    pub(crate) output_limit: OutputLimitName,
}

/// The two names of the output limit in chat completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputLimitName {
    /// `max_tokens`, which every server but OpenAI's own accepts.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's newer models require.
    MaxCompletionTokens,
}

/// A picture as the data URL that OpenAI's APIs accept.
pub(super) fn data_url(image: &ModelImage) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

/// A result's text, for providers without a field for failed calls: the text itself says it.
pub(super) fn result_text(result: &ToolResultBlock) -> String {
    match result.outcome {
        ToolOutcome::Done => result.text.clone(),
        ToolOutcome::Failed => format!("Error: {}", result.text),
    }
}

/// Encodes the tools for chat completions and Ollama.
pub(super) fn function_tools(request: &ModelRequest) -> Vec<Value> {
    let tool = |tool: &crate::tool::ModelTool| {
        json!({
            "type": "function",
            "function": {
                "name": tool.name(),
                "description": tool.description(),
                "parameters": tool.schema().to_value(),
            },
        })
    };
    request.tools.iter().map(tool).collect()
}

/// A thinking block with its signature, if it may go back to the model: the same model produced it,
/// and the provider can verify that.
pub(super) fn own_thinking<'a>(
    request: &ModelRequest,
    block: &'a ThinkingBlock,
) -> Option<(&'a ThinkingBlock, &'a str)> {
    let own = block.model == request.model;
    block.signature.as_deref().filter(|_| own).map(|signature| (block, signature))
}

/// The texts and pictures of a message, without the blocks that have another place in a request.
pub(super) fn texts_and_images(message: &ModelMessage) -> (String, Vec<&ModelImage>) {
    let mut images = Vec::new();
    for block in &message.blocks {
        match block {
            ModelBlock::Image(image) => images.push(image),
            ModelBlock::Text(_)
            | ModelBlock::ToolUse(_)
            | ModelBlock::ToolResult(_)
            | ModelBlock::Thinking(_) => {}
        }
    }
    (message.text(), images)
}

/// Adds a member if there is a value.
pub(super) fn set<T: Into<Value>>(object: &mut Map<String, Value>, name: &str, value: Option<T>) {
    if let Some(value) = value {
        object.insert(name.into(), value.into());
    }
}
