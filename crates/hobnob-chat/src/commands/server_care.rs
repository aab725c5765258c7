//! `/mcp reconnect` and `/mcp login`: what a server needs that does not answer.
//!
//! What must stay true: a login runs in a process of its own, so that nothing that reads the keyboard
//! for it is left when the next line is typed.

use super::super::conversing::Conversing;
use anyhow::Context as _;
use hobnob_terminal::hub::Reached;
use hobnob_terminal::render;
use std::process::Stdio;
use tokio::process::Command;

/// Ends a server and starts it again.
pub(super) async fn reconnect(chat: &mut Conversing<'_>, name: &str) -> anyhow::Result<()> {
    if let Err(unknown) = chat.hub.names().check_server(name) {
        render::error(&unknown.to_string());
        return Ok(());
    }
    let restarting = chat.hub.restart(name);
    let restarted = tokio::select! {
        restarted = restarting => restarted?,
        () = chat.signals.next() => Err("interrupted".to_owned()),
    };
    match restarted {
        Ok(()) => render::line(&format!("reconnected to {name}")),
        Err(why) => {
            render::error(&why);
            Ok(())
        }
    }
}

/// Logs in to a server as `hobnob login` does.
pub(super) async fn login(chat: &mut Conversing<'_>, name: &str) -> anyhow::Result<()> {
    if let Err(unknown) = chat.hub.names().check_server(name) {
        render::error(&unknown.to_string());
        return Ok(());
    }
    let program = std::env::current_exe().context("our own program cannot be found")?;
    let mut command = Command::new(program);
    command.args(["login", name]).stdin(Stdio::inherit()).kill_on_drop(true);
    let places = chat.places;
    for (option, folder) in [
        ("--project", &places.project),
        ("--config-dir", &places.config_dir),
        ("--data-dir", &places.data_dir),
    ] {
        command.arg(option).arg(folder);
    }
    let mut login = command.spawn().context("`hobnob login` cannot start")?;
    let ended = loop {
        tokio::select! {
            ended = login.wait() => break ended?,
            // Ctrl-C reaches it too, and ends it.
            () = chat.signals.next() => {}
        }
    };
    // A hub that runs elsewhere was told by it.
    if ended.success() && chat.hub.reached() == Reached::Own {
        return reconnect(chat, name).await;
    }
    Ok(())
}
