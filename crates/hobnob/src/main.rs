//! The `hobnob` binary: arguments to a plan, a plan to an exit code.

mod cli;
mod commands;
mod compose;
mod exit;
mod logs;
mod services;

use clap::Parser as _;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    logs::start(cli.verbose);
    let done = match cli.command {
        Command::Serve(args) => commands::serve::run(args),
        Command::Completions(args) => commands::completions::run(&args),
    };
    exit::code(done)
}
