//! `start`, `output`, `input`, `stop` and `list`: the tools for background processes.

use super::arguments::{StartArguments, shown};
use super::background::{BackgroundProcess, InputRefused, ProcessView};
use super::limits::{BACKGROUND_CPU, MAX_INPUT_BYTES, MAX_WAIT};
use super::results::{End, ShownPiece};
use super::service::PresentedShell;
use crate::commands::{CommandOutcome, DRAIN, GRACE, InputPiece, StopCause, TextValidity};
use crate::presentation::Failure;
use hobnob_mcp_engine::timestamp;
use hobnob_mcp_process::runner::CommandInput;
use hobnob_mcp_toolbox::{Context, Structured, TextWithData, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long `start` waits, so that a program that fails at once is reported in the first answer.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The context of this service's handlers.
type ShellContext = Context<PresentedShell>;

/// What `output` takes, as callers write it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct OutputArguments {
    /// The id that `start` returned.
    process: String,
    /// The position to read from: `next` of the answer before. Without it, from the beginning of what
    /// is kept.
    #[serde(default)]
    since: Option<u64>,
    /// Milliseconds to wait for new output or the end, 30000 at most; without it, not at all.
    #[serde(default)]
    #[schemars(range(max = 30_000))]
    wait_ms: Option<u64>,
}

/// What `input` takes, as callers write it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct InputArguments {
    /// The id that `start` returned.
    process: String,
    /// What the program reads next; a line needs its own line break.
    #[serde(default)]
    text: String,
    /// Whether its input ends after it.
    #[serde(default)]
    end: bool,
}

/// What `stop` takes, as callers write it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct StopArguments {
    /// The id that `start` returned.
    process: String,
}

/// A process, and what is new of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProcessResult {
    /// The id by which the other tools name it.
    process: String,
    /// Whether it goes on: `running` or `ended`.
    status: &'static str,
    /// The exit code, once it has ended and no signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGTERM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// What ended it before its own end: `memory`, `processes`, `cpu`, `timeout`, `stopped`,
    /// `revoked`, `not_asked_for`.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    /// The output since the position that was asked for, in the order in which it came.
    output: Vec<ShownPiece>,
    /// The position to read on from.
    next: u64,
    /// Bytes of output before that which are not kept any more; 0 if you missed nothing.
    missed: u64,
    /// Whether bytes that are no UTF-8 were replaced by U+FFFD; known once it has ended.
    replaced: bool,
}

/// One process of the caller.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListedProcess {
    /// The id by which the other tools name it.
    process: String,
    /// The command as you wrote it, in short.
    command: String,
    /// When it was started, RFC 3339, UTC.
    started: String,
    /// Whether it goes on: `running` or `ended`.
    status: &'static str,
    /// The exit code, once it has ended and no signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGTERM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

/// The processes of the caller, those that ended a while ago among them.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProcessList {
    /// Oldest first; those that have ended are listed for ten minutes.
    processes: Vec<ListedProcess>,
}

pub(super) async fn start(
    arguments: StartArguments,
    context: ShellContext,
) -> Result<TextWithData<ProcessResult>, ToolError> {
    let shell = context.state();
    let wish = arguments.into_wish().map_err(|problem| shell.invalid(problem))?;
    let (parts, caller) = (&shell.service.0, context.caller());
    let place = parts.background.place(caller).map_err(|error| shell.invalid(error.to_string()))?;
    let command = shown(&wish.command);
    let active = shell.permit(&context, wish)?;
    let owner = caller.principal.as_str();
    let input = CommandInput::Pipe;
    let launched = parts.launcher.launch(&active.permit, BACKGROUND_CPU, owner, input).await;
    let launched = launched.map_err(|error| shell.failed(&error))?;
    let added = parts.background.add(caller, command, active, launched, place);
    let process = added.map_err(|error| shell.invalid(error.to_string()))?;
    // A program that fails at once is reported in this answer.
    process.ended(FIRST_WAIT).await;
    Ok(answer(&process, process.view_now(0)))
}

pub(super) async fn output(
    arguments: OutputArguments,
    context: ShellContext,
) -> Result<TextWithData<ProcessResult>, ToolError> {
    let process = find(&context, &arguments.process)?;
    let wait = Duration::from_millis(arguments.wait_ms.unwrap_or(0)).min(MAX_WAIT);
    let view = process.view(arguments.since.unwrap_or(0), wait).await;
    Ok(answer(&process, view))
}

pub(super) async fn input(
    arguments: InputArguments,
    context: ShellContext,
) -> Result<Structured<ListedProcess>, ToolError> {
    let shell = context.state();
    let InputArguments { process, text, end } = arguments;
    if MAX_INPUT_BYTES < text.len() {
        return Err(shell.invalid(format!("`text` has more than {MAX_INPUT_BYTES} bytes")));
    }
    let process = find(&context, &process)?;
    let pieces = [(!text.is_empty()).then(|| InputPiece::Bytes(text.into_bytes()))];
    let pieces = pieces.into_iter().flatten().chain(end.then_some(InputPiece::End));
    for piece in pieces {
        process.write(piece).map_err(|refused| {
            shell.invalid(match refused {
                InputRefused::Full => "the process has not read its earlier input: try again later",
                InputRefused::Closed => {
                    "the process reads no more input: it has ended, or its input has"
                }
            })
        })?;
    }
    Ok(Structured(listed(&process)))
}

pub(super) async fn stop(
    arguments: StopArguments,
    context: ShellContext,
) -> Result<TextWithData<ProcessResult>, ToolError> {
    let shell = context.state();
    let process = find(&context, &arguments.process)?;
    process.stop(StopCause::Asked);
    if process.ended(GRACE + DRAIN).await.is_none() {
        return Err(shell.invalid("the process does not end; the kernel cannot kill it"));
    }
    shell.service.0.background.forget(&process.id);
    Ok(answer(&process, process.view_now(0)))
}

pub(super) async fn list(context: ShellContext) -> Structured<ProcessList> {
    let own = context.state().service.0.background.list(context.caller());
    Structured(ProcessList { processes: own.iter().map(|it| listed(it)).collect() })
}

fn find(context: &ShellContext, id: &str) -> Result<Arc<BackgroundProcess>, ToolError> {
    let shell = context.state();
    let found = shell.service.0.background.find(context.caller(), id);
    found.ok_or_else(|| {
        let message = "you have no process with this id: `list` shows those that you have";
        shell.presentation.fail(Failure::NotFound, message)
    })
}

fn answer(process: &BackgroundProcess, view: ProcessView) -> TextWithData<ProcessResult> {
    let (status, end) = status(view.outcome.as_ref());
    let replaced = view.outcome.is_some_and(|it| it.validity == TextValidity::Replaced);
    let result = ProcessResult {
        process: process.id.to_string(),
        status,
        exit_code: end.exit_code,
        signal: end.signal,
        limit: end.limit,
        output: view.part.pieces.into_iter().map(ShownPiece::from).collect(),
        next: view.part.next,
        missed: view.part.missed,
        replaced,
    };
    TextWithData { text: result.text(), data: result, is_error: false }
}

impl ProcessResult {
    /// The output, and a line with the state of the process.
    fn text(&self) -> String {
        let mut text: String = self.output.iter().map(ShownPiece::text).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let Self { process, status, next, .. } = self;
        text.push_str(&format!("[process {process}: {status}"));
        if let Some(code) = self.exit_code {
            text.push_str(&format!(", exit code {code}"));
        }
        if let Some(signal) = &self.signal {
            text.push_str(&format!(", {signal}"));
        }
        if let Some(limit) = self.limit {
            text.push_str(&format!(", limit: {limit}"));
        }
        if self.missed > 0 {
            text.push_str(&format!(", {} bytes missed", self.missed));
        }
        text.push_str(&format!(", next: {next}]\n"));
        text
    }
}

fn status(outcome: Option<&CommandOutcome>) -> (&'static str, End) {
    match outcome {
        None => ("running", End { exit_code: None, signal: None, limit: None }),
        Some(outcome) => ("ended", End::of(outcome)),
    }
}

fn listed(process: &BackgroundProcess) -> ListedProcess {
    let (status, end) = status(process.outcome().as_ref());
    ListedProcess {
        process: process.id.to_string(),
        command: process.command.clone(),
        started: timestamp(process.started),
        status,
        exit_code: end.exit_code,
        signal: end.signal,
    }
}
