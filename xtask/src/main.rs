//! The workspace's tasks as commands: `cargo xtask <command>`.
//!
//! Each command is a module with an `Args` and a `run`; this file only dispatches. Nothing here is
//! part of the product, and no product crate is a dependency.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks on the terminal"
)]

pub mod bench;
pub mod schema;

mod api;
mod beside;
mod ci;
mod conformance;
mod coverage;
mod deny;
mod dist;
mod eval;
mod journal;
mod mcp_pipe;
mod page;
mod peers;
mod process;
mod test;
mod tidy;
mod timetable;
mod trial;
mod vm;
mod walls;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

/// Checks, tests and measurements of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Command {
    /// Everything that gates a change: format, lints, tidy, schema, docs, then `test` and `loom`.
    Ci(ci::Args),
    /// All tests: the workspace's own, those with other projects' clients, conformance.
    Test(test::Args),
    /// Install other projects' programs and print the folder to set as `HOBNOB_PEERS`.
    Peers(peers::Args),
    /// The hub's page: its types, its tests, and whether its built files are those of its sources.
    Page(page::Args),
    /// Which lines of the product the tests execute.
    Coverage(coverage::Args),
    /// Every interleaving of the structures that threads share.
    Loom(beside::Args),
    /// The official conformance suites, against our fixtures.
    Conformance(conformance::Args),
    /// The rules of this repository that no compiler checks.
    Tidy(tidy::Args),
    /// The public items of the crates that authors use, compared with the recorded ones.
    Api(api::Args),
    /// Our types against the official schemas.
    Schema(schema::Args),
    /// Speed, compared with other servers.
    Bench(bench::Args),
    /// How well memories are found, on data whose answers are known.
    Eval(eval::Args),
    /// The packages that users download, and the proof that they run on a bare machine.
    Dist(dist::Args),
    /// Many published servers behind one hub: first start, restarts, faults.
    Trial(trial::Args),
    /// Disable the walls of sandbox and listener one by one: each must be missed by an attack.
    Walls(walls::Args),
    /// Tests that need a cgroup of their own, in a virtual machine that has one.
    Vm(vm::Args),
}

fn main() -> ExitCode {
    if let Some(outcome) = coverage::as_compiler().or_else(api::as_rustdoc) {
        return outcome;
    }
    let outcome = match Command::parse() {
        Command::Ci(args) => ci::run(args),
        Command::Test(args) => test::run(args),
        Command::Peers(args) => peers::run(args),
        Command::Page(args) => page::run(args),
        Command::Coverage(args) => coverage::run(args),
        Command::Loom(args) => beside::run(args),
        Command::Conformance(args) => conformance::run(args),
        Command::Tidy(args) => tidy::run(args),
        Command::Api(args) => api::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Dist(args) => dist::run(args),
        Command::Trial(args) => trial::run(args),
        Command::Walls(args) => walls::run(args),
        Command::Vm(args) => vm::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}
