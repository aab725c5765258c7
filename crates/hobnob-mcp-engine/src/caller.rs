//! Who makes a call, as far as the call itself says: part of every [`Call`](crate::Call).

use crate::arrival::Arrival;
use crate::call_trace::CallTrace;
use crate::client_id::{ClientId, Principal};
use crate::share::ShareKey;
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::Arc;

/// Who calls, in which revision, and with which capabilities. Everything except the client id, the
/// principal and `via` is self-reported.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The revision the answer must be written in.
    pub revision: Revision,
    /// What the caller declared that it can be asked for.
    pub capabilities: Arc<ClientCapabilities>,
    /// The name and version the caller gives itself. It is neither proof nor identity: two clients
    /// may use the same name.
    pub client: Option<Arc<Implementation>>,
    /// Which client this is, as far as the transport can tell.
    pub client_id: ClientId,
    /// The identity that the transport has authenticated.
    pub principal: Principal,
    /// The lowest level of log messages the caller wants: set by `logging/setLevel` in a legacy
    /// session, or named by the modern request itself. `None` if neither happened.
    pub log_level: Option<LoggingLevel>,
    /// The part of this process that makes the call for the caller, such as a session with a model.
    /// Only services set it, never an edge, so it can be trusted.
    pub via: Option<Arc<str>>,
    /// The spans in which the call runs, if it is traced: they take the place of the context in
    /// its `_meta`. Only services set it, never an edge.
    pub trace: Option<Arc<CallTrace>>,
    /// When the call came in; taken before the call runs concurrently with others.
    pub arrival: Arrival,
}

impl Caller {
    /// A caller of the newest revision that declares nothing, whose call comes in now.
    #[must_use]
    pub fn new(client_id: ClientId, principal: Principal) -> Self {
        Self {
            revision: Revision::NEWEST,
            capabilities: Arc::default(),
            client: None,
            client_id,
            principal,
            log_level: None,
            via: None,
            trace: None,
            arrival: Arrival::next(),
        }
    }

    /// The key under which this caller's use of shared resources is counted.
    pub fn share(&self) -> ShareKey {
        let name = self.client.as_ref().map(|client| &*client.name);
        ShareKey::new(self.client_id, &self.principal, name)
    }
}
