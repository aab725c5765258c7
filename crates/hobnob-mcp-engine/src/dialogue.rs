//! The legacy handshake as a state machine: created, initializing, operating, shut down. Each
//! server session owns one; only an operating peer's requests are answered.

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
    /// All of it, as the specification requires.
    #[default]
    Strict,
    /// `initialize` may leave out `protocolVersion` (the oldest revision is assumed) and
    /// `capabilities` (none are assumed), and requests may come before `notifications/initialized`.
    /// The client must still name itself.
    Lenient,
    /// All of it, and an unknown revision is refused (-32602) instead of answered with another one.
    /// A request before the handshake is done gets -32002 and the state of the handshake.
    KnownRevisions,
}

/// How far the handshake with a legacy peer has come.
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

/// The result of the handshake. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LegacyPeer {
    /// The revision that both sides speak.
    pub revision: Revision,
    /// The capabilities that the client declared.
    pub capabilities: Arc<ClientCapabilities>,
    /// The name and version the client gives itself.
    pub client: Arc<Implementation>,
}

impl LegacyPeer {
    /// The peer as the caller of one request. `log_level` is the one its session has set.
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
            trace: None,
            arrival: Arrival::next(),
        }
    }
}

impl Dialogue {
    /// Handles `initialize`, which must come first and only once.
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

    /// Handles `notifications/initialized`; in any other state than `Initializing` it is ignored.
    pub fn initialized(&mut self) {
        *self = match std::mem::take(self) {
            Self::Initializing(peer) => Self::Operating(peer),
            other @ (Self::Created | Self::Operating(_) | Self::ShutDown) => other,
        };
    }

    /// Records that the connection has ended.
    pub fn shut_down(&mut self) {
        *self = Self::ShutDown;
    }

    /// The peer, if the handshake is done.
    pub fn operating(&self) -> Option<&LegacyPeer> {
        match self {
            Self::Operating(peer) => Some(peer),
            Self::Created | Self::Initializing(_) | Self::ShutDown => None,
        }
    }

    /// The peer whose request may be answered now, or the error that the request gets instead.
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

    /// The revision, once `initialize` has settled it.
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

/// Refuses a peer that asked for a revision this server does not speak.
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

/// Parameters of `initialize` from clients that leave out required members.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LenientHello {
    protocol_version: Option<String>,
    capabilities: Option<ClientCapabilities>,
    client_info: Implementation,
}
