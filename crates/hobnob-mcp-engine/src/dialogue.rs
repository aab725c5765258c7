//! The legacy handshake as a state machine: created, initializing, operating, shut down. A session
//! of the server holds one; only an operating peer's requests are answered.

use crate::arrival::Arrival;
use crate::caller::Caller;
use crate::client_id::{ClientId, Principal};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::hello::{Implementation, InitializeParams};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Era, ErrorCode, Params, Revision, RpcError};
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
    /// All of it, and a revision that is not spoken here is refused (-32602) instead of answered with
    /// another one. A request before its time is -32002, and says how far the handshake is.
    KnownRevisions,
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
            via: None,
            arrival: Arrival::next(),
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
            HandshakeRules::KnownRevisions => {
                (known_revision(strict_peer(params)?, params)?, Self::Initializing)
            }
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

    /// The peer, if its requests may be answered now.
    pub fn operating(&self) -> Option<&LegacyPeer> {
        match self {
            Self::Operating(peer) => Some(peer),
            Self::Created | Self::Initializing(_) | Self::ShutDown => None,
        }
    }

    /// The peer whose request is to be answered now, or the error it gets instead.
    pub fn answering(&self, rules: HandshakeRules) -> Result<&LegacyPeer, RpcError> {
        self.operating().ok_or_else(|| match rules {
            HandshakeRules::Strict | HandshakeRules::Lenient => {
                RpcError::invalid_request("server not initialized")
            }
            HandshakeRules::KnownRevisions => {
                RpcError::new(ErrorCode::NOT_INITIALIZED, self.what_is_missing())
            }
        })
    }

    fn what_is_missing(&self) -> &'static str {
        match self {
            Self::Created => "Server not initialized",
            Self::Initializing(_) => "Server initializing",
            Self::ShutDown => "Server shutting down",
            Self::Operating(_) => "Invalid state",
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

/// Refuses a peer that asked for a revision which is not spoken here.
fn known_revision(peer: LegacyPeer, params: &Params) -> Result<LegacyPeer, RpcError> {
    let requested = params.string("protocolVersion")?;
    if requested == peer.revision.as_str() {
        return Ok(peer);
    }
    let legacy = Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy);
    let supported: Vec<&str> = legacy.map(Revision::as_str).collect();
    let data = serde_json::json!({"supported": supported, "requested": requested});
    Err(RpcError::invalid_params("Unsupported protocol version").with_data(&data))
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
