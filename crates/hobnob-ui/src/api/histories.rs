//! `/ui/api/histories` and `/ui/api/servers/{name}/history`: all servers or one of them over time.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::server_history::{all_servers, one_server};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Without a name: all servers.
pub(super) async fn read(
    request: &SessionRequest<'_>,
    name: Option<Box<str>>,
) -> Result<PageResponse, PageProblem> {
    let (source, feed) =
        (Arc::clone(&request.page.options.source), Arc::clone(&request.page.options.feed));
    let histories = spawn_blocking(move || match name {
        Some(name) => one_server(&*source, &feed, &name),
        None => all_servers(&*source, &feed),
    });
    let histories = histories.await;
    json(&histories.map_err(|_| PageProblem::internal("the servers' histories are unknown"))?)
}
