//! `health.check`: whether this process is well, for how long, and which version it is.

use hobnob_mcp_engine::timestamp;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, NoArguments, Structured, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Instant, SystemTime};

/// How the process is.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// "ok" whenever there is an answer at all.
    status: &'static str,
    /// Version of Hobnob.
    version: &'static str,
    /// Seconds since the process began to serve.
    uptime_seconds: f64,
    /// The time now, RFC 3339, UTC.
    timestamp: String,
}

/// The service.
pub fn kit() -> Result<Kit, KitError> {
    let began = Instant::now();
    let annotations = ToolAnnotations {
        read_only_hint: Some(true),
        idempotent_hint: Some(true),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    let check =
        ToolSpec::new("check", "Tells whether Hobnob is well: status, uptime, version, time")
            .title("Health check")
            .annotations(annotations)
            .output::<Health>();
    Kit::service("health").tool(check, move |_: NoArguments, _: Context| async move {
        Ok(Structured(Health {
            status: "ok",
            version: env!("CARGO_PKG_VERSION"),
            uptime_seconds: began.elapsed().as_secs_f64(),
            timestamp: timestamp(SystemTime::now()),
        }))
    })
}
