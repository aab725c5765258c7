//! One answer of a model while it comes: its events go to the caller, its blocks are collected.
//!
//! What must stay true: what is collected is bounded, and is only used once the answer is complete.

use super::session_tools::SessionTools;
use crate::stream_result::StreamResult;
use hobnob_llm::{
    ModelBlock, ModelCompletion, ModelEvent, ModelStream, ReplyCollector, StopReason, ToolUse,
};
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_server::toolbox::CallContext;

/// The most bytes of an answer, with what it wants tools to be called with.
const MAX_ANSWER: usize = 4 << 20;
/// The most calls in one answer.
const MAX_CALLS: usize = 64;

/// An answer that is complete.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: String,
    /// Everything that the model has to see again: text, thinking and calls, in order.
    pub(super) blocks: Vec<ModelBlock>,
    pub(super) completion: ModelCompletion,
}

impl Answer {
    /// The calls that the model waits for; none if it has said everything.
    pub(super) fn calls(&self) -> Vec<ToolUse> {
        let calls = self.blocks.iter().filter_map(|block| match block {
            ModelBlock::ToolUse(call) => Some(call.clone()),
            ModelBlock::Text(_)
            | ModelBlock::Image(_)
            | ModelBlock::ToolResult(_)
            | ModelBlock::Thinking(_) => None,
        });
        calls.collect()
    }
}

/// Passes an answer on to its end. The error says in words why there is none; dropping the future
/// closes the provider's connection.
pub(super) async fn receive(
    mut stream: ModelStream,
    tools: &SessionTools,
    context: &CallContext,
    result: &mut StreamResult,
) -> Result<Answer, String> {
    let (mut text, mut bytes, mut calls) = (String::new(), 0, 0);
    let mut reply = ReplyCollector::default();
    while let Some(next) = stream.next().await {
        let next = next.map_err(|error| error.to_string())?;
        reply.push(&next);
        let event = match next {
            ModelEvent::Text(piece) => {
                text.push_str(&piece);
                bytes += piece.len();
                StreamEvent::content(piece)
            }
            ModelEvent::Thinking(piece) => {
                bytes += piece.len();
                StreamEvent::thinking(piece)
            }
            ModelEvent::ToolUse(call) => {
                bytes += call.input.as_str().len();
                calls += 1;
                tool_use_event(tools.listed_name(&call.name), &call)
            }
            ModelEvent::Started { .. } | ModelEvent::ThinkingEnded(_) | ModelEvent::Usage(_) => {
                continue;
            }
            ModelEvent::Finished(completion) => {
                let blocks = reply.into_message().blocks;
                return finished(Answer { text, blocks, completion });
            }
        };
        if MAX_ANSWER < bytes {
            return Err(format!("the answer has more than {MAX_ANSWER} bytes"));
        }
        if MAX_CALLS < calls {
            return Err(format!("the model asks for more than {MAX_CALLS} tools at once"));
        }
        result.emit(context, event).await;
    }
    Err("the answer ended without a word".into())
}

/// The model asks for a tool, which the view calls `name`.
pub(super) fn tool_use_event(name: &str, call: &ToolUse) -> StreamEvent {
    StreamEvent::tool_use(name, &call.input).with("tool_use_id", &call.id)
}

fn finished(answer: Answer) -> Result<Answer, String> {
    if answer.text.trim().is_empty() && answer.calls().is_empty() {
        // Providers refuse a conversation with an empty turn in it.
        let why = stop_word(&answer.completion.stop);
        return Err(format!("the model answered without any text (it stopped with `{why}`)"));
    }
    Ok(answer)
}

/// Why a model wrote no more, as a word on the wire.
pub(super) fn stop_word(stop: &StopReason) -> &str {
    match stop {
        StopReason::End => "end",
        StopReason::ToolUse => "tool_use",
        StopReason::Length => "length",
        StopReason::StopText => "stop_text",
        StopReason::Refusal => "refusal",
        StopReason::Other(word) => word,
    }
}
