//! A counter with rmcp, for those who come from there.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt, tool, tool_router};
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

#[tool_router(server_handler)]
impl Counter {
    /// Adds to the counter
    #[tool]
    async fn add(&self, Parameters(step): Parameters<Step>) -> Result<String, String> {
        if step.by == 0 {
            return Err("add at least one".into());
        }
        let value = self.value.fetch_add(step.by, Ordering::Relaxed) + step.by;
        Ok(format!("the counter is at {value}"))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Counter::default().serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
