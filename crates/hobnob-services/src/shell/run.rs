//! `run` and `execute`: run a command while the caller waits, and stream its output.

use super::arguments::{ExecuteArguments, RunArguments};
use super::kept_output::KeptOutput;
use super::limits::{MAX_KEPT_BYTES, MAX_STREAMED_BYTES, TASK_THRESHOLD};
use super::results::{CommandResult, End};
use super::service::PresentedShell;
use crate::commands::{OutputReceiver, ProgramInput, drive, whole_input};
use hobnob_mcp_engine::{OutputStream, StreamEvent};
use hobnob_mcp_toolbox::{CallContext, Context, TextWithData, ToolError};
use hobnob_policy::CommandWish;

pub(super) async fn run(
    arguments: RunArguments,
    context: Context<PresentedShell>,
) -> Result<TextWithData<CommandResult>, ToolError> {
    let wish = arguments
        .into_wish(context.state().service.0.options.timeout)
        .map_err(|problem| context.state().invalid(problem))?;
    if wish.timeout < TASK_THRESHOLD {
        return run_wish(&context, wish).await;
    }
    let work = move |context: Context<PresentedShell>| {
        let wish = wish.clone();
        async move { run_wish(&context, wish).await }
    };
    context.start_task(work).await
}

pub(super) async fn execute(
    arguments: ExecuteArguments,
    context: Context<PresentedShell>,
) -> Result<TextWithData<CommandResult>, ToolError> {
    let wish = arguments
        .into_wish(context.state().service.0.options.timeout)
        .map_err(|problem| context.state().invalid(problem))?;
    run_wish(&context, wish).await
}

/// Runs a command to its end. Dropping the future kills it and every process it started.
async fn run_wish(
    context: &Context<PresentedShell>,
    wish: CommandWish,
) -> Result<TextWithData<CommandResult>, ToolError> {
    let shell = context.state();
    let _place = shell.place(context)?;
    let active = shell.permit(context, wish)?;
    let parts = &shell.service.0;
    let owner = context.caller().principal.as_str();
    let command = active.permit.request();
    let (cpu, input) = (parts.options.cpu, whole_input(command));
    let launched = parts.launcher.launch(&active.permit, cpu, owner, input).await;
    let launched = launched.map_err(|error| shell.failed(&error))?;
    context.emit(StreamEvent::start()).await;
    let mut output = StreamedOutput::new(context);
    let (tree, pipes, limit) = (launched.tree, launched.pipes, command.timeout());
    let sandbox = tree.sandbox();
    let input = ProgramInput::Whole(command.input().to_vec());
    let outcome = drive(tree, pipes, input, limit, &active.stop, &mut output).await;
    if let Some(scratch) = launched.scratch {
        scratch.give_back();
    }
    let result = CommandResult::new(&outcome, output.kept, sandbox);
    context.emit(End::of(&outcome).event()).await;
    Ok(TextWithData { text: result.text(), is_error: result.was_cut(), data: result })
}

/// Streams output as it arrives, and keeps it for the result.
struct StreamedOutput<'a> {
    context: &'a CallContext,
    kept: KeptOutput,
    /// How many bytes were streamed.
    streamed: usize,
}

impl<'a> StreamedOutput<'a> {
    fn new(context: &'a CallContext) -> Self {
        Self { context, kept: KeptOutput::new(MAX_KEPT_BYTES), streamed: 0 }
    }
}

impl OutputReceiver for StreamedOutput<'_> {
    async fn room(&self) {
        self.context.room().await;
    }

    fn receive(&mut self, stream: OutputStream, text: &str) {
        self.kept.push(stream, text);
        if self.streamed < MAX_STREAMED_BYTES || self.context.needs_every_event() {
            self.streamed += text.len();
            self.context.output(stream, text);
        }
    }
}
