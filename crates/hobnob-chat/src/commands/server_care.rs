//! `/mcp reconnect` and `/mcp login`: remedies for a server that does not answer.

use super::super::conversing::Conversing;
use super::own_command;
use hobnob_terminal::hub::{Reached, check_server};
use hobnob_terminal::render;

/// Ends a server and starts it again.
pub(super) async fn reconnect(chat: &mut Conversing<'_>, name: &str) -> anyhow::Result<()> {
    if let Err(unknown) = check_server(&chat.hub.names(), name) {
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
    if let Err(unknown) = check_server(&chat.hub.names(), name) {
        render::error(&unknown.to_string());
        return Ok(());
    }
    let ended = own_command::run(chat, &["login"], name).await?;
    // `hobnob login` has notified a hub in another process, but cannot reach our own.
    if ended.success() && chat.hub.reached() == Reached::Own {
        return reconnect(chat, name).await;
    }
    Ok(())
}
