//! A server of one's own in a few lines: one tool, `echo`, on standard input and output.

use hobnob_mcp::{Kit, Server, serve_stdio};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    message: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kit = Kit::plain("echo")
        .tool("echo", "Returns the message", |args: Echo| async move { args.message });
    let server = Server::builder("echo", "1.0.0").kit(kit).build()?;
    serve_stdio(&server).await?;
    Ok(())
}
