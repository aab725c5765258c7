//! A server asks for the chat's model (MCP sampling): its request as the provider gets it and as the
//! person reads it, and the result as the server gets it. No I/O.
//!
//! What must stay true: the person reads everything that is sent, and can mistake no line of it for
//! one of ours.

use super::super::call_origin::CallOrigin;
use hobnob_agent::ModelAnswer;
use hobnob_llm::{
    ModelBlock, ModelImage, ModelMessage, ModelRequest, ModelRole, StopReason, ThinkingWish,
};
use hobnob_mcp_types::annotations::Role;
use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::sampling::{CreateMessageParams, CreateMessageResult, SamplingMessage};
use std::fmt::Write as _;

#[cfg(test)]
mod tests;

/// The most bytes of texts and images that are sent.
const MAX_BYTES: usize = 1 << 20;

/// The request to a provider, or the reason for the server why there is none.
pub(super) fn model_request(
    model: &str,
    params: &CreateMessageParams,
) -> Result<ModelRequest, String> {
    if params.messages.is_empty() {
        return Err("there are no messages".into());
    }
    if params.tools.is_some() || params.tool_choice.is_some() {
        return Err("the model of this chat is not lent with tools".into());
    }
    let messages: Vec<ModelMessage> =
        params.messages.iter().map(message).collect::<Result<_, _>>()?;
    let system = params.system_prompt.as_ref().map_or(0, String::len);
    let bytes = system + messages.iter().flat_map(|it| &it.blocks).map(size).sum::<usize>();
    if MAX_BYTES < bytes {
        return Err(format!("the messages have {bytes} bytes; at most {MAX_BYTES} are allowed"));
    }
    let mut request = ModelRequest::new(model, messages);
    request.system = params.system_prompt.as_deref().map(Into::into);
    request.max_tokens = Some(u32::try_from(params.max_tokens).unwrap_or(u32::MAX).max(1));
    request.stop = params.stop_sequences.iter().map(|it| it.as_str().into()).collect();
    // Servers count on an answer within their limit, which thinking would use up. A temperature is
    // left out: newer models refuse a request that has one.
    request.thinking = ThinkingWish::Off;
    Ok(request)
}

fn message(message: &SamplingMessage) -> Result<ModelMessage, String> {
    let role = match &message.role {
        Role::User => ModelRole::User,
        Role::Assistant => ModelRole::Assistant,
        other => return Err(format!("no message can have the role {other:?}")),
    };
    let block = |content: &SamplingContent| match content {
        SamplingContent::Text(text) => Ok(ModelBlock::Text(text.text.clone())),
        SamplingContent::Image(image) => Ok(ModelBlock::Image(ModelImage {
            media_type: image.mime_type.as_str().into(),
            data: image.data.as_str().into(),
        })),
        SamplingContent::Audio(_) => Err("the model of this chat is not lent for sound".to_owned()),
        SamplingContent::ToolUse(_) | SamplingContent::ToolResult(_) => {
            Err("the model of this chat is not lent with tools".to_owned())
        }
        SamplingContent::Unknown(_) => Err("a message has content of an unknown kind".to_owned()),
    };
    let blocks = message.content.as_slice().iter().map(block).collect::<Result<_, _>>()?;
    Ok(ModelMessage { role, blocks })
}

fn size(block: &ModelBlock) -> usize {
    match block {
        ModelBlock::Text(text) => text.len(),
        ModelBlock::Image(image) => image.data.len(),
        ModelBlock::ToolUse(_) | ModelBlock::ToolResult(_) | ModelBlock::Thinking(_) => 0,
    }
}

/// The text that the person reads before they decide; not yet made safe to show.
pub(super) fn consent_text(
    request: &ModelRequest,
    origin: &CallOrigin,
    tool: &str,
    model: &str,
    used: (u64, u64),
) -> String {
    let mut text = format!(
        "{} wants to use the model of this chat ({model}) while `{tool}` runs. The model would be \
         asked this, and nothing of your conversation:\n",
        origin.words()
    );
    if let Some(system) = &request.system {
        quote(&mut text, "system", system);
    }
    for message in &request.messages {
        let role = match message.role {
            ModelRole::User => "user",
            ModelRole::Assistant => "assistant",
        };
        for block in &message.blocks {
            match block {
                ModelBlock::Text(said) => quote(&mut text, role, said),
                ModelBlock::Image(ModelImage { media_type, data }) => {
                    quote(&mut text, role, &format!("[{media_type}, {} bytes]", data.len() / 4 * 3))
                }
                ModelBlock::ToolUse(_) | ModelBlock::ToolResult(_) | ModelBlock::Thinking(_) => {}
            }
        }
    }
    for stop in &request.stop {
        quote(&mut text, "stop at", stop);
    }
    let (taken, limit) = used;
    let max = request.max_tokens.unwrap_or(u32::MAX);
    let _fits = write!(
        text,
        "The answer goes to the server and has at most {max} tokens. Servers have used {taken} of \
         {limit} tokens in this chat."
    );
    text
}

/// Appends a text to `out`, with a mark before each of its lines.
fn quote(out: &mut String, who: &str, text: &str) {
    let _fits = writeln!(out, "  {who}:");
    for line in text.split('\n') {
        let _fits = writeln!(out, "  │ {line}");
    }
}

/// The result that the server gets.
pub(super) fn result(model: &str, answer: &ModelAnswer) -> CreateMessageResult {
    let stop = match &answer.completion.stop {
        StopReason::End => "endTurn",
        StopReason::Length => "maxTokens",
        StopReason::StopText => "stopSequence",
        StopReason::ToolUse => "toolUse",
        StopReason::Refusal => "refusal",
        StopReason::Other(word) => word,
    };
    let mut result = CreateMessageResult::text(model, answer.text.clone());
    result.stop_reason = Some(stop.to_owned());
    result
}
