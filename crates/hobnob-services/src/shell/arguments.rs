//! What callers write to run a command, and how it becomes a wish that grants are asked about.
//!
//! Everything is checked here for size and sense; whether it may be done, only the grants decide.

use super::limits::{INPUT_BYTES, LONGEST_LIFE, LONGEST_TIMEOUT};
use hobnob_policy::{CommandText, CommandWish};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Variables that one command may be given.
const MAX_VARIABLES: usize = 128;
/// Bytes that names and values of all variables may have.
const VARIABLE_BYTES: usize = 64 * 1024;

/// What `run` takes, as callers write it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct RunArguments {
    /// The program and its arguments, one word each. No shell reads them: `*`, `$`, `;` and spaces
    /// are ordinary characters. Give this or `command`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    argv: Option<Vec<String>>,
    /// A line for a shell, only where such lines are granted; a line of plain words counts as `argv` too.
    #[serde(default)]
    command: Option<String>,
    /// The folder to run in, inside a folder that was granted with the command; without it, the
    /// first of those, or an empty one.
    #[serde(default)]
    cwd: Option<String>,
    /// Variables to set; only names that were granted with the command.
    #[serde(default)]
    env: Option<BTreeMap<String, String>>,
    /// What the program reads from its standard input, which ends after it.
    #[serde(default)]
    stdin: Option<String>,
    /// Milliseconds after which the command is ended, with everything it started: 60000 unless you
    /// say otherwise, 600000 at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
}

/// What `execute` takes, as callers write it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ExecuteArguments {
    /// A line for a shell, where such lines are granted, or plain words of a granted command.
    command: String,
    /// The folder to run in, inside a folder that was granted with the command.
    #[serde(default)]
    cwd: Option<String>,
    /// Milliseconds after which the command is ended: 60000 unless you say otherwise, 600000 at
    /// most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
}

/// What `start` takes, as callers write it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct StartArguments {
    /// The program and its arguments, one word each; no shell reads them. Give this or `command`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    argv: Option<Vec<String>>,
    /// A line for a shell, only where such lines are granted; a line of plain words counts as `argv` too.
    #[serde(default)]
    command: Option<String>,
    /// The folder to run in, inside a folder that was granted with the command.
    #[serde(default)]
    cwd: Option<String>,
    /// Variables to set; only names that were granted with the command.
    #[serde(default)]
    env: Option<BTreeMap<String, String>>,
    /// What the program reads first from its standard input, which stays open for more.
    #[serde(default)]
    stdin: Option<String>,
}

impl RunArguments {
    /// The wish, or what is wrong with the arguments. `usual` is how long it may run if the caller does
    /// not say.
    pub(super) fn into_wish(self, usual: Duration) -> Result<CommandWish, String> {
        let Self { argv, command, cwd, env, stdin, timeout_ms } = self;
        let command = one_of(argv, command)?;
        wish(command, cwd, env, stdin, timeout(timeout_ms, usual)?)
    }
}

impl ExecuteArguments {
    /// The wish, or what is wrong with the arguments.
    pub(super) fn into_wish(self, usual: Duration) -> Result<CommandWish, String> {
        let Self { command, cwd, timeout_ms } = self;
        wish(CommandText::Line(command), cwd, None, None, timeout(timeout_ms, usual)?)
    }
}

impl StartArguments {
    /// The wish, or what is wrong with the arguments.
    pub(super) fn into_wish(self) -> Result<CommandWish, String> {
        let Self { argv, command, cwd, env, stdin } = self;
        wish(one_of(argv, command)?, cwd, env, stdin, LONGEST_LIFE)
    }
}

fn one_of(argv: Option<Vec<String>>, command: Option<String>) -> Result<CommandText, String> {
    match (argv, command) {
        (Some(words), None) => Ok(CommandText::Words(words)),
        (None, Some(line)) => Ok(CommandText::Line(line)),
        (Some(_), Some(_)) => Err("give `argv` or `command`, not both".into()),
        (None, None) => Err("give `argv`, the words of a command, or `command`, a line".into()),
    }
}

fn timeout(milliseconds: Option<u64>, usual: Duration) -> Result<Duration, String> {
    match milliseconds.map(Duration::from_millis) {
        None => Ok(usual),
        Some(Duration::ZERO) => Err("`timeout_ms` must be at least 1".into()),
        Some(timeout) if LONGEST_TIMEOUT < timeout => Err(format!(
            "`timeout_ms` is {} at most: start what runs longer in the background",
            LONGEST_TIMEOUT.as_millis()
        )),
        Some(timeout) => Ok(timeout),
    }
}

fn wish(
    command: CommandText,
    folder: Option<String>,
    environment: Option<BTreeMap<String, String>>,
    stdin: Option<String>,
    timeout: Duration,
) -> Result<CommandWish, String> {
    let environment: Vec<(String, String)> = environment.unwrap_or_default().into_iter().collect();
    let bytes: usize = environment.iter().map(|(name, value)| name.len() + value.len()).sum();
    if MAX_VARIABLES < environment.len() || VARIABLE_BYTES < bytes {
        return Err(format!(
            "`env` has more than {MAX_VARIABLES} variables or {VARIABLE_BYTES} bytes"
        ));
    }
    let input = stdin.unwrap_or_default().into_bytes();
    if INPUT_BYTES < input.len() {
        return Err(format!("`stdin` has more than {INPUT_BYTES} bytes"));
    }
    Ok(CommandWish { command, folder, environment, input, timeout })
}

/// A command in one line, cut, for a caller who typed it.
pub(super) fn shown(command: &CommandText) -> String {
    const LONGEST: usize = 200;
    let mut text = match command {
        CommandText::Words(words) => words.join(" "),
        CommandText::Line(line) => line.clone(),
    };
    if LONGEST < text.len() {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
