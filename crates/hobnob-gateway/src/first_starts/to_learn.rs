//! Whether a hub would have first starts to make, found out without opening a hub.
//!
//! `serve` asks before it opens one: first starts take longer than some clients wait, so they are
//! left to a process that outlives the client.

use crate::identity::HubIdentity;
use crate::servers::gate::ServerGate;
use crate::upstream::failures::StartFailures;
use hobnob_config::{Approvals, CatalogueCache, Places, Servers, Settings};
use std::sync::Arc;
use std::time::SystemTime;

/// Whether any startable server has no known lists and no recent failure.
pub fn has_servers_to_learn(
    places: &Places,
    settings: &Settings,
    servers: &Servers,
    identity: HubIdentity,
) -> bool {
    let approvals = Approvals::load(&places.approvals()).map_err(|error| error.to_string());
    let approvals = approvals.as_ref().map_err(String::as_str);
    let gate = ServerGate::new(Arc::new(identity), places.project.clone());
    let catalogues = CatalogueCache::new(&places.catalogues());
    let failures = StartFailures::new(places);
    servers.iter().any(|server| {
        let failed = failures.load(server.name.as_str(), &server.identity);
        let failed_lately = failed.is_some_and(|failure| failure.holds(SystemTime::now()));
        gate.configure(server, settings, approvals).is_startable()
            && !failed_lately
            && catalogues.load(&server.identity).is_none()
    })
}
