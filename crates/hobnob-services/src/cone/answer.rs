//! Receives one answer of a model and forwards its events to the caller.

use super::session_tools::SessionTools;
use crate::stream_result::StreamResult;
use hobnob_agent::{AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer};
use hobnob_llm::{ModelEvent, ModelStream, ToolUse};
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_toolbox::CallContext;

/// Forwards an answer to its end. The error is a message for the caller; dropping the future closes
/// the connection to the provider.
pub(super) async fn receive(
    stream: ModelStream,
    tools: &SessionTools,
    context: &CallContext,
    result: &mut StreamResult,
) -> Result<ModelAnswer, String> {
    let mut receiver = AnswerReceiver::new(stream, AnswerLimits::default());
    loop {
        let event = match receiver.next().await.map_err(|error| error.to_string())? {
            AnswerPart::Complete(answer) => {
                return answer.not_empty().map_err(|error| error.to_string());
            }
            AnswerPart::Event(ModelEvent::Text(piece)) => StreamEvent::content(piece),
            AnswerPart::Event(ModelEvent::Thinking(piece)) => StreamEvent::thinking(piece),
            AnswerPart::Event(ModelEvent::ToolUse(call)) => {
                tool_use_event(tools.listed_name(&call.name), &call)
            }
            AnswerPart::Event(_) => continue,
        };
        result.emit(context, event).await;
    }
}

/// The event for a model's tool call. `name` is the tool's name in the view.
pub(super) fn tool_use_event(name: &str, call: &ToolUse) -> StreamEvent {
    StreamEvent::tool_use(name, &call.input).with("tool_use_id", &call.id)
}
