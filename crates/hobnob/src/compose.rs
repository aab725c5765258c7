//! The only wiring: which services the server answers with.

use crate::services::health;
use anyhow::Context as _;
use mcp_server::Server;

/// The server with all built-in services.
pub(crate) fn server() -> anyhow::Result<Server> {
    let health = health::kit().context("the health service")?;
    Server::builder("hobnob", env!("CARGO_PKG_VERSION"))
        .kit(health)
        .build()
        .context("the server cannot be put together")
}
