//! `hobnob completions SHELL`.

use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory as _;
use std::io;

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    clap_complete::generate(args.shell, &mut Cli::command(), "hobnob", &mut io::stdout());
    Ok(())
}
