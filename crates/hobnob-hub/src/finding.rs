//! What a check of files or of the machine found, how bad that is, and what to do about it.
//!
//! `file_checks` and `hobnob doctor` make findings; `hobnob doctor --json` prints them as they are
//! here, and the page of a hub shows the bad ones.

use serde::Serialize;

/// How bad a finding is; a later variant is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
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
pub struct CheckFinding {
    /// What was examined, in a word or two.
    pub what: &'static str,
    /// How bad the finding is.
    pub verdict: Verdict,
    /// What was found, in words for a person.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl CheckFinding {
    /// A finding without a remedy.
    pub fn new(what: &'static str, verdict: Verdict, message: impl Into<String>) -> Self {
        Self { what, verdict, message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
