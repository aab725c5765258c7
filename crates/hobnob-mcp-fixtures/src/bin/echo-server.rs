//! The benchmark's fixture: one tool, `echo`, on the product's own toolbox and transports.
//!
//! `echo-server stdio` or `echo-server http PORT`.

use anyhow::Context as _;
use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::{Server, serve_stdio};
use hobnob_mcp_toolbox::Kit;
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::Ipv4Addr;

/// The product's allocator: messages are constantly allocated on one thread and freed on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    message: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let kit =
        Kit::plain("echo").tool("echo", "Says it back", |args: Echo| async move { args.message });
    let server = Server::builder("echo-server", "1.0.0").kit(kit).build()?;
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => serve_stdio(&server).await?,
        ["http", port] => {
            let port: u16 = port.parse().context("PORT must be a number")?;
            let options = HttpOptions::default();
            let listener = bind((Ipv4Addr::LOCALHOST, port).into(), &options).await?;
            serve_http(&server, listener, options, std::future::pending()).await?;
        }
        _ => anyhow::bail!("usage: echo-server stdio | echo-server http PORT"),
    }
    Ok(())
}
