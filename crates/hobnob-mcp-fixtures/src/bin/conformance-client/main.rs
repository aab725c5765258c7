//! The client that the official conformance suite runs: it does what each scenario wants, with the
//! product's own client.
//!
//! `conformance-client URL`, with the scenario's name in `MCP_CONFORMANCE_SCENARIO` and, for some
//! scenarios, its data as JSON in `MCP_CONFORMANCE_CONTEXT`.

mod host;
mod login;
mod scenarios;

use crate::host::AgreeableHost;
use anyhow::Context as _;
use hobnob_mcp_client::{Client, ClientOptions, Connection, IgnoreEvents, connect_http};
use hobnob_mcp_http::client::HttpTarget;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// Shorter than the suite's own timeout: the suite cannot end a client that hangs.
const LIMIT: Duration = Duration::from_secs(20);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tokio::time::timeout(LIMIT, scenario()).await.context("the scenario does not end")?
}

async fn scenario() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).context("usage: conformance-client URL")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").context("no scenario is named")?;
    let tasks = TaskTracker::new();
    let host = Arc::new(AgreeableHost);
    let connection = Connection {
        host: host.clone(),
        events: Arc::new(IgnoreEvents),
        // No hint of the era, although the suite would give one: negotiation is part of the test.
        options: ClientOptions::new("conformance-client", "1.0.0"),
        tasks: tasks.clone(),
    };
    let mut target = HttpTarget::new(&url, http::HeaderMap::new())?;
    if let Some(wanted) = scenario.strip_prefix("auth/") {
        target = target.authorized_by(login::authorizer(wanted, &url)?);
    }
    let remote = connect_http(connection, target).await?;
    let outcome = scenarios::run(&scenario, &Client::new(Arc::clone(&remote), host)).await;
    remote.close();
    tasks.close();
    tasks.wait().await;
    outcome
}
