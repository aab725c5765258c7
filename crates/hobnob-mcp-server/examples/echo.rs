//! A server of one's own in a few lines: one tool, `echo`, on standard input and output.

use hobnob_mcp_server::toolbox::{Context, Kit, ToolSpec};
use hobnob_mcp_server::{Server, serve_stdio};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    message: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = ToolSpec::new("echo", "Says back what it is told");
    let kit =
        Kit::plain("echo").tool(spec, |args: Echo, _: Context| async move { Ok(args.message) })?;
    let server = Server::builder("echo", "1.0.0").kit(kit).build()?;
    serve_stdio(&server).await?;
    Ok(())
}
