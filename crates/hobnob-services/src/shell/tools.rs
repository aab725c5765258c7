//! The table of the shell tools: names, descriptions, annotations, schemas, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::process_tools;
use super::run;
use super::service::PresentedShell;
use crate::tool_effect::{ToolEffect, tool_spec};
use hobnob_mcp_toolbox::{KitBuilder, TaskMode};

/// Adds all tools of the service to the kit.
pub(super) fn with_tools(kit: KitBuilder<PresentedShell>) -> KitBuilder<PresentedShell> {
    with_processes(with_commands(kit))
}

fn with_commands(kit: KitBuilder<PresentedShell>) -> KitBuilder<PresentedShell> {
    let run = tool_spec(
        ToolEffect::Runs,
        "Run a command",
        "Run a command that was granted, and wait for its end. Its output comes as progress while \
         it runs and whole in the result: up to 1 MiB of each stream, the middle left out of \
         more. An exit code other than 0 is a normal result, so look at `exit_code`; only a \
         command that did not run is an error. When it ends, or its time is over, everything it \
         started ends too: use `start` for what goes on",
    );
    let execute = tool_spec(
        ToolEffect::Runs,
        "Execute a command line",
        "Execute a line of `sh` where such lines are granted, or the plain words of a granted \
         command; the output comes as progress while it runs. An exit code other than 0 is a \
         normal result",
    );
    kit.tool("run", run.tasks(TaskMode::Chosen), run::run).tool("execute", execute, run::execute)
}

fn with_processes(kit: KitBuilder<PresentedShell>) -> KitBuilder<PresentedShell> {
    let start = tool_spec(
        ToolEffect::Runs,
        "Start a process",
        "Start a granted command in the background and return its id. It ends when you stop it or \
         disconnect, after a day at most",
    );
    let output = tool_spec(
        ToolEffect::Reads,
        "Read a process's output",
        "Read what a process in the background wrote since a position, and whether it still runs; \
         the newest 1 MiB is kept",
    );
    let input = tool_spec(
        ToolEffect::Runs,
        "Write to a process",
        "Write to the standard input of a process in the background, or end that input",
    );
    let stop = tool_spec(
        ToolEffect::Removes,
        "Stop a process",
        "End a process in the background with everything it started, and return its last output",
    );
    let list =
        tool_spec(ToolEffect::Reads, "List processes", "List your processes in the background");
    kit.tool("start", start, process_tools::start)
        .tool("output", output, process_tools::output)
        .tool("input", input, process_tools::input)
        .tool("stop", stop, process_tools::stop)
        .tool("list", list, process_tools::list)
}
