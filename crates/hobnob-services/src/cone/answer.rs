//! One answer of a model while it comes: its events go to the caller, its text is collected.
//!
//! What must stay true: what is collected is bounded, and is only used once the answer is complete.

use crate::stream_result::StreamResult;
use hobnob_llm::{ModelCompletion, ModelEvent, ModelStream, StopReason};
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_server::toolbox::CallContext;

/// The most bytes of an answer.
const MAX_ANSWER: usize = 4 << 20;

/// An answer that is complete.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) completion: ModelCompletion,
}

/// Passes an answer on to its end. The error says in words why there is none; dropping the future
/// closes the provider's connection.
pub(super) async fn receive(
    mut stream: ModelStream,
    context: &CallContext,
    result: &mut StreamResult,
) -> Result<Answer, String> {
    let mut text = String::new();
    while let Some(next) = stream.next().await {
        let event = match next.map_err(|error| error.to_string())? {
            ModelEvent::Text(piece) => {
                text.push_str(&piece);
                if MAX_ANSWER < text.len() {
                    return Err(format!("the answer has more than {MAX_ANSWER} bytes"));
                }
                StreamEvent::content(piece)
            }
            ModelEvent::Thinking(piece) => StreamEvent::thinking(piece),
            ModelEvent::ToolUse(call) => StreamEvent::tool_use(&call.name, &call.input),
            ModelEvent::Started { .. } | ModelEvent::ThinkingEnded(_) | ModelEvent::Usage(_) => {
                continue;
            }
            ModelEvent::Finished(completion) => return finished(text, completion),
        };
        result.emit(context, event).await;
    }
    Err("the answer ended without a word".into())
}

fn finished(text: String, completion: ModelCompletion) -> Result<Answer, String> {
    if text.trim().is_empty() {
        // Providers refuse a conversation with an empty turn in it.
        let why = stop_word(&completion.stop);
        return Err(format!("the model answered without any text (it stopped with `{why}`)"));
    }
    Ok(Answer { text, completion })
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
