//! Runs other `hobnob` commands within a chat, where a person decides: logins, approvals, rules.
//!
//! What must stay true: each runs in its own process, so that none of its threads still reads the
//! keyboard when the person types the next line.

use super::super::conversing::Conversing;
use anyhow::Context as _;
use std::process::{ExitStatus, Stdio};
use tokio::process::Command;

/// Runs `hobnob COMMAND WORDS…` for this chat's project, and waits for its end.
pub(super) async fn run(
    chat: &mut Conversing<'_>,
    command: &[&str],
    words: &str,
) -> anyhow::Result<ExitStatus> {
    let program = std::env::current_exe().context("our own program cannot be found")?;
    let mut process = Command::new(program);
    process.args(command).args(words.split_whitespace());
    process.stdin(Stdio::inherit()).kill_on_drop(true);
    let places = chat.places;
    for (option, folder) in [
        ("--project", &places.project),
        ("--config-dir", &places.config_dir),
        ("--data-dir", &places.data_dir),
    ] {
        process.arg(option).arg(folder);
    }
    let _typing = chat.keyboard.for_typing().await;
    let mut running = process.spawn().context("`hobnob` cannot start")?;
    loop {
        tokio::select! {
            ended = running.wait() => return Ok(ended?),
            // Ctrl-C reaches the command itself and ends it.
            () = chat.signals.next() => {}
        }
    }
}
