//! `hobnob logs`: what a server wrote to standard error, and what a token in a granted log stands
//! for. `main` runs it.
//!
//! What must stay true: it starts nothing.

mod reveal;
mod server;

use crate::context::CommandContext;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct LogsArgs {
    #[command(subcommand)]
    command: Option<LogsCommand>,

    #[command(flatten)]
    server: server::ServerLogArgs,
}

#[derive(Debug, Subcommand)]
enum LogsCommand {
    /// Show what a token stands for, by reading the granted logs again.
    Reveal {
        /// The token, such as USER-GHJKLMNPQRST.
        token: String,
    },
}

pub(crate) fn run(args: LogsArgs, context: &CommandContext) -> anyhow::Result<()> {
    match args.command {
        Some(LogsCommand::Reveal { token }) => reveal::run(token, context),
        None => server::run(&args.server, context),
    }
}
