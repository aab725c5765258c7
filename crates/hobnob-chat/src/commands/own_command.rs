//! Commands of `hobnob` within a chat, for what a person decides: logins, approvals, rules.
//!
//! What must stay true: they run in a process of their own, so that nothing that reads the keyboard for them
//! is left when the next line is typed.

use super::super::conversing::Conversing;
use anyhow::Context as _;
use std::process::{ExitStatus, Stdio};
use tokio::process::Command;

/// Runs the command with the words behind it to its end.
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
    let _alone = chat.terminal.for_typing().await;
    let mut running = process.spawn().context("`hobnob` cannot start")?;
    loop {
        tokio::select! {
            ended = running.wait() => return Ok(ended?),
            // Ctrl-C reaches it too, and ends it.
            () = chat.signals.next() => {}
        }
    }
}
