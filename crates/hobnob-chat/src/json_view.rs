//! A chat for programs: one JSON object per line and event, documented in `docs/src/chat.md`.
//!
//! What must stay true: new versions may add fields, but never change the meaning of a field.

use hobnob_agent::{AgentEvent, AgentView, TurnEnd};
use hobnob_llm::ToolOutcome;
use hobnob_terminal::render;
use serde_json::{Value, json};

/// Writes events to standard output.
#[derive(Debug)]
pub(super) struct JsonView;

impl AgentView for JsonView {
    fn show(&self, event: &AgentEvent) {
        if let Some(line) = line(event) {
            // If the reader is gone, writing the result ends the program.
            drop(render::json_line(&line));
        }
    }
}

fn line(event: &AgentEvent) -> Option<Value> {
    Some(match event {
        AgentEvent::Asked => return None,
        AgentEvent::Retrying { why, wait } => {
            let milliseconds = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            json!({"type": "retry", "reason": why, "milliseconds": milliseconds})
        }
        AgentEvent::Text(text) => json!({"type": "text", "text": text}),
        AgentEvent::Thinking(text) => json!({"type": "thinking", "text": text}),
        AgentEvent::Answered { usage, cost } => {
            json!({"type": "answered", "usage": usage, "cost_usd": cost})
        }
        AgentEvent::CallStarted(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
        }
        AgentEvent::CallEnded { call, text, outcome, took } => json!({
            "type": "tool_result",
            "id": call.id,
            "name": call.name,
            "output": text,
            "is_error": *outcome == ToolOutcome::Failed,
            "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }),
        AgentEvent::CallProgress { id, progress, total, message } => json!({
            "type": "progress",
            "id": id,
            "progress": progress,
            "total": total,
            "message": message,
        }),
        AgentEvent::Logged { level, logger, text } => {
            json!({"type": "log", "level": level, "logger": logger, "text": text})
        }
        AgentEvent::Sampled { by, usage, cost } => {
            json!({"type": "sampling", "by": by, "usage": usage, "cost_usd": cost})
        }
        AgentEvent::ContextAdded(text) => json!({"type": "context", "text": text}),
        AgentEvent::Summarised(text) => json!({"type": "summary", "text": text}),
        AgentEvent::NotSummarised(why) => json!({"type": "no_summary", "reason": why}),
        AgentEvent::TurnEnded(end) => {
            let (word, why) = end_words(end);
            json!({"type": "end", "reason": word, "message": why})
        }
        AgentEvent::OfAgent { agent, event } => {
            json!({"type": "agent", "agent": agent, "event": line(event)?})
        }
    })
}

/// How a turn ended: one word for programs, and words for people.
pub(super) fn end_words(end: &TurnEnd) -> (&'static str, Option<String>) {
    match end {
        TurnEnd::Complete => ("complete", None),
        TurnEnd::Interrupted => ("interrupted", None),
        TurnEnd::Failed(why) => ("failed", Some(why.clone())),
        TurnEnd::Limit(limit) => ("limit", Some(format!("{limit}; say more to go on"))),
    }
}
