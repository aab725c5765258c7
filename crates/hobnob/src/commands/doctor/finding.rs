//! The findings of the doctor about each server, and the whole report.
//!
//! `--json` prints them as they are here.

use hobnob_hub::finding::{CheckFinding, Verdict};
use serde::Serialize;

/// All findings about one server.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ServerFinding {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// Why it is not as it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
    /// What was started or reached, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<String>,
    /// How long it took until it was ready, or had failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) took_ms: Option<u64>,
    /// Name and version that the server reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) revision: Option<String>,
    /// The level of its sandbox, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sandbox: Option<&'static str>,
    pub(super) tools: usize,
    pub(super) resources: usize,
    pub(super) prompts: usize,
    /// What is not as it should be, though it works.
    pub(super) warnings: Vec<String>,
}

impl ServerFinding {
    /// A server that was not started.
    pub(super) fn unstarted(name: &str, verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            verdict,
            reason: Some(reason.into()),
            hint: None,
            target: None,
            took_ms: None,
            server: None,
            revision: None,
            sandbox: None,
            tools: 0,
            resources: 0,
            prompts: 0,
            warnings: Vec::new(),
        }
    }
}

/// Everything that was examined, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether nothing is broken.
    pub(super) ok: bool,
    pub(super) checks: Vec<CheckFinding>,
    pub(super) servers: Vec<ServerFinding>,
}
