//! Reads the options of `claude mcp add`, `codex mcp add`, `gemini mcp add` and `hobnob add`, which
//! differ in spelling only.
//!
//! What must stay true: an unknown option is a problem, since it may say what must not happen.

use super::json;
use super::pasted::{PasteProblem, PastedServer};
use super::words::{is_assignment, is_url};
use crate::typed_entry::TypedEntry;

/// Options without a value that say nothing about the entry.
const IGNORED_FLAGS: [&str; 4] = ["--force", "--trust", "--yes", "--json"];

/// Options whose value says nothing about the entry.
const IGNORED: [&str; 6] =
    ["--scope", "-s", "--description", "--callback-port", "--client-id", "--project"];

/// Reads the words after `add`.
pub(super) fn read(env: Vec<String>, words: &[&str]) -> Result<PastedServer, PasteProblem> {
    let mut typed = TypedEntry { env, ..TypedEntry::default() };
    let (mut name, mut notes) = (None, Vec::new());
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        if word == "--" {
            typed.command.extend(rest.by_ref().map(str::to_owned));
        } else if word.starts_with('-') {
            option(&mut typed, word, &mut rest, &mut notes)?;
        } else if !typed.env.is_empty() && name.is_some() && is_assignment(word) {
            // Some of these programs take several variables after one option.
            typed.env.push(word.to_owned());
        } else if name.is_none() {
            name = Some(word.to_owned());
        } else if is_url(word) {
            typed.url = Some(word.to_owned());
        } else {
            // What follows a program is for the program.
            typed.command.push(word.to_owned());
            typed.command.extend(rest.by_ref().filter(|it| *it != "--").map(str::to_owned));
        }
    }
    let name = name.ok_or_else(|| PasteProblem::new("the line has no name for the server"))?;
    let is_command = typed.url.is_none() && !typed.command.is_empty();
    if is_command && !typed.headers.is_empty() {
        return Err(PasteProblem::new("headers are for URLs; a program gets variables: --env"));
    }
    let entry = typed.to_entry().map_err(PasteProblem::new)?;
    Ok(PastedServer { name, entry, notes })
}

/// Reads the words after `add-json`.
pub(super) fn read_json(words: &[&str]) -> Result<PastedServer, PasteProblem> {
    let mut plain = Vec::new();
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            option if IGNORED.contains(&option) => drop(rest.next()),
            option if option.starts_with('-') => {}
            word => plain.push(word),
        }
    }
    let [name, text] = plain.as_slice() else {
        return Err(PasteProblem::new("write a name and then the JSON of one server"));
    };
    match json::read(text)?.as_slice() {
        [only] => Ok(PastedServer { name: (*name).to_owned(), ..only.clone() }),
        _ => Err(PasteProblem::new("this has several servers, or none; paste one of them")),
    }
}

fn option<'a>(
    typed: &mut TypedEntry,
    word: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    notes: &mut Vec<String>,
) -> Result<(), PasteProblem> {
    let (option, inline) = match word.split_once('=') {
        Some((option, value)) if word.starts_with("--") => (option, Some(value)),
        _ => (word, None),
    };
    if option == "--allow" {
        notes.push("`--allow` is ignored: you are asked before its tools run".into());
        return Ok(());
    }
    if IGNORED_FLAGS.contains(&option) {
        return Ok(());
    }
    let value = inline.or_else(|| rest.next()).map(str::to_owned);
    let value = value.ok_or_else(|| PasteProblem::new(format!("`{option}` has no value")))?;
    match option {
        "--env" | "-e" => typed.env.push(value),
        "--header" | "-H" => typed.headers.push(value),
        "--url" => typed.url = Some(value),
        "--cwd" => typed.cwd = Some(value),
        "--timeout" => typed.timeout = Some(value),
        "--allow-tools" | "--include-tools" => typed.allow_tools.push(value),
        "--deny-tools" | "--exclude-tools" => typed.deny_tools.push(value),
        "--transport" | "--type" | "-t" if value == "stdio" => {}
        "--transport" | "--type" | "-t" => typed.transport = Some(value),
        "--bearer-token-env-var" => {
            typed.headers.push(format!("Authorization: Bearer ${{{value}}}"));
        }
        ignored if IGNORED.contains(&ignored) => {}
        _ => {
            let known = "remove it, or paste the command of the server alone";
            return Err(PasteProblem::new(format!(
                "the option `{option}` is unknown here; {known}"
            )));
        }
    }
    Ok(())
}
