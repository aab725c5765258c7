//! Servers of the project that the user has not approved in their current form. `approve` shows
//! them and asks.
//!
//! What must stay true: the lines that the user sees are those of the digest that is approved.

use super::decision::Decision;
use hobnob_config::{Digest, ServerKey};
use hobnob_hub::waiting_approvals::ServerToApprove;
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

impl From<ServerToApprove> for WaitingServer {
    fn from(server: ServerToApprove) -> Self {
        let ServerToApprove { name, file, lines, digest, key, replaces_yours } = server;
        let (name, decision) = (name.to_string(), Decision::Waiting);
        Self { name, file, lines, digest, replaces_yours, key, decision }
    }
}
