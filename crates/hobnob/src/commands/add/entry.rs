//! From the words on the command line to an entry of a `.mcp.json`.

use super::super::scope::Scope;
use super::{AddArgs, Kind};
use crate::exit::{Code, Ended};
use hobnob_config::parse_duration;
use serde_json::{Map, Value, json};
use std::path::MAIN_SEPARATOR;

/// The entry as it will be written.
pub(super) fn from_words(args: &AddArgs) -> anyhow::Result<Value> {
    let mut entry = Map::new();
    match (&args.url, args.command.split_first()) {
        (Some(url), _) => {
            reject_no_url(args, url)?;
            if let Some(kind) = args.kind {
                let word = match kind {
                    Kind::Http => "http",
                    Kind::Sse => "sse",
                };
                entry.insert("type".into(), word.into());
            }
            entry.insert("url".into(), url.as_str().into());
            insert_pairs(&mut entry, "headers", &args.header, ':')?;
        }
        (None, Some((program, rest))) => {
            entry.insert("command".into(), from_here(args.scope, program).into());
            if !rest.is_empty() {
                entry.insert("args".into(), json!(rest));
            }
            insert_pairs(&mut entry, "env", &args.env, '=')?;
            if let Some(cwd) = &args.cwd {
                let cwd = if is_open(cwd) { cwd.clone() } else { absolute(args.scope, cwd) };
                entry.insert("cwd".into(), cwd.into());
            }
        }
        (None, None) => return Err(usage("give a URL, or a command after `--`")),
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
        "`{url}` is no http or https URL; a command comes after two dashes: hobnob add {} -- {url}",
        args.name
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
            // The word may be a secret whose name was forgotten, so it is not repeated.
            _ => return Err(usage(&format!("{key}: write NAME{sign}VALUE"))),
        };
        // A header's value begins after the blank; a variable's may begin with one.
        let value = if sign == ':' { value.trim() } else { value };
        if pairs.insert(name.into(), value.into()).is_some() {
            return Err(usage(&format!("{key}: `{name}` is given twice")));
        }
    }
    if !pairs.is_empty() {
        entry.insert(key.into(), Value::Object(pairs));
    }
    Ok(())
}

/// Programs of the user's files run in the home folder, but people type paths from where they are.
fn from_here(scope: Scope, program: &str) -> String {
    let is_path = program.contains('/') || program.contains(MAIN_SEPARATOR);
    if is_path && !is_open(program) { absolute(scope, program) } else { program.into() }
}

/// A path in a project's file stays as it is, so that it holds for everybody's copy.
fn absolute(scope: Scope, path: &str) -> String {
    match scope {
        Scope::Project => path.into(),
        Scope::Own | Scope::User => {
            std::path::absolute(path).map_or_else(|_| path.into(), |it| it.display().to_string())
        }
    }
}

/// Whether it is filled in only when the server starts.
fn is_open(path: &str) -> bool {
    path.starts_with('~') || path.contains("${")
}

fn usage(message: &str) -> anyhow::Error {
    Ended::new(Code::Usage, message).into()
}
