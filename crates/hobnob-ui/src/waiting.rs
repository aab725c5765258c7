//! What waits for a person besides questions: approvals, changed tools and logins, from the status
//! of the servers. The state and the event stream send it.
//!
//! What must stay true: a command that a person copies does what it says, even if a project put a
//! command into the name of a server.

use hobnob_gateway::{GatewayStatus, Phase};
use hobnob_text::shell_word;
use serde::Serialize;

/// How many entries of a kind are sent.
const MAX_ENTRIES: usize = 1_000;

/// What waits for a person.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Waiting {
    approvals: Vec<WaitingApproval>,
    changed_tools: Vec<ChangedTool>,
    logins: Vec<WaitingLogin>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct WaitingApproval {
    server: String,
    command: String,
    reason: String,
    how: String,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct ChangedTool {
    server: String,
    tool: String,
    how: String,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct WaitingLogin {
    server: String,
    reason: String,
    how: String,
}

impl Waiting {
    pub(crate) fn of(status: &GatewayStatus) -> Self {
        let in_phase = |phase| status.servers.iter().filter(move |server| server.phase == phase);
        let approvals = in_phase(Phase::NeedsApproval).map(|server| WaitingApproval {
            server: server.name.clone(),
            command: server.target.clone(),
            reason: server.reason.clone().unwrap_or_default(),
            how: command("approve", &server.name),
        });
        let changed = status.servers.iter().flat_map(|server| {
            server.quarantined.iter().map(|tool| ChangedTool {
                server: server.name.clone(),
                tool: tool.clone(),
                how: command("approve", &server.name),
            })
        });
        let logins = in_phase(Phase::NeedsLogin).map(|server| WaitingLogin {
            server: server.name.clone(),
            reason: server.reason.clone().unwrap_or_default(),
            how: command("login", &server.name),
        });
        Self {
            approvals: approvals.take(MAX_ENTRIES).collect(),
            changed_tools: changed.take(MAX_ENTRIES).collect(),
            logins: logins.take(MAX_ENTRIES).collect(),
        }
    }
}

/// A command about a server, as a person types it at a shell.
fn command(verb: &str, name: &str) -> String {
    let options = if name.starts_with('-') { "-- " } else { "" };
    format!("hobnob {verb} {options}{}", shell_word(name))
}

#[cfg(test)]
mod tests;
