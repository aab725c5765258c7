//! The two files of the audit log, each with a chain of its own.
//!
//! A client can make calls as fast as it likes, so records of calls may push each other out.
//! People's decisions are kept apart from them.

use std::path::{Path, PathBuf};

/// Which of the two files a record goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditStream {
    /// Calls, reads and refusals.
    Calls,
    /// People's decisions: answers, and changes of rules, grants, tokens, users and logins.
    Decisions,
}

impl AuditStream {
    /// Both streams, in the order in which they are verified.
    pub const ALL: [Self; 2] = [Self::Calls, Self::Decisions];

    /// The stream's name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Decisions => "decisions",
        }
    }

    /// The stream's newest file, for a log at `path`: `audit.jsonl` and `audit-decisions.jsonl`.
    #[must_use]
    pub fn path(self, path: &Path) -> PathBuf {
        match self {
            Self::Calls => path.to_owned(),
            Self::Decisions => {
                let mut name = path.file_stem().unwrap_or_default().to_owned();
                name.push("-decisions");
                let mut decisions = path.with_file_name(name);
                if let Some(extension) = path.extension() {
                    decisions.set_extension(extension);
                }
                decisions
            }
        }
    }
}
