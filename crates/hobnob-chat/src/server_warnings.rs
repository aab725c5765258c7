//! Tells the person of servers that cannot be used, before a line is typed.
//!
//! What must stay true: each trouble is told once, and again only after the server was fine meanwhile.

use hobnob_terminal::hub::Hub;
use hobnob_terminal::render;
use std::collections::HashMap;

/// The servers that were told of, and the phase that each was in.
#[derive(Debug, Default)]
pub(super) struct ServerWarnings(HashMap<String, String>);

impl ServerWarnings {
    /// Looks at all servers, and warns of what is new.
    pub(super) async fn tell(&mut self, hub: &Hub) {
        let servers = match hub.status().await {
            Ok(status) => status.servers,
            Err(error) => return tracing::debug!("no states of servers: {error:#}"),
        };
        let troubled = servers.iter().filter(|it| it.is_unusable() && it.phase != "disabled");
        let mut told = HashMap::new();
        for server in troubled {
            if self.0.get(&server.name) != Some(&server.phase) {
                render::warn(&server.sentence());
            }
            told.insert(server.name.clone(), server.phase.clone());
        }
        self.0 = told;
    }
}
