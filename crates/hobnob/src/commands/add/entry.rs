//! Builds an entry of a `.mcp.json` from the options of `hobnob add`. `add` writes the entry.
//!
//! What must stay true: the entry means the same from every folder: paths that the user typed are
//! made absolute, except in a file of the project.

use super::super::scope::ConfigScope;
use super::args::{AddArgs, UrlTransport};
use hobnob_config::TypedEntry;
use hobnob_terminal::ended::Ended;
use serde_json::Value;
use std::path::MAIN_SEPARATOR;

/// The entry as it will be written.
pub(super) fn from_args(args: &AddArgs) -> anyhow::Result<Value> {
    if let Some(url) = &args.url {
        reject_no_url(args, url)?;
    }
    let scope = args.target.scope;
    let transport = args.kind.map(|kind| match kind {
        UrlTransport::Http => "http".to_owned(),
        UrlTransport::Sse => "sse".to_owned(),
    });
    let mut command = args.command.clone();
    if let Some(program) = command.first_mut() {
        *program = from_here(scope, program);
    }
    let cwd = args.cwd.as_ref().map(|cwd| match is_open(cwd) {
        true => cwd.clone(),
        false => absolute(scope, cwd),
    });
    let typed = TypedEntry {
        url: args.url.clone(),
        transport,
        command,
        env: args.env.clone(),
        headers: args.header.clone(),
        cwd,
        timeout: args.timeout.clone(),
        allow_tools: args.allow_tools.clone(),
        deny_tools: args.deny_tools.clone(),
    };
    typed.to_entry().map_err(|why| usage(&why))
}

fn reject_no_url(args: &AddArgs, url: &str) -> anyhow::Result<()> {
    // A URL may come from a variable.
    let fits = ["http://", "https://", "${"].iter().any(|start| url.starts_with(start));
    if fits {
        return Ok(());
    }
    Err(usage(&format!(
        "`{url}` is not an http or https URL; write a command after two dashes: hobnob add {} -- {url}",
        args.target.name
    )))
}

/// Makes the path of a program absolute: servers of the user's files start in the home folder, but
/// users type paths relative to their current folder.
fn from_here(scope: ConfigScope, program: &str) -> String {
    let is_path = program.contains('/') || program.contains(MAIN_SEPARATOR);
    if is_path && !is_open(program) { absolute(scope, program) } else { program.into() }
}

/// A path in a project's file stays relative, so that it holds for every copy of the project.
fn absolute(scope: ConfigScope, path: &str) -> String {
    match scope {
        ConfigScope::Project => path.into(),
        ConfigScope::Own | ConfigScope::User => {
            std::path::absolute(path).map_or_else(|_| path.into(), |it| it.display().to_string())
        }
    }
}

/// Whether the path has a `~` or a variable, which Hobnob expands when the server starts.
fn is_open(path: &str) -> bool {
    path.starts_with('~') || path.contains("${")
}

fn usage(message: &str) -> anyhow::Error {
    Ended::usage(message).into()
}
