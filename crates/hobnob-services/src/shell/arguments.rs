//! The arguments of commands, and their translation into requests that grants are asked about.
//!
//! Sizes and combinations are checked here; only the grants decide what is allowed.

use super::limits::{MAX_INPUT_BYTES, MAX_LIFETIME, MAX_TIMEOUT};
use hobnob_policy::{CommandText, CommandWish};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Most variables of one command.
const MAX_VARIABLES: usize = 128;
/// Largest sum of all variables' names and values, in bytes.
const MAX_VARIABLE_BYTES: usize = 64 * 1024;

/// What `run` takes, as callers write it.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct RunArguments {
    /// The program and its arguments, one word each. No shell reads them: `*`, `$`, `;` and spaces
    /// are ordinary characters. Give this or `command`.
    #[schemars(length(min = 1, max = 1024))]
    argv: Option<Vec<String>>,
    /// A line for a shell, only where such lines are granted; a line of plain words counts as `argv` too.
    command: Option<String>,
    /// The folder to run in, inside a folder that was granted with the command; without it, the
    /// first of those, or an empty one.
    cwd: Option<String>,
    /// Variables to set; only names that were granted with the command.
    env: Option<BTreeMap<String, String>>,
    /// What the program reads from its standard input, which ends after it.
    stdin: Option<String>,
    /// Milliseconds after which the command is ended, with everything it started: 60000 unless you
    /// say otherwise, 600000 at most.
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
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct StartArguments {
    /// The program and its arguments, one word each; no shell reads them. Give this or `command`.
    #[schemars(length(min = 1, max = 1024))]
    argv: Option<Vec<String>>,
    /// A line for a shell, only where such lines are granted; a line of plain words counts as `argv` too.
    command: Option<String>,
    /// The folder to run in, inside a folder that was granted with the command.
    cwd: Option<String>,
    /// Variables to set; only names that were granted with the command.
    env: Option<BTreeMap<String, String>>,
    /// What the program reads first from its standard input, which stays open for more.
    stdin: Option<String>,
}

impl RunArguments {
    /// The request, or what is wrong with the arguments. `default_timeout` applies if the caller
    /// sets no timeout.
    pub(super) fn into_wish(self, default_timeout: Duration) -> Result<CommandWish, String> {
        let Self { argv, command, cwd, env, stdin, timeout_ms } = self;
        let command = one_of(argv, command)?;
        wish(command, cwd, env, stdin, timeout(timeout_ms, default_timeout)?)
    }
}

impl ExecuteArguments {
    /// The request, or what is wrong with the arguments.
    pub(super) fn into_wish(self, default_timeout: Duration) -> Result<CommandWish, String> {
        let Self { command, cwd, timeout_ms } = self;
        wish(CommandText::Line(command), cwd, None, None, timeout(timeout_ms, default_timeout)?)
    }
}

impl StartArguments {
    /// The request, or what is wrong with the arguments.
    pub(super) fn into_wish(self) -> Result<CommandWish, String> {
        let Self { argv, command, cwd, env, stdin } = self;
        wish(one_of(argv, command)?, cwd, env, stdin, MAX_LIFETIME)
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

fn timeout(milliseconds: Option<u64>, default_timeout: Duration) -> Result<Duration, String> {
    match milliseconds.map(Duration::from_millis) {
        None => Ok(default_timeout),
        Some(Duration::ZERO) => Err("`timeout_ms` must be at least 1".into()),
        Some(timeout) if MAX_TIMEOUT < timeout => Err(format!(
            "`timeout_ms` is {} at most: start what runs longer in the background",
            MAX_TIMEOUT.as_millis()
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
    if MAX_VARIABLES < environment.len() || MAX_VARIABLE_BYTES < bytes {
        return Err(format!(
            "`env` has more than {MAX_VARIABLES} variables or {MAX_VARIABLE_BYTES} bytes"
        ));
    }
    let input = stdin.unwrap_or_default().into_bytes();
    if MAX_INPUT_BYTES < input.len() {
        return Err(format!("`stdin` has more than {MAX_INPUT_BYTES} bytes"));
    }
    Ok(CommandWish { command, folder, environment, input, timeout })
}

/// A command on one line, shortened, for the caller who typed it.
pub(super) fn shown(command: &CommandText) -> String {
    const MAX_SHOWN: usize = 200;
    let mut text = match command {
        CommandText::Words(words) => words.join(" "),
        CommandText::Line(line) => line.clone(),
    };
    if MAX_SHOWN < text.len() {
        text.truncate(text.floor_char_boundary(MAX_SHOWN));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
