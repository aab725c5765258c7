//! Reads a command line, a URL, or the line with which a client adds a server.
//!
//! What must stay true: variables before the command reach the server, and a text of several
//! commands is refused.

use super::pasted::{PasteProblem, PastedServer};
use super::words::{is_assignment, is_url, split};
use super::{added, json, names};
use crate::typed_entry::TypedEntry;
use std::path::Path;

pub(super) fn read(text: &str) -> Result<PastedServer, PasteProblem> {
    if is_url(text) && !text.contains(char::is_whitespace) {
        return of_words(Vec::new(), vec![text.to_owned()]);
    }
    let mut env = Vec::new();
    let mut command: Option<Vec<String>> = None;
    for mut line in split(text)? {
        // A prompt, and a word that only a shell needs.
        if ["$", "%", "export"].contains(&&*line[0]) {
            line.remove(0);
        }
        let assignments = line.iter().take_while(|word| is_assignment(word)).count();
        env.extend(line.drain(..assignments));
        if line.is_empty() {
            continue;
        }
        if command.replace(line).is_some() {
            let text = "these are several commands; paste only the one that starts the server";
            return Err(PasteProblem::new(text));
        }
    }
    match command {
        Some(words) => of_words(env, words),
        None => Err(PasteProblem::new("there is no command in it; paste the whole line")),
    }
}

fn of_words(env: Vec<String>, words: Vec<String>) -> Result<PastedServer, PasteProblem> {
    let program = Path::new(&words[0]).file_name().and_then(|name| name.to_str());
    let program = program.unwrap_or_default().to_owned();
    let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    match (&*program, rest.as_slice()) {
        ("claude" | "codex" | "gemini" | "cursor" | "amp", ["mcp", "add", options @ ..])
        | ("hobnob", ["add", options @ ..]) => return added::read(env, options),
        ("claude" | "codex" | "gemini", ["mcp", "add-json", options @ ..])
        | ("hobnob", ["add-json", options @ ..]) => return added::read_json(options),
        ("code" | "code-insiders" | "cursor", ["--add-mcp", text, ..]) => {
            let found = json::read(text)?.into_iter().next();
            return found.ok_or_else(|| PasteProblem::new("there is no server in it"));
        }
        _ => {}
    }
    let typed = match is_url(&words[0]) {
        true if rest.is_empty() && env.is_empty() => {
            TypedEntry { url: words.into_iter().next(), ..TypedEntry::default() }
        }
        true => {
            let text =
                "a URL stands alone; to send headers with it, paste JSON with `url` and `headers`";
            return Err(PasteProblem::new(text));
        }
        false => TypedEntry { command: words, env, ..TypedEntry::default() },
    };
    let entry = typed.to_entry().map_err(PasteProblem::new)?;
    Ok(PastedServer { name: names::suggest(&entry), entry, notes: Vec::new() })
}
