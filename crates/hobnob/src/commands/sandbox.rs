//! `hobnob sandbox …`: the sandboxes of servers. `main` runs it.
//!
//! What must stay true: only a command that a person typed writes a sandbox, and it shows it first.

mod learn;
mod learn_call;
mod propose;

use crate::context::CommandContext;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct SandboxArgs {
    #[command(subcommand)]
    command: SandboxCommand,
}

#[derive(Debug, Subcommand)]
enum SandboxCommand {
    /// Start a server once, watch what it uses, and propose the narrowest sandbox for it.
    Learn(learn::LearnArgs),
}

pub(crate) fn run(args: SandboxArgs, context: &CommandContext) -> anyhow::Result<()> {
    match args.command {
        SandboxCommand::Learn(args) => learn::run(&args, context),
    }
}
