//! Warns the person of servers and tools that cannot be used, before they type a line.
//!
//! What must stay true: each problem is reported once, and again only if it was solved in between.

use hobnob_terminal::hub::{Hub, ServerStatus};
use hobnob_terminal::render;
use std::collections::HashSet;

/// The reported problems: servers with their phases, or with the tools that are held back.
#[derive(Debug, Default)]
pub(super) struct ServerWarnings(HashSet<(String, String)>);

impl ServerWarnings {
    /// Warns of problems that were not there at the last call.
    pub(super) async fn warn(&mut self, hub: &Hub) {
        let servers = match hub.status().await {
            Ok(status) => status.servers,
            Err(error) => return tracing::debug!("no states of servers: {error:#}"),
        };
        let mut reported = HashSet::new();
        for server in &servers {
            for (trouble, words) in troubles(server) {
                let key = (server.name.clone(), trouble);
                if !self.0.contains(&key) {
                    render::warn(&words);
                }
                reported.insert(key);
            }
        }
        self.0 = reported;
    }
}

/// The problems of a server: a key that identifies each, and a sentence.
fn troubles(server: &ServerStatus) -> Vec<(String, String)> {
    let mut troubles = Vec::new();
    if server.is_unusable() && server.phase != "disabled" {
        troubles.push((server.phase.clone(), server.sentence()));
    }
    if !server.quarantined.is_empty() {
        let tools = server.quarantined.join(", ");
        let words = format!(
            "server `{0}`: tools that have changed are held back: {tools}; to review them: hobnob \
             approve {0}",
            server.name
        );
        troubles.push((tools, words));
    }
    troubles
}
