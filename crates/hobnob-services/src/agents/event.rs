//! The events of a chat, the same for every agent's program, and their form on the wire.
//!
//! The interpreter makes them, and the chat forwards them.

use hobnob_mcp_engine::StreamEvent;
use serde_json::{Map, Value};

/// Something that happened in a chat.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AgentEvent {
    /// The program starts to work.
    Start(Map<String, Value>),
    /// A piece of the answer.
    Content(String),
    /// A piece of the model's thinking.
    Thinking(String),
    /// The model uses one of the program's own tools.
    ToolUse { tool: String, input: Value, id: Option<String> },
    /// What that tool answered.
    ToolResult { id: Option<String>, output: Value, outcome: ToolOutcome },
    /// The chat failed, which ends it.
    Failed { message: String, members: Map<String, Value> },
    /// The chat ended with an answer.
    Complete(Map<String, Value>),
}

/// Whether a tool call succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolOutcome {
    Succeeded,
    Failed,
}

impl AgentEvent {
    /// Whether the event shows that the model has answered, so the conversation can be resumed.
    pub(super) fn is_answer(&self) -> bool {
        match self {
            Self::Content(_)
            | Self::Thinking(_)
            | Self::ToolUse { .. }
            | Self::ToolResult { .. }
            | Self::Complete(_) => true,
            Self::Start(_) | Self::Failed { .. } => false,
        }
    }

    /// The event in the form that callers receive.
    pub(super) fn into_stream(self) -> StreamEvent {
        match self {
            Self::Start(members) => with_members(StreamEvent::start(), &members),
            Self::Content(text) => StreamEvent::content(text),
            Self::Thinking(text) => StreamEvent::thinking(text),
            Self::ToolUse { tool, input, id } => {
                with_id(StreamEvent::tool_use(&tool, &input), id.as_deref())
            }
            Self::ToolResult { id, output, outcome } => {
                let event = with_id(StreamEvent::new(StreamEvent::TOOL_RESULT), id.as_deref());
                event.with("output", &output).with("is_error", &(outcome == ToolOutcome::Failed))
            }
            Self::Failed { message, members } => {
                with_members(StreamEvent::error(&message), &members)
            }
            Self::Complete(members) => with_members(StreamEvent::complete(), &members),
        }
    }
}

fn with_id(event: StreamEvent, id: Option<&str>) -> StreamEvent {
    match id {
        Some(id) => event.with("tool_use_id", id),
        None => event,
    }
}

fn with_members(event: StreamEvent, members: &Map<String, Value>) -> StreamEvent {
    members.iter().fold(event, |event, (name, value)| event.with(name, value))
}
