//! What an agent's program said, whichever program it is, and how callers get it as an event.
//!
//! The interpreter makes these, and the chat sends them on.

use hobnob_mcp_engine::StreamEvent;
use serde_json::{Map, Value};

/// Something that happened in a chat.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AgentEvent {
    /// The program begins to work.
    Start(Map<String, Value>),
    /// A piece of the answer.
    Content(String),
    /// A piece of what the model thinks.
    Thinking(String),
    /// The model uses a tool of the program's.
    ToolUse { tool: String, input: Value, id: Option<String> },
    /// What that tool answered.
    ToolResult { id: Option<String>, output: Value, outcome: ToolOutcome },
    /// The chat failed, which ends it.
    Failed { message: String, members: Map<String, Value> },
    /// The chat ended with an answer.
    Complete(Map<String, Value>),
}

/// Whether a tool did what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolOutcome {
    Succeeded,
    Failed,
}

impl AgentEvent {
    /// Whether it shows that the model has answered, so that the conversation can be gone on with.
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

    /// As callers get it.
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
