//! The server for `cargo xtask bench`'s measurement of streams: its tools emit the requested number
//! of events on a WebSocket. `bench_streams PORT` listens until it is stopped.

use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::{Context, Kit, ToolError, ToolReply, ToolSpec};
use hobnob_rpc::{MethodDirectory, MethodEntry, MethodSource, NativeRpc, RpcLimits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Deserialize, JsonSchema)]
struct Events {
    /// How many events are emitted
    count: usize,
    /// Bytes of text in each
    bytes: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).ok_or("bench_streams PORT")?.parse()?;
    tokio::runtime::Runtime::new()?.block_on(serve(port))
}

async fn serve(port: u16) -> Result<(), Box<dyn Error>> {
    let kit = Kit::service("stream").tool("events", ToolSpec::new("Emit events"), events).tool(
        "now",
        ToolSpec::new("Emit one event that says when"),
        now,
    );
    let server = Server::builder("bench", "1").kit(kit).build()?;
    let tools = server.toolbox().ok_or("a server with kits has a toolbox")?.lists().tools();
    let entries = tools.into_iter().filter_map(|tool| {
        let (service, method) = tool.key.split_once('_')?;
        let (service, method) = (service.into(), method.into());
        let definition = tool.json.into();
        Some(MethodEntry { service, method, tool: tool.key.to_string(), definition })
    });
    let methods = Arc::new(FixedMethods(Arc::new(MethodDirectory::new(entries))));
    server.set_other_methods(Arc::new(NativeRpc::new("bench", methods, RpcLimits::default())));
    let options = HttpOptions { websockets: 16, ..HttpOptions::default() };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = bind(address, &options).await?;
    serve_http(&server, listener, options, server.stopping()).await?;
    Ok(())
}

async fn events(arguments: Events, context: Context<()>) -> Result<ToolReply, ToolError> {
    let text = "x".repeat(arguments.bytes);
    for _ in 0..arguments.count {
        context.emit(StreamEvent::content(text.as_str())).await;
    }
    Ok(ToolReply::Text(String::new()))
}

/// Emits the current time, by the clock that all processes share.
async fn now(context: Context<()>) -> Result<ToolReply, ToolError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    context.emit(StreamEvent::new("now").with("nanoseconds", &since.as_nanos())).await;
    Ok(ToolReply::Text(String::new()))
}

struct FixedMethods(Arc<MethodDirectory>);

impl MethodSource for FixedMethods {
    fn directory(&self) -> Arc<MethodDirectory> {
        Arc::clone(&self.0)
    }
}
