//! The service `health`: reports that this process is well, its uptime and its version.
//!
//! The smallest built-in service: it stores nothing and watches nothing. Its tool never fails.

use crate::built_in::BuiltInService;
use crate::presentation::Presentation;
use hobnob_mcp_engine::timestamp;
use hobnob_mcp_toolbox::{Kit, KitError, Structured, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Instant, SystemTime};

/// Answers `health_check`, the same in every view.
#[derive(Debug, Clone, Copy)]
pub struct HealthService {
    began: Instant,
}

impl HealthService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "health";

    /// Makes the service, and starts to count the uptime.
    pub fn start() -> Self {
        Self { began: Instant::now() }
    }
}

/// How the process is.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// "ok" whenever there is an answer at all.
    status: &'static str,
    #[schemars(description = "Version of Hobnob.")]
    version: &'static str,
    /// Seconds since the process began to serve.
    uptime_seconds: f64,
    /// The time now, RFC 3339, UTC.
    timestamp: String,
}

impl BuiltInService for HealthService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, _presentation: &Presentation) -> Result<Kit, KitError> {
        let began = self.began;
        let annotations = ToolAnnotations {
            read_only_hint: Some(true),
            idempotent_hint: Some(true),
            open_world_hint: Some(false),
            ..ToolAnnotations::default()
        };
        let check = ToolSpec::new("Tells whether Hobnob is well: status, uptime, version, time")
            .title("Health check")
            .annotations(annotations);
        let tell = move || async move {
            Structured(Health {
                status: "ok",
                version: env!("CARGO_PKG_VERSION"),
                uptime_seconds: began.elapsed().as_secs_f64(),
                timestamp: timestamp(SystemTime::now()),
            })
        };
        Kit::service(Self::NAME).tool("check", check, tell).build()
    }
}
