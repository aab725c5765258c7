//! A chat as plain text: the answer on standard output, what happens meanwhile on standard error.

use hobnob_agent::{AgentEvent, AgentView};
use hobnob_llm::{TokenUsage, ToolOutcome};
use hobnob_terminal::render::{self, one_line};
use hobnob_terminal::terminal::Spinner;
use std::time::Duration;

/// Characters of arguments, or of an error, in a line about a call.
const MAX_SHOWN_CHARS: usize = 120;

/// Reports calls on standard error. The answer is printed once it is complete, so that a redirected
/// standard output has exactly the last answer.
pub(super) struct TextView(pub(super) Spinner);

impl AgentView for TextView {
    fn show(&self, event: &AgentEvent) {
        match event {
            AgentEvent::CallStarted(call) => {
                let input: String =
                    one_line(call.input.as_str()).chars().take(MAX_SHOWN_CHARS).collect();
                self.0.note(&format!("{} {input}", call.name));
            }
            AgentEvent::CallEnded { call, text, outcome: ToolOutcome::Failed, .. } => {
                let text: String = one_line(text).chars().take(MAX_SHOWN_CHARS).collect();
                self.0.note(&format!("{} failed: {text}", call.name));
            }
            AgentEvent::Logged { level, logger, text } => {
                self.0.note(&log_line(level, logger.as_deref(), text));
            }
            AgentEvent::Sampled { by, usage, .. } => {
                self.0.note(&sampling_line(by, usage.as_ref()))
            }
            AgentEvent::ContextAdded(text) => self.0.note(text),
            AgentEvent::Summarised(_) => self.0.note("old turns were replaced by a summary"),
            AgentEvent::NotSummarised(why) => {
                self.0
                    .note(&format!("old turns were not replaced by a summary: {}", one_line(why)));
            }
            AgentEvent::Retrying { why, wait } => self.0.note(&retry_line(why, *wait)),
            AgentEvent::OfAgent { event, .. } => self.show(event),
            AgentEvent::Asked
            | AgentEvent::Text(_)
            | AgentEvent::Thinking(_)
            | AgentEvent::Answered { .. }
            | AgentEvent::CallEnded { .. }
            | AgentEvent::CallProgress { .. }
            | AgentEvent::TurnEnded(_) => {}
        }
    }
}

/// The line about a retry of the provider.
pub(super) fn retry_line(why: &str, wait: Duration) -> String {
    format!("{}; asking again in {:.1} s", one_line(why), wait.as_secs_f64())
}

/// A log message of a server on one line, made safe.
pub(super) fn log_line(level: &str, logger: Option<&str>, text: &str) -> String {
    let logger = logger.map(|logger| format!(" {}", one_line(logger))).unwrap_or_default();
    format!("{level}{logger}: {}", one_line(text))
}

/// The line about a server that has used the model.
pub(super) fn sampling_line(by: &str, usage: Option<&TokenUsage>) -> String {
    let by = one_line(by);
    match usage {
        Some(usage) => format!("{by} has used the model: {} tokens", usage.total()),
        None => format!("{by} has used the model"),
    }
}

/// Prints the last answer, made safe.
pub(super) fn print(answer: &str) -> anyhow::Result<()> {
    render::text(&render::safe(answer))
}
