//! `run` and `execute`: a command while its caller waits, its output streamed as it comes.

use super::arguments::{ExecuteArguments, RunArguments};
use super::drive::{ProgramInput, drive};
use super::kept_output::KeptOutput;
use super::limits::{KEPT_BYTES, STREAMED_BYTES, TASK_FROM};
use super::results::CommandResult;
use super::service::PresentedShell;
use hobnob_mcp_engine::OutputStream;
use hobnob_mcp_server::toolbox::{Context, ToolError, ToolReply};
use hobnob_policy::CommandWish;

pub(super) async fn run(
    arguments: RunArguments,
    context: Context<PresentedShell>,
) -> Result<ToolReply, ToolError> {
    let wish = arguments.into_wish().map_err(|problem| context.state().invalid(problem))?;
    if wish.timeout < TASK_FROM {
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
) -> Result<ToolReply, ToolError> {
    let wish = arguments.into_wish().map_err(|problem| context.state().invalid(problem))?;
    run_wish(&context, wish).await
}

/// Runs a command to its end. Dropping the future ends it, with everything it started.
async fn run_wish(
    context: &Context<PresentedShell>,
    wish: CommandWish,
) -> Result<ToolReply, ToolError> {
    let shell = context.state();
    let _place = shell.place(context)?;
    let active = shell.permit(context, wish)?;
    let parts = &shell.service.0;
    let owner = context.caller().principal.as_str();
    let launched = parts.launcher.launch(&active.permit, parts.options.cpu, owner).await;
    let launched = launched.map_err(|error| shell.failed(&error))?;
    let command = active.permit.request();
    let mut kept = KeptOutput::new(KEPT_BYTES);
    let mut streamed = 0;
    let on_output = |stream: OutputStream, text: &str| {
        kept.push(stream, text);
        if streamed < STREAMED_BYTES {
            streamed += text.len();
            context.output(stream, text);
        }
    };
    let input = ProgramInput::Whole(command.input().to_vec());
    let driven =
        drive(launched.tree, launched.pipes, input, command.timeout(), &active.stop, on_output);
    let outcome = driven.await;
    if let Some(scratch) = launched.scratch {
        scratch.give_back();
    }
    let result = CommandResult::new(&outcome, kept);
    let text = result.text();
    shell.reply(&result, text)
}
