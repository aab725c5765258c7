//! `hobnob completions SHELL`, and what the shell is offered: names from the catalogues that were
//! kept. Nothing is started for that, and nothing is asked.

use crate::cli::{Cli, CompletionsArgs, PlaceArgs};
use crate::hub::Names;
use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::env::Shells;
use clap_complete::{ArgValueCompleter, CompletionCandidate};
use std::ffi::OsStr;
use std::io;

/// The variable that makes the program complete instead of run.
pub(crate) const VARIABLE: &str = "COMPLETE";

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut out = io::stdout();
    if args.fixed {
        clap_complete::generate(args.shell, &mut Cli::command(), "hobnob", &mut out);
        return Ok(());
    }
    let shells = Shells::builtins();
    let shell = args.shell.to_string();
    let completer = shells
        .completer(&shell)
        .with_context(|| format!("{shell} cannot complete names; try --fixed"))?;
    completer.write_registration(VARIABLE, "hobnob", "hobnob", "hobnob", &mut out)?;
    Ok(())
}

/// Completes names of servers.
pub(super) fn servers() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, |names| names.servers().to_vec()))
}

/// Completes names of tools.
pub(super) fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, |names| names.tools().to_vec()))
}

/// Completes names of prompts.
pub(super) fn prompts() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, |names| names.prompts().to_vec()))
}

/// Completes addresses of resources, and servers before them.
pub(super) fn resources() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offer(typed, |names| [names.resources(), names.servers()].concat())
    })
}

/// Completes what can be watched.
pub(super) fn watched() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offer(typed, |names| [names.tools(), names.resources()].concat())
    })
}

/// Everything that begins like what was typed. What goes wrong offers nothing: whoever presses
/// the tab key wants no messages.
fn offer(typed: &OsStr, pick: impl Fn(&Names) -> Vec<String>) -> Vec<CompletionCandidate> {
    let Ok(places) = PlaceArgs::default().detect() else { return Vec::new() };
    let typed = typed.to_string_lossy();
    let names = pick(&Names::load(&places));
    let fitting = names.into_iter().filter(|name| name.starts_with(&*typed));
    fitting.filter(|name| !name.contains(char::is_control)).map(CompletionCandidate::new).collect()
}
