//! Tells the person of servers and tools that cannot be used, before a line is typed.
//!
//! What must stay true: each trouble is told once, and again only after it was over meanwhile.

use hobnob_terminal::hub::{Hub, ServerStatus};
use hobnob_terminal::render;
use std::collections::HashSet;

/// What was told: the phases of servers, and the tools that are held back.
#[derive(Debug, Default)]
pub(super) struct ServerWarnings(HashSet<(String, String)>);

impl ServerWarnings {
    /// Looks at all servers, and warns of what is new.
    pub(super) async fn tell(&mut self, hub: &Hub) {
        let servers = match hub.status().await {
            Ok(status) => status.servers,
            Err(error) => return tracing::debug!("no states of servers: {error:#}"),
        };
        let mut told = HashSet::new();
        for server in &servers {
            for (trouble, words) in troubles(server) {
                let key = (server.name.clone(), trouble);
                if !self.0.contains(&key) {
                    render::warn(&words);
                }
                told.insert(key);
            }
        }
        self.0 = told;
    }
}

/// What is wrong with a server: a word to know it by, and a sentence.
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
