//! Tools that are held back because they have changed since their server was approved. `approve`
//! shows them and asks.
//!
//! What must stay true: the definition that the user sees is the one whose digest is approved.

use super::decision::Decision;
use super::differences::{Difference, differences, to_lines};
use hobnob_config::{Pin, ServerKey};
use hobnob_hub::waiting_approvals::{ToolToApprove, WaitReason};
use serde::Serialize;
use serde_json::Value;

/// One tool, as the user sees it before deciding.
#[derive(Debug, Serialize)]
pub(super) struct WaitingTool {
    pub(super) server: String,
    pub(super) name: String,
    pub(super) why: WaitReason,
    /// The definition as the server gives it now.
    pub(super) definition: Value,
    /// The differences from the approved definition, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<Vec<Difference>>,
    /// Signs of manipulation in its texts.
    pub(super) suspicions: Vec<&'static str>,
    #[serde(skip)]
    pub(super) key: ServerKey,
    /// The definition as text, and its pin.
    #[serde(skip)]
    pub(super) text: String,
    #[serde(skip)]
    pub(super) pin: Pin,
    pub(super) digest: String,
    pub(super) decision: Decision,
}

impl WaitingTool {
    pub(super) fn to_text(&self) -> String {
        let why = match self.why {
            WaitReason::Changed => "has changed since you approved it",
            WaitReason::New => "is new since you approved its server",
        };
        let mut text = format!("tool `{}` of server `{}` {why}:\n", self.name, self.server);
        let lines = match &self.changes {
            Some(changes) => to_lines(changes),
            None => {
                let shown = serde_json::to_string_pretty(&self.definition).unwrap_or_default();
                shown.lines().map(str::to_owned).collect()
            }
        };
        for line in lines {
            text.push_str(&format!("    {line}\n"));
        }
        if self.why == WaitReason::Changed && self.changes.is_none() {
            text.push_str(
                "    (the approved definition was not saved, so this is the whole new one)\n",
            );
        }
        if !self.suspicions.is_empty() {
            text.push_str(&format!("    SUSPICIOUS: {}\n", self.suspicions.join(", ")));
        }
        text
    }
}

impl From<ToolToApprove> for WaitingTool {
    fn from(tool: ToolToApprove) -> Self {
        let changes = tool.change.as_ref().map(|(before, now)| differences(before, now));
        Self {
            server: tool.server.to_string(),
            name: tool.name,
            why: tool.why,
            definition: tool.definition,
            changes,
            suspicions: tool.suspicions,
            key: tool.key,
            text: tool.text,
            pin: tool.pin,
            digest: tool.digest,
            decision: Decision::Waiting,
        }
    }
}
