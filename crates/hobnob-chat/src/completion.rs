//! Tab completion in the editor: `/` to commands and prompts, `@` to files and resources.
//!
//! It also decides where Enter begins another line: after a backslash, and within a code fence.

use super::command_table::{COMMANDS, SERVER_VERBS};
use parking_lot::Mutex;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Most candidates of one completion.
const MAX_CANDIDATES: usize = 100;

/// The completion's words from servers, which change while the chat runs. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct ChatWords(Arc<Mutex<ServerWords>>);

#[derive(Debug, Default)]
struct ServerWords {
    prompts: Vec<String>,
    resources: Vec<String>,
    servers: Vec<String>,
    project: PathBuf,
}

impl ChatWords {
    pub(super) fn new(project: &Path) -> Self {
        let words = ServerWords { project: project.into(), ..ServerWords::default() };
        Self(Arc::new(Mutex::new(words)))
    }

    /// Replaces the words with what servers offer now.
    pub(super) fn set(&self, prompts: Vec<String>, resources: Vec<String>, servers: Vec<String>) {
        let mut words = self.0.lock();
        (words.prompts, words.resources, words.servers) = (prompts, resources, servers);
    }

    /// Completes the last word of a line: where it begins, and the candidates.
    pub(super) fn complete(&self, line: &str) -> (usize, Vec<String>) {
        let words = self.0.lock();
        if let Some(prefix) = line.strip_prefix('/').filter(|it| !it.contains(char::is_whitespace))
        {
            let commands = COMMANDS.iter().map(|command| command.name.to_owned());
            let all = commands.chain(words.prompts.iter().cloned());
            return (1, with_prefix(all, prefix));
        }
        if let Some(rest) = line.strip_prefix("/mcp ") {
            return match rest.split_once(' ') {
                None => (5, with_prefix(SERVER_VERBS.iter().map(|it| (*it).to_owned()), rest)),
                Some((verb, prefix)) if SERVER_VERBS.contains(&verb) => {
                    let servers = words.servers.iter().cloned();
                    (line.len() - prefix.len(), with_prefix(servers, prefix))
                }
                Some(_) => (line.len(), Vec::new()),
            };
        }
        let start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let Some(prefix) = line[start..].strip_prefix('@') else { return (line.len(), Vec::new()) };
        let mut found = files(&words.project, prefix);
        found.extend(with_prefix(words.resources.iter().cloned(), prefix));
        found.truncate(MAX_CANDIDATES);
        (start + 1, found)
    }
}

fn with_prefix(words: impl Iterator<Item = String>, prefix: &str) -> Vec<String> {
    words.filter(|word| word.starts_with(prefix)).take(MAX_CANDIDATES).collect()
}

/// Files and folders of the project whose paths begin with `prefix`; folders end with a slash.
fn files(project: &Path, prefix: &str) -> Vec<String> {
    let (folder, name) =
        prefix.rsplit_once('/').map_or(("", prefix), |(folder, name)| (folder, name));
    let Ok(entries) = fs::read_dir(project.join(folder)) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let own = entry.file_name().into_string().ok()?;
            let hidden = own.starts_with('.') && !name.starts_with('.');
            let end = if entry.file_type().ok()?.is_dir() { "/" } else { "" };
            let before = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            (own.starts_with(name) && !hidden).then(|| format!("{before}{own}{end}"))
        })
        .take(MAX_CANDIDATES)
        .collect();
    found.sort();
    found
}

/// The helper that rustyline calls.
pub(super) struct ChatCompletion(ChatWords);

impl ChatCompletion {
    pub(super) fn new(words: ChatWords) -> Self {
        Self(words)
    }
}

impl Completer for ChatCompletion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, words) = self.0.complete(&line[..pos]);
        let pair = |word: String| Pair { display: word.clone(), replacement: word };
        Ok((start, words.into_iter().map(pair).collect()))
    }
}

impl Validator for ChatCompletion {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match is_incomplete(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

/// Whether Enter begins another line instead of sending.
pub(super) fn is_incomplete(text: &str) -> bool {
    let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count();
    text.ends_with('\\') || fences % 2 == 1
}

impl Hinter for ChatCompletion {
    type Hint = String;
}

impl Highlighter for ChatCompletion {}

impl Helper for ChatCompletion {}
