//! The counter of `counter_rmcp.rs` with this crate.

use hobnob_mcp::{Context, Kit, Server, ToolError};
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

fn main() -> std::io::Result<()> {
    let counter = Kit::plain("counter").with_state(Counter::default()).tool(
        "add",
        "Adds to the counter",
        add,
    );
    Server::of(counter).run_stdio()
}
