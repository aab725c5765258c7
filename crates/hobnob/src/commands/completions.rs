//! `hobnob completions SHELL`, and the names that the shell completes.
//!
//! The other commands attach the completers to their options. Names come from the configuration and
//! the cached catalogues; nothing is started.

use crate::context::PlaceArgs;
use crate::hub::Names;
use crate::render;
use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCompleter, CompletionCandidate, Shell};
use std::ffi::OsStr;

/// The variable that makes the program complete instead of run.
pub(crate) const VARIABLE: &str = "COMPLETE";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to print the script for.
    shell: Shell,

    /// Print a static script, which knows no names of tools, servers and resources.
    #[arg(long)]
    fixed: bool,
}

/// Prints the script for this command line.
pub(crate) fn run(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    // Into memory first: the generator ends the process with a panic where it cannot write.
    let mut script = Vec::new();
    if args.fixed {
        clap_complete::generate(args.shell, &mut command, "hobnob", &mut script);
        return render::text(&String::from_utf8(script)?);
    }
    let shells = Shells::builtins();
    let shell = args.shell.to_string();
    let completer = shells
        .completer(&shell)
        .with_context(|| format!("{shell} cannot complete names; use --fixed"))?;
    completer.write_registration(VARIABLE, "hobnob", "hobnob", "hobnob", &mut script)?;
    render::text(&String::from_utf8(script)?)
}

/// Completes names of servers.
pub(super) fn servers() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, |names| names.servers().to_vec()))
}

/// Completes names of tools.
pub(super) fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, |names| names.tools().to_vec()))
}

/// Completes names of tools and of servers, which stand for all of their tools.
pub(super) fn tools_and_servers() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offer(typed, |names| [names.tools(), names.servers()].concat())
    })
}

/// Completes names of prompts.
pub(super) fn prompts() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, |names| names.prompts().to_vec()))
}

/// Completes URIs of resources, and the servers before them.
pub(super) fn resources() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offer(typed, |names| [names.resources(), names.servers()].concat())
    })
}

/// Completes tools and resources, both of which can be watched.
pub(super) fn watched() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offer(typed, |names| [names.tools(), names.resources()].concat())
    })
}

/// The names that start with what was typed. An error offers nothing: the tab key must print no
/// messages.
fn offer(typed: &OsStr, pick: impl Fn(&Names) -> Vec<String>) -> Vec<CompletionCandidate> {
    let Ok(places) = PlaceArgs::default().detect() else { return Vec::new() };
    let typed = typed.to_string_lossy();
    let names = pick(&Names::load(&places));
    let fitting = names.into_iter().filter(|name| name.starts_with(&*typed));
    fitting.filter(|name| !name.contains(char::is_control)).map(CompletionCandidate::new).collect()
}
