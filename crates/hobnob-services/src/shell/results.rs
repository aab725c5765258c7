//! The result of a command: data for programs, and the output itself as text for models.
//!
//! A non-zero exit code is a normal result. Only a command that did not run is a failed call.

use super::kept_output::{KeptOutput, OutputPiece};
use super::signal_name::signal_name;
use crate::commands::{CommandOutcome, StopCause, TextValidity};
use hobnob_mcp_engine::{OutputStream, StreamEvent};
use hobnob_mcp_process::LimitKind;
use hobnob_mcp_process::runner::{CommandEnd, SandboxState};
use schemars::JsonSchema;
use serde::Serialize;

/// The signal number of SIGKILL.
const SIGKILL: i32 = 9;

/// How a command went: its end, and what is kept of its output.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CommandResult {
    /// The exit code of the program; absent if a signal ended it. Anything but 0 is the program's own
    /// report of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended the program, such as `SIGKILL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// Whether it ran into its time limit and was ended.
    timed_out: bool,
    /// What ended it before its own end: `memory`, `processes`, `cpu`, `timeout` or `revoked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    /// The output of both streams in the order in which it came.
    output: Vec<ShownPiece>,
    /// All that was kept of the standard output.
    stdout: String,
    /// All that was kept of the standard error.
    stderr: String,
    /// Whether the middle of a stream was left out, because it was longer than 1 MiB.
    truncated: bool,
    /// Whether bytes that are no UTF-8 were replaced by U+FFFD.
    replaced: bool,
    /// How long it ran, in milliseconds.
    duration_ms: u64,
    /// How it was confined: `full`, `partial`, `weak` or `off`.
    sandbox: &'static str,
}

/// A piece of output, in the order in which it came.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownPiece {
    /// Where it was written: `stdout` or `stderr`.
    stream: &'static str,
    /// What was written there.
    text: String,
}

impl From<OutputPiece> for ShownPiece {
    fn from(piece: OutputPiece) -> Self {
        Self { stream: piece.stream.as_str(), text: piece.text }
    }
}

impl ShownPiece {
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

impl CommandResult {
    pub(super) fn new(outcome: &CommandOutcome, kept: KeptOutput, sandbox: SandboxState) -> Self {
        let End { exit_code, signal, limit } = End::of(outcome);
        let left_out = |stream| kept.left_out(stream) > 0;
        Self {
            exit_code,
            signal,
            timed_out: outcome.stopped == Some(StopCause::Timeout),
            limit,
            stdout: kept.text(OutputStream::Stdout),
            stderr: kept.text(OutputStream::Stderr),
            truncated: left_out(OutputStream::Stdout) || left_out(OutputStream::Stderr),
            replaced: outcome.validity == TextValidity::Replaced,
            duration_ms: milliseconds(outcome),
            output: kept.into_pieces().into_iter().map(ShownPiece::from).collect(),
            sandbox: sandbox_name(sandbox),
        }
    }

    /// Whether a limit ended the command early, so that its work is incomplete.
    pub(super) fn was_cut(&self) -> bool {
        self.limit.is_some()
    }

    /// The output as a person would see it, with a line about the end unless it was a success.
    pub(super) fn text(&self) -> String {
        let mut text: String = self.output.iter().map(|piece| piece.text.as_str()).collect();
        let end = match (&self.exit_code, &self.signal) {
            (Some(0), _) if self.limit.is_none() => None,
            (Some(code), _) => Some(format!("exit code {code}")),
            (None, Some(signal)) => Some(format!("ended by {signal}")),
            (None, None) => Some("ended".to_owned()),
        };
        if let Some(end) = end {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let limit = self.limit.map_or_else(String::new, |limit| format!(", limit: {limit}"));
            text.push_str(&format!("[{end}{limit}]\n"));
        }
        text
    }
}

/// How a program ended, in the form of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<String>,
    pub(super) limit: Option<&'static str>,
}

impl End {
    pub(super) fn of(outcome: &CommandOutcome) -> Self {
        let stopped = outcome.stopped.map(StopCause::as_str);
        let (exit_code, signal, limit) = match outcome.end {
            CommandEnd::Code(code) => (Some(code), None, stopped),
            CommandEnd::Signal(number) => (None, Some(signal_name(number)), stopped),
            CommandEnd::Killed => (None, Some(signal_name(SIGKILL)), stopped),
            CommandEnd::Limit(kind) => (None, Some(signal_name(SIGKILL)), Some(limit_name(kind))),
        };
        Self { exit_code, signal, limit }
    }

    /// The last event of a command's stream.
    pub(super) fn event(&self) -> StreamEvent {
        let mut event = StreamEvent::complete();
        if let Some(code) = self.exit_code {
            event = event.with("exit_code", &code);
        }
        if let Some(signal) = &self.signal {
            event = event.with("signal", signal);
        }
        if let Some(limit) = self.limit {
            event = event.with("limit", limit);
        }
        event
    }
}

fn sandbox_name(state: SandboxState) -> &'static str {
    match state {
        SandboxState::NotAsked => "off",
        SandboxState::On(level) => level.name(),
    }
}

fn limit_name(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Memory => "memory",
        LimitKind::Processes => "processes",
        LimitKind::Cpu => "cpu",
    }
}

pub(super) fn milliseconds(outcome: &CommandOutcome) -> u64 {
    u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
