//! The legacy handshake as a state machine: created, initializing, operating, shut down. A session
//! of the server holds one; only an operating peer's requests are answered.

use crate::caller::Caller;
use crate::client_id::{ClientId, Principal};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::hello::{Implementation, InitializeParams};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Params, Revision, RpcError};
use serde::Deserialize;
use std::sync::Arc;

/// How much of the handshake a server insists on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HandshakeRules {
    /// All of it, as the specification has it.
    #[default]
    Strict,
    /// `initialize` may leave out `protocolVersion` (the oldest revision is meant then) and
    /// `capabilities` (there are none then), and requests may come without
    /// `notifications/initialized`. The client must still say who it is.
    Lenient,
}

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
    pub fn initialize(
        &mut self,
        params: &Params,
        rules: HandshakeRules,
    ) -> Result<LegacyPeer, RpcError> {
        match self {
            Self::Created => {}
            Self::Initializing(_) | Self::Operating(_) => {
                return Err(RpcError::invalid_request("already initialized"));
            }
            Self::ShutDown => return Err(RpcError::invalid_request("the connection has ended")),
        }
        let (peer, next): (_, fn(LegacyPeer) -> Self) = match rules {
            HandshakeRules::Strict => (strict_peer(params)?, Self::Initializing),
            HandshakeRules::Lenient => (lenient_peer(params)?, Self::Operating),
        };
        *self = next(peer.clone());
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

fn strict_peer(params: &Params) -> Result<LegacyPeer, RpcError> {
    let hello: InitializeParams = params.decode()?;
    Ok(LegacyPeer {
        revision: Revision::negotiate(&hello.protocol_version),
        capabilities: Arc::new(hello.capabilities),
        client: Arc::new(hello.client_info),
    })
}

fn lenient_peer(params: &Params) -> Result<LegacyPeer, RpcError> {
    let hello: LenientHello = params.decode()?;
    let requested = hello.protocol_version.as_deref();
    Ok(LegacyPeer {
        revision: requested.map_or(Revision::V2024_11_05, Revision::negotiate),
        capabilities: Arc::new(hello.capabilities.unwrap_or_default()),
        client: Arc::new(hello.client_info),
    })
}

/// Parameters of `initialize` from clients that leave out what the specification asks for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LenientHello {
    protocol_version: Option<String>,
    capabilities: Option<ClientCapabilities>,
    client_info: Implementation,
}
