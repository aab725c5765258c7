//! Who calls, as far as the call itself says. Every [`Call`](crate::Call) carries one.

use crate::arrival::Arrival;
use crate::client_id::{ClientId, Principal};
use crate::share::ShareKey;
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::Arc;

/// Who calls, in which revision, and what they can do. Self-reported but for the id and the
/// principal.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The revision the answer must be written in.
    pub revision: Revision,
    /// What the caller can be asked for.
    pub capabilities: Arc<ClientCapabilities>,
    /// What the caller calls itself. Never a ground for trust, and no identity: two clients may
    /// well use one name.
    pub client: Option<Arc<Implementation>>,
    /// Which client this is, as far as the transport can tell.
    pub client_id: ClientId,
    /// Whom the transport knows the caller to be.
    pub principal: Principal,
    /// From which level on the caller wants log messages: what `logging/setLevel` set in a legacy
    /// session, or what a modern request says itself. `None` if neither was ever said.
    pub log_level: Option<LoggingLevel>,
    /// What of this process makes the call for the caller, such as a session with a model. Only
    /// services set it, never an edge, so it can be trusted.
    pub via: Option<Arc<str>>,
    /// When the call came in, taken before it ran beside others.
    pub arrival: Arrival,
}

impl Caller {
    /// The key under which this caller's use of shared resources is counted.
    pub fn share(&self) -> ShareKey {
        let name = self.client.as_ref().map(|client| &*client.name);
        ShareKey::new(self.client_id, &self.principal, name)
    }
}
