//! The server for the official conformance suite: everything the suite looks for, built on the
//! product's own toolbox and HTTP edge.
//!
//! `conformance-server PORT` serves `/mcp` on the loopback address. Each module is one
//! kit, except `forms`, which several kits use.

mod asking;
mod forms;
mod media;
mod notes;
mod plain;
mod prompts;
mod resources;
mod rounds;
mod tasks;

use anyhow::Context as _;
use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use std::net::Ipv4Addr;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let port = std::env::args().nth(1).context("usage: conformance-server PORT")?;
    let port: u16 = port.parse().context("PORT must be a number")?;
    let handle = notes::Handle::default();
    let server = Server::builder("conformance-server", "1.0.0")
        .kit(plain::kit())
        .kit(media::kit())
        .kit(notes::kit(&handle))
        .kit(asking::kit())
        .kit(rounds::kit())
        .kit(tasks::kit())
        .kit(resources::kit())
        .kit(prompts::kit())
        .build()?;
    handle.connect(&server);
    let options = HttpOptions::default();
    let listener = bind((Ipv4Addr::LOCALHOST, port).into(), &options).await?;
    serve_http(&server, listener, options, std::future::pending()).await?;
    Ok(())
}
