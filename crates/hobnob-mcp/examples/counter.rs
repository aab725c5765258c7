//! The counter of `counter_rmcp.rs` with this crate.

use hobnob_mcp::{Context, Kit, Server, ToolError, serve_stdio};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
struct Counter {
    value: AtomicU64,
}

#[derive(Deserialize, JsonSchema)]
struct Step {
    /// How much to add.
    by: u64,
}

async fn add(step: Step, context: Context<Counter>) -> Result<String, ToolError> {
    if step.by == 0 {
        return Err(ToolError::failed("add at least one"));
    }
    let value = context.state().value.fetch_add(step.by, Ordering::Relaxed) + step.by;
    Ok(format!("the counter is at {value}"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kit = Kit::plain("counter").with_state(Counter::default()).tool(
        "add",
        "Adds to the counter",
        add,
    );
    let server = Server::builder("counter", "1.0.0").kit(kit).build()?;
    serve_stdio(&server).await?;
    Ok(())
}
