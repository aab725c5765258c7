//! `hobnob completions SHELL`, and the names and arguments that the shell completes.
//!
//! The other commands attach the completers to their options. Names come from the configuration and
//! the cached catalogues; nothing is started.

mod argument_keys;
mod typed_line;

use anyhow::Context as _;
use argument_keys::{HasArguments, is_typable};
use clap::{Args, Command};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCompleter, CompletionCandidate, Shell};
use hobnob_hub::names::Names;
use hobnob_terminal::render;
use std::ffi::OsStr;
use typed_line::TypedLine;

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
    // Generate into memory, because the generator panics if it cannot write.
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
    let script = String::from_utf8(script)?;
    render::text(&match args.shell {
        Shell::Zsh => zsh_script(&script),
        _ => script,
    })
}

/// Fixes two faults of clap's script for zsh: it adds a blank after a key and its `=`, and the
/// first completion offers nothing if zsh loads the file from `fpath`.
fn zsh_script(script: &str) -> String {
    let keys = script
        .replace("local -a other=()", "local -a other=() keys=()")
        .replace(
            "            else\n                other+=",
            "            elif [[ \"$value\" == *= ]]; then\n                \
             keys+=(\"$completion\")\n            else\n                other+=",
        )
        .replace(
            "        [[ -n $other ]]",
            "        [[ -n $keys ]] && _describe -V 'keys' keys -S ''\n        [[ -n $other ]]",
        );
    let call = "_clap_dynamic_completer_hobnob \"$@\"";
    format!("{keys}if [[ \"${{funcstack[1]}}\" == _hobnob ]]; then\n    {call}\nfi\n")
}

/// Completes names of servers.
pub(super) fn servers() -> ArgValueCompleter {
    offer(|names, _| names.servers().to_vec())
}

/// Completes tools as SERVER/TOOL, or as clients see them once their prefix is typed.
pub(super) fn tools() -> ArgValueCompleter {
    offer(tool_names)
}

/// Completes names of tools and of servers, which stand for all of their tools.
pub(super) fn tools_and_servers() -> ArgValueCompleter {
    offer(|names, typed| [tool_names(names, typed), names.servers().to_vec()].concat())
}

/// Completes methods as SERVER.TOOL.
pub(super) fn methods() -> ArgValueCompleter {
    offer(|names, _| names.tools_of_servers(".").collect())
}

/// Completes names of prompts.
pub(super) fn prompts() -> ArgValueCompleter {
    offer(|names, _| names.prompts().to_vec())
}

/// Completes URIs of resources, and the servers before them.
pub(super) fn resources() -> ArgValueCompleter {
    offer(|names, _| [names.resources(), names.servers()].concat())
}

/// Completes tools and resources, which can both be watched, and the servers before a URI.
pub(super) fn watched() -> ArgValueCompleter {
    offer(|names, typed| [&tool_names(names, typed), names.resources(), names.servers()].concat())
}

/// Completes keys and values of the arguments of the tool before them.
pub(super) fn tool_arguments() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| arguments(typed, HasArguments::Tool))
}

/// Completes keys of the arguments of the prompt before them.
pub(super) fn prompt_arguments() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| arguments(typed, HasArguments::Prompt))
}

fn tool_names(names: &Names, typed: &str) -> Vec<String> {
    let mut found: Vec<String> = names.tools_of_servers("/").collect();
    // Two spellings of every tool would make the list twice as long.
    if typed.starts_with("mcp_") {
        found.extend_from_slice(names.tools());
    }
    found
}

fn arguments(typed: &OsStr, what: HasArguments) -> Vec<CompletionCandidate> {
    let line = TypedLine::of_process();
    let Ok(places) = line.places.detect() else { return Vec::new() };
    argument_keys::candidates(&places, &line, &typed.to_string_lossy(), what)
}

/// The names that start with what was typed. An error offers nothing: the tab key must print no
/// messages.
fn offer(pick: fn(&Names, &str) -> Vec<String>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |typed: &OsStr| {
        let Ok(places) = TypedLine::of_process().places.detect() else { return Vec::new() };
        let typed = typed.to_string_lossy();
        let names = pick(&Names::load(&places), &typed);
        let fitting = names.into_iter().filter(|name| name.starts_with(&*typed));
        fitting.filter(|name| is_typable(name)).map(CompletionCandidate::new).collect()
    })
}
