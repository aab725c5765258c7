//! A command that prints headers for a server as JSON: `headersHelper`, as in Claude Code.
//!
//! `PrintedHeaders` runs it for each connection, under the same rules as servers: supervised, with
//! a time limit, and only for entries that may run at all. Its output is never logged.

use hobnob_mcp_process::child::{Child, ChildSpec, Exit, StopGrace};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

#[cfg(test)]
mod tests;

/// How long the command may run.
const RUN_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes it may print.
const MAX_BYTES: u64 = 64 * 1024;

/// Characters that need a shell; a command without them is started directly.
const SHELL_CHARACTERS: [char; 16] =
    ['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '#', '~', '{', '\n'];

/// Runs the command and returns the headers it prints.
pub(super) async fn run(spec: &ChildSpec) -> Result<Vec<(String, String)>, String> {
    let failed = |why: &str| format!("its `headersHelper` {why}");
    let spawned = Child::spawn(spec);
    let (mut child, pipes) = spawned.map_err(|error| failed(&format!("cannot start: {error}")))?;
    let ran = async {
        drop(pipes.stdin);
        let mut text = Vec::new();
        let read = pipes.stdout.take(MAX_BYTES + 1).read_to_end(&mut text).await;
        (read.map(|_| text), child.exited().await)
    };
    let ran = tokio::time::timeout(RUN_TIMEOUT, ran).await;
    let grace = StopGrace { eof: Duration::from_millis(200), term: Duration::from_millis(500) };
    child.stop(grace).await;
    match ran {
        Err(_) => Err(failed("took longer than 10 s")),
        Ok((_, exit)) if exit != Exit::Code(0) => Err(failed(&exit.to_string())),
        Ok((Err(_), _)) => Err(failed("printed nothing that can be read")),
        Ok((Ok(text), _)) => headers(&text).map_err(failed),
    }
}

/// Parses an object of strings and nothing else. Errors quote nothing: it may be a secret.
fn headers(text: &[u8]) -> Result<Vec<(String, String)>, &'static str> {
    if MAX_BYTES < text.len() as u64 {
        return Err("printed more than 64 KiB");
    }
    let headers: BTreeMap<String, String> = serde_json::from_slice(text)
        .map_err(|_| "did not print a JSON object whose values are strings")?;
    Ok(headers.into_iter().collect())
}

/// Splits a command into words, or hands it to a shell if it needs one.
pub(super) fn words(command: &str) -> Result<Vec<String>, String> {
    if command.contains(SHELL_CHARACTERS) {
        return Ok(vec!["/bin/sh".into(), "-c".into(), command.into()]);
    }
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.chars() {
        match (character, quote) {
            (it, Some(open)) if it == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (it, None) if it.is_whitespace() => words.extend(word.take()),
            ('\\', _) => return Ok(vec!["/bin/sh".into(), "-c".into(), command.into()]),
            (it, _) => word.get_or_insert_default().push(it),
        }
    }
    if quote.is_some() {
        return Err("its `headersHelper` has a quote that does not end".into());
    }
    words.extend(word);
    match words.is_empty() {
        true => Err("its `headersHelper` is empty".into()),
        false => Ok(words),
    }
}
