//! `/ui/api/servers/{name}/…`: restarts and switches a server, and shows what it wrote to standard
//! error.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, done, json};
use crate::ports::{NotDone, PageSwitch};
use crate::routes::ServerAction;
use serde::Serialize;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// How much of a log is sent.
const MAX_LINES: usize = 200;
const MAX_LOG_BYTES: usize = 256 << 10;

/// The last lines of a server.
#[derive(Serialize)]
struct LogJson<'a> {
    text: &'a str,
}

pub(super) async fn act(
    request: &SessionRequest<'_>,
    name: &str,
    action: ServerAction,
) -> Result<PageResponse, PageProblem> {
    let actions = &request.page.options.actions;
    let done_or_not = match action {
        ServerAction::Restart => actions.restart(name).await,
        ServerAction::Enable => actions.switch(name, PageSwitch::Enabled).await,
        ServerAction::Disable => actions.switch(name, PageSwitch::Disabled).await,
    };
    match done_or_not {
        Ok(()) => Ok(done()),
        Err(NotDone::Unknown) => Err(unknown(name)),
        Err(NotDone::Failed(why)) => Err(PageProblem::conflict(why)),
    }
}

pub(super) async fn log(
    request: &SessionRequest<'_>,
    name: Box<str>,
) -> Result<PageResponse, PageProblem> {
    let (source, server) = (Arc::clone(&request.page.options.source), name.clone());
    let log = spawn_blocking(move || source.server_log(&server)).await;
    let log = log.map_err(|_| PageProblem::internal("the log cannot be read"))?;
    let log = log.ok_or_else(|| unknown(&name))?;
    json(&LogJson { text: tail(&log) })
}

fn unknown(name: &str) -> PageProblem {
    PageProblem::not_found(format!("there is no server `{name}` in the configuration"))
}

/// The last lines of a text.
fn tail(text: &str) -> &str {
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_LOG_BYTES))..];
    let ends_line = usize::from(text.ends_with('\n'));
    let breaks = text.rmatch_indices('\n').nth(MAX_LINES - 1 + ends_line);
    breaks.map_or(text, |(at, _)| &text[at + 1..])
}

#[cfg(test)]
mod tests;
