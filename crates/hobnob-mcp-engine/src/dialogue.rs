//! The legacy handshake as a state machine: created, initializing, operating, shut down. A session
//! of the server holds one; only an operating peer's requests are answered.

use crate::caller::Caller;
use crate::client_id::{ClientId, Principal};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::hello::{Implementation, InitializeParams};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Params, Revision, RpcError};
use std::sync::Arc;

/// What a legacy peer has proved about itself so far.
#[derive(Debug, Default)]
pub enum Dialogue {
    /// The client has not sent `initialize`.
    #[default]
    Created,
    /// `initialize` was answered, `notifications/initialized` has not come.
    Initializing(LegacyPeer),
    /// The handshake is done.
    Operating(LegacyPeer),
    /// The connection has ended.
    ShutDown,
}

/// What the handshake agreed on. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LegacyPeer {
    /// The revision both speak.
    pub revision: Revision,
    /// What the client can do.
    pub capabilities: Arc<ClientCapabilities>,
    /// What the client calls itself.
    pub client: Arc<Implementation>,
}

impl LegacyPeer {
    /// The peer as the caller of one request; the level is what its session has set.
    pub fn caller(
        &self,
        client_id: ClientId,
        principal: &Principal,
        log_level: Option<LoggingLevel>,
    ) -> Caller {
        Caller {
            revision: self.revision,
            capabilities: Arc::clone(&self.capabilities),
            client: Some(Arc::clone(&self.client)),
            client_id,
            principal: principal.clone(),
            log_level,
        }
    }
}

impl Dialogue {
    /// `initialize`: once, and first.
    pub fn initialize(&mut self, params: &Params) -> Result<LegacyPeer, RpcError> {
        match self {
            Self::Created => {}
            Self::Initializing(_) | Self::Operating(_) => {
                return Err(RpcError::invalid_request("already initialized"));
            }
            Self::ShutDown => return Err(RpcError::invalid_request("the connection has ended")),
        }
        let hello: InitializeParams = params.decode()?;
        let peer = LegacyPeer {
            revision: Revision::negotiate(&hello.protocol_version),
            capabilities: Arc::new(hello.capabilities),
            client: Arc::new(hello.client_info),
        };
        *self = Self::Initializing(peer.clone());
        Ok(peer)
    }

    /// `notifications/initialized`; out of place it means nothing.
    pub fn initialized(&mut self) {
        *self = match std::mem::take(self) {
            Self::Initializing(peer) => Self::Operating(peer),
            other @ (Self::Created | Self::Operating(_) | Self::ShutDown) => other,
        };
    }

    /// The connection has ended.
    pub fn shut_down(&mut self) {
        *self = Self::ShutDown;
    }

    /// The peer whose requests may be answered now.
    pub fn operating(&self) -> Result<&LegacyPeer, RpcError> {
        match self {
            Self::Operating(peer) => Ok(peer),
            Self::Created | Self::Initializing(_) | Self::ShutDown => {
                Err(RpcError::invalid_request("server not initialized"))
            }
        }
    }

    /// The revision, as soon as it is agreed.
    pub fn revision(&self) -> Option<Revision> {
        match self {
            Self::Initializing(peer) | Self::Operating(peer) => Some(peer.revision),
            Self::Created | Self::ShutDown => None,
        }
    }
}
