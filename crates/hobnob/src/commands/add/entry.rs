//! Builds an entry of a `.mcp.json` from the options of `hobnob add`. `add` writes the entry.
//!
//! What must stay true: the entry means the same from every folder: paths that the user typed are
//! made absolute, except in a file of the project.

use super::super::scope::ConfigScope;
use super::args::{AddArgs, UrlTransport};
use hobnob_config::parse_duration;
use hobnob_terminal::ended::Ended;
use serde_json::{Map, Value, json};
use std::path::MAIN_SEPARATOR;

/// The entry as it will be written.
pub(super) fn from_args(args: &AddArgs) -> anyhow::Result<Value> {
    let mut entry = Map::new();
    match (&args.url, args.command.split_first()) {
        (Some(url), _) => {
            reject_no_url(args, url)?;
            if let Some(kind) = args.kind {
                let name = match kind {
                    UrlTransport::Http => "http",
                    UrlTransport::Sse => "sse",
                };
                entry.insert("type".into(), name.into());
            }
            entry.insert("url".into(), url.as_str().into());
            insert_pairs(&mut entry, "headers", &args.header, ':')?;
        }
        (None, Some((program, rest))) => {
            entry.insert("command".into(), from_here(args.target.scope, program).into());
            if !rest.is_empty() {
                entry.insert("args".into(), json!(rest));
            }
            insert_pairs(&mut entry, "env", &args.env, '=')?;
            if let Some(cwd) = &args.cwd {
                let cwd = if is_open(cwd) { cwd.clone() } else { absolute(args.target.scope, cwd) };
                entry.insert("cwd".into(), cwd.into());
            }
        }
        (None, None) => return Err(usage("name a URL, or a command after `--`")),
    }
    if let Some(timeout) = &args.timeout {
        parse_duration(timeout).map_err(|bad| usage(&format!("--timeout: {bad}")))?;
        entry.insert("timeout".into(), timeout.as_str().into());
    }
    for (key, globs) in [("allowedTools", &args.allow_tools), ("deniedTools", &args.deny_tools)] {
        if !globs.is_empty() {
            entry.insert(key.into(), json!(globs));
        }
    }
    Ok(Value::Object(entry))
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

fn insert_pairs(
    entry: &mut Map<String, Value>,
    key: &str,
    words: &[String],
    sign: char,
) -> anyhow::Result<()> {
    let mut pairs = Map::new();
    for word in words {
        let (name, value) = match word.split_once(sign) {
            Some((name, value)) if !name.trim().is_empty() => (name.trim(), value),
            // It may be a secret without its name, so the message does not repeat it.
            _ => return Err(usage(&format!("{key}: write NAME{sign}VALUE"))),
        };
        // A header's value begins after the blank; a variable's may begin with one.
        let value = if sign == ':' { value.trim() } else { value };
        if pairs.insert(name.into(), value.into()).is_some() {
            return Err(usage(&format!("{key}: `{name}` appears twice")));
        }
    }
    if !pairs.is_empty() {
        entry.insert(key.into(), Value::Object(pairs));
    }
    Ok(())
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
