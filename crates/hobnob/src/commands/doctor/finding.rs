//! The findings of the doctor: about the machine, about each server, and the whole report.
//!
//! `--json` prints them as they are here.

use serde::Serialize;

/// How bad a finding is; a later variant is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// Everything is as it should be.
    Ok,
    /// Worth knowing, but not a problem.
    Note,
    /// It works, but not as it should.
    Warning,
    /// It does not work.
    Broken,
}

/// One finding about the machine or a file.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Finding {
    pub(super) what: &'static str,
    pub(super) verdict: Verdict,
    pub(super) message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

impl Finding {
    pub(super) fn new(what: &'static str, verdict: Verdict, message: impl Into<String>) -> Self {
        Self { what, verdict, message: message.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

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
    pub(super) checks: Vec<Finding>,
    pub(super) servers: Vec<ServerFinding>,
}
