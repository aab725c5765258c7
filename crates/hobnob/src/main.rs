//! The `hobnob` binary: arguments to a plan, a plan to an exit code.

mod cli;
mod commands;
mod compose;
mod exit;
mod logs;
mod services;
mod signals;

use clap::Parser as _;
use cli::{Cli, Command};
use std::process::ExitCode;

/// Messages are allocated on one thread and freed on another all the time, which this allocator
/// does with a fraction of the instructions.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let logs = logs::start(cli.verbose);
    let done = match cli.command {
        Command::Serve(args) => commands::serve::run(args),
        Command::Completions(args) => commands::completions::run(&args),
    };
    let code = exit::code(done);
    drop(logs);
    code
}
