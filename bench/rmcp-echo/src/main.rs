//! The echo tool on rmcp with the library's defaults: sessions, and answers as event streams.
//! `load` starts it as `rmcp-echo stdio` or `rmcp-echo http PORT`.

use anyhow::{Context as _, bail};
use axum::serve::ListenerExt as _;
use rmcp::ServiceExt as _;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{schemars, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct EchoArguments {
    message: String,
}

#[derive(Clone)]
struct Echo;

#[tool_router(server_handler)]
impl Echo {
    #[tool(description = "Gives the message back")]
    fn echo(&self, Parameters(arguments): Parameters<EchoArguments>) -> String {
        arguments.message
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => {
            Echo.serve(stdio()).await?.waiting().await?;
            Ok(())
        }
        ["http", port] => serve_http(port.parse().context("PORT is not a port number")?).await,
        _ => bail!("usage: rmcp-echo stdio | rmcp-echo http PORT"),
    }
}

async fn serve_http(port: u16) -> anyhow::Result<()> {
    let sessions = LocalSessionManager::default().into();
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, config);
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, router).await?;
    Ok(())
}
