//! Servers of the project that the user has not approved in their current form. `approve` shows
//! them and asks.
//!
//! What must stay true: the lines that the user sees are those of the digest that is approved.

use super::decision::Decision;
use hobnob_config::{Approvals, Digest, Places, ServerKey, ServerName, Servers, Switch};
use serde::Serialize;
use std::path::PathBuf;

/// One server, as the user sees it before deciding.
#[derive(Debug, Serialize)]
pub(super) struct WaitingServer {
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// Exactly what would be started or reached.
    pub(super) lines: Vec<String>,
    pub(super) digest: Digest,
    /// Whether the user's own server of the same name is used until this one is approved.
    pub(super) replaces_yours: bool,
    #[serde(skip)]
    pub(super) key: ServerKey,
    pub(super) decision: Decision,
}

impl WaitingServer {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("server `{}` of {} would start:\n", self.name, self.file.display());
        for line in &self.lines {
            text.push_str(&format!("    {line}\n"));
        }
        if self.replaces_yours {
            text.push_str(
                "  It would replace your own server of this name, which Hobnob uses until then.\n",
            );
        }
        text
    }
}

/// The servers that wait, and the problems of those that cannot be shown.
pub(super) fn waiting(
    servers: &Servers,
    places: &Places,
    approvals: &Approvals,
    only: Option<&ServerName>,
) -> (Vec<WaitingServer>, Vec<String>) {
    let (mut waiting, mut problems) = (Vec::new(), Vec::new());
    for counts in servers.iter() {
        // An entry that waits may be overridden by the user's own of the same name.
        let server = counts.waiting.as_deref().unwrap_or(counts);
        let wanted = match only {
            Some(name) => server.name == *name,
            None => server.switch == Switch::On,
        };
        if !wanted || server.is_approved(&places.project, approvals) {
            continue;
        }
        match &server.state {
            Ok(spec) => waiting.push(WaitingServer {
                name: server.name.to_string(),
                file: server.file.clone(),
                lines: spec.approval_lines(),
                digest: server.digest,
                replaces_yours: counts.waiting.is_some(),
                key: server.key(),
                decision: Decision::Waiting,
            }),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    (waiting, problems)
}
