//! Turns the output lines of an agent's program into events, by the rules of its description.
//!
//! A line that matches no rule is ignored: programs gain new kinds of lines, and only the line that
//! reports the end may end a chat. Every line after that one is ignored too. Only lines that are
//! too long or invalid count as skipped.

use super::description::{AgentDescription, EventShape, TextExtent};
use super::event::{AgentEvent, ToolOutcome};
use super::limits::{MAX_EVENT_JSON, MAX_EVENT_TEXT};
use super::line_shape::{JsonPointer, MemberSources, TextSource, members_of};
use super::names::is_program_session;
use super::text_flow::TextFlow;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Skipped lines of one chat that are logged; later ones are only counted.
const LOGGED_LINES: u32 = 3;

/// Interprets the output lines of one run of a program.
#[derive(Debug)]
pub(super) struct Interpreter {
    agent: Arc<AgentDescription>,
    content: TextFlow,
    thinking: TextFlow,
    /// The id that the program gave its conversation.
    session: Option<String>,
    /// The last problem that did not end the run.
    warning: Option<String>,
    /// Number of lines that were too long or invalid.
    skipped: u32,
    phase: RunPhase,
}

/// How far the run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunPhase {
    /// The program has not answered yet.
    Begun,
    /// The model has answered something, so its conversation can be resumed.
    Answering,
    /// The program has reported how it ended.
    Ended,
}

impl Interpreter {
    pub(super) fn new(agent: Arc<AgentDescription>) -> Self {
        Self {
            agent,
            content: TextFlow::default(),
            thinking: TextFlow::default(),
            session: None,
            warning: None,
            skipped: 0,
            phase: RunPhase::Begun,
        }
    }

    /// Whether the program has reported how it ended.
    pub(super) fn has_ended(&self) -> bool {
        self.phase == RunPhase::Ended
    }

    /// The id of the conversation to resume, once the model has answered in it.
    pub(super) fn resumable(&self) -> Option<&str> {
        self.session.as_deref().filter(|_| self.phase != RunPhase::Begun)
    }

    /// The last problem that did not end the run.
    pub(super) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Counts a line that is too long or invalid, and logs the first few.
    pub(super) fn skip(&mut self, why: &str) {
        self.skipped = self.skipped.saturating_add(1);
        if self.skipped <= LOGGED_LINES {
            let agent = self.agent.name();
            tracing::warn!(agent, why, "a line of an agent's program is skipped");
        }
    }

    /// The events that a line stands for.
    pub(super) fn line(&mut self, line: &str) -> Vec<AgentEvent> {
        let agent = Arc::clone(&self.agent);
        // Some programs write terminal control sequences in front of a line.
        let object = line.find('{').map(|at| &line[at..]);
        let Some(Ok(value)) = object.map(serde_json::from_str::<Value>) else {
            self.skip("it is no JSON object");
            return Vec::new();
        };
        let Some(rule) = agent.lines.iter().find(|rule| rule.when.holds(&value)) else {
            return Vec::new();
        };
        let parts = match &rule.each {
            None => std::slice::from_ref(&value),
            Some(list) => {
                list.find(&value).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
            }
        };
        let mut events = Vec::new();
        for part in parts {
            let shape = rule.events.iter().find(|event| event.when.holds(part));
            let Some(shape) = shape.filter(|_| !self.has_ended()) else { continue };
            events.extend(self.event(&shape.event, part));
        }
        events
    }

    fn event(&mut self, shape: &EventShape, line: &Value) -> Option<AgentEvent> {
        let event = match shape {
            EventShape::Start { session, members } => {
                AgentEvent::Start(self.members(session.as_ref(), members, line))
            }
            EventShape::Content { text, extent } => {
                AgentEvent::Content(unsent_text(&mut self.content, *extent, text.text(line)?)?)
            }
            EventShape::Thinking { text, extent } => {
                AgentEvent::Thinking(unsent_text(&mut self.thinking, *extent, text.text(line)?)?)
            }
            EventShape::ToolUse { tool, input, id } => {
                self.break_off();
                AgentEvent::ToolUse {
                    tool: cut(tool.text(line)?, MAX_EVENT_TEXT),
                    input: bounded(input.value(line).unwrap_or_else(|| Value::Object(Map::new()))),
                    id: id.as_ref().and_then(|id| id.text(line)).map(|id| cut(id, MAX_EVENT_TEXT)),
                }
            }
            EventShape::ToolResult { id, output, failed } => {
                self.break_off();
                AgentEvent::ToolResult {
                    id: id.as_ref().and_then(|id| id.text(line)).map(|id| cut(id, MAX_EVENT_TEXT)),
                    output: bounded(output.value(line).unwrap_or(Value::Null)),
                    outcome: match !failed.is_empty() && failed.holds(line) {
                        true => ToolOutcome::Failed,
                        false => ToolOutcome::Succeeded,
                    },
                }
            }
            EventShape::Warning { message } => {
                let message = TextSource::first(message, line)?;
                tracing::debug!(agent = self.agent.name(), "an agent's program warns");
                self.warning = Some(cut(message, MAX_EVENT_TEXT));
                return None;
            }
            EventShape::Error { message, session, members } => {
                let members = self.members(session.as_ref(), members, line);
                let message = TextSource::first(message, line).unwrap_or("the agent failed");
                AgentEvent::Failed { message: cut(message, MAX_EVENT_TEXT), members }
            }
            EventShape::Complete { session, members } => {
                AgentEvent::Complete(self.members(session.as_ref(), members, line))
            }
        };
        self.phase = match &event {
            AgentEvent::Complete(_) | AgentEvent::Failed { .. } => self.end(&event),
            event if event.is_answer() => RunPhase::Answering,
            _ => self.phase,
        };
        Some(event)
    }

    /// Ends the run. If it failed before the model answered, there is no conversation to resume.
    fn end(&mut self, event: &AgentEvent) -> RunPhase {
        if self.phase == RunPhase::Begun && !event.is_answer() {
            self.session = None;
        }
        RunPhase::Ended
    }

    fn break_off(&mut self) {
        self.content.break_off();
        self.thinking.break_off();
    }

    /// The members of an event, with the conversation's id among them.
    fn members(
        &mut self,
        session: Option<&JsonPointer>,
        sources: &MemberSources,
        line: &Value,
    ) -> Map<String, Value> {
        if let Some(id) = session.and_then(|at| at.text(line)) {
            match is_program_session(id) {
                true => self.session = Some(id.to_owned()),
                false => self.skip("the id of its conversation is none that could be resumed"),
            }
        }
        let mut members = Map::new();
        if let Some(id) = &self.session {
            members.insert("session_id".into(), id.as_str().into());
        }
        for (name, value) in members_of(sources, line) {
            members.insert(name, bounded(value));
        }
        if self.skipped > 0 {
            members.insert("skipped_lines".into(), self.skipped.into());
        }
        members
    }
}

fn unsent_text(flow: &mut TextFlow, extent: TextExtent, text: &str) -> Option<String> {
    match extent {
        TextExtent::Piece => flow.piece(text),
        TextExtent::Whole => flow.whole(text),
    }
}

/// The value if it is short enough to be forwarded, otherwise the beginning of its text.
fn bounded(value: Value) -> Value {
    let text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.len() <= MAX_EVENT_JSON {
        true => value,
        false => Value::String(cut(&text, MAX_EVENT_JSON)),
    }
}

/// The beginning of a text, with a note of how many bytes are left out.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let kept = text.floor_char_boundary(limit);
    format!("{} … [{} bytes left out]", &text[..kept], text.len() - kept)
}

#[cfg(test)]
mod tests;
