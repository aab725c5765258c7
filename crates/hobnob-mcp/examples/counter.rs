//! The counter of `counter_rmcp.rs` with this crate.

use hobnob_mcp::{Context, Kit, Server, ToolError, ToolSpec, serve_stdio};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Default)]
struct Counter {
    value: Arc<AtomicU64>,
}

#[derive(Deserialize, JsonSchema)]
struct Step {
    /// How much to add.
    by: u64,
}

impl Counter {
    async fn add(self, step: Step) -> Result<String, ToolError> {
        if step.by == 0 {
            return Err(ToolError::failed("add at least one"));
        }
        let value = self.value.fetch_add(step.by, Ordering::Relaxed) + step.by;
        Ok(format!("the counter is at {value}"))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counter = Counter::default();
    let kit = Kit::plain("counter")
        .tool(ToolSpec::new("add", "Adds to the counter"), move |step: Step, _: Context| {
            counter.clone().add(step)
        })?;
    let server = Server::builder("counter", "1.0.0").kit(kit).build()?;
    serve_stdio(&server).await?;
    Ok(())
}
