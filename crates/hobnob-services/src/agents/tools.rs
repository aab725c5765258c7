//! The table of the agent tools: names, descriptions, annotations, schemas, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::PresentedAgents;
use super::session_tools::{DeletedSession, SessionPage, ShownSession};
use super::{chat, session_tools};
use crate::tool_effect::{ToolEffect, tool_spec};
use hobnob_mcp_toolbox::{KitBuilder, ToolSpec};
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

fn data_of<T: JsonSchema>(spec: ToolSpec) -> ToolSpec {
    spec.output_schema(schema_for!(T).to_value())
}

/// Adds the tools that only read.
pub(super) fn with_reading(kit: KitBuilder<PresentedAgents>) -> KitBuilder<PresentedAgents> {
    let get =
        tool_spec(ToolEffect::Reads, "Get a session", "Look at one of your sessions with an agent");
    let list =
        tool_spec(ToolEffect::Reads, "List sessions", "List your sessions with agents, by name");
    kit.tool("get", data_of::<ShownSession>(get), session_tools::get).tool(
        "list",
        data_of::<SessionPage>(list),
        session_tools::list,
    )
}

/// Adds the tools that create, delete and use sessions.
pub(super) fn with_changing(kit: KitBuilder<PresentedAgents>) -> KitBuilder<PresentedAgents> {
    let create = tool_spec(
        ToolEffect::Adds,
        "Create a session",
        "Create a named session with a coding agent, such as Claude Code, that works in a granted \
         folder. Nothing runs until the first chat",
    );
    let chat = tool_spec(
        ToolEffect::Runs,
        "Chat with an agent",
        "Chat with a Claude Code session, or with one of another agent. The answer, the thoughts and \
         the tools the agent uses come as progress while it works; the result has the answer, the \
         tools, and what it cost. One chat at a time in each session, 14 minutes at most",
    );
    let fork = tool_spec(
        ToolEffect::Adds,
        "Fork a session",
        "Make a new session that goes on where another one is now; neither sees what the other says \
         later",
    );
    let delete = tool_spec(
        ToolEffect::Removes,
        "Delete a session",
        "Forget a session. What the agent's program has stored of the conversation stays with it",
    );
    kit.tool("create", data_of::<ShownSession>(create), session_tools::create)
        .tool("chat", chat.schema(chat_schema()), chat::chat)
        .tool("fork", data_of::<ShownSession>(fork), session_tools::fork)
        .tool("delete", data_of::<DeletedSession>(delete), session_tools::delete)
}

/// The schema of `chat` as its first users know it: the turn limit may be null.
fn chat_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "session_name": {"type": "string", "description": "Name of the session"},
            "query": {"type": "string", "description": "The query to send"},
            "max_turns": {
                "type": ["integer", "null"],
                "description": "Maximum conversation turns"
            }
        },
        "required": ["session_name", "query"]
    })
}
