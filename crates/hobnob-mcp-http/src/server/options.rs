//! How a server is put on the network.

use crate::server::authentication::Authentication;
use crate::server::guard::Exposure;
use crate::server::limits::HttpLimits;
use crate::server::open_routes::OpenRoutes;
use crate::server::peer_check::PeerCheck;
use crate::server::refused_request::RefusalObserver;
use crate::server::tls::TlsCertificate;
use crate::server::trusted_proxies::TrustedProxies;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_server::Server;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Settings of one listening socket.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Bounds of connections and bodies.
    pub limits: HttpLimits,
    /// Bounds of legacy sessions.
    pub sessions: SessionLimits,
    /// The certificate that clients are shown; without one, nothing is encrypted. Its files are looked
    /// at again while the server runs.
    pub tls: Option<Arc<TlsCertificate>>,
    /// Who decides about connections before they are served; without one, all are.
    pub peers: Option<Arc<dyn PeerCheck>>,
    /// Proxies that are believed when they say whose requests they pass on.
    pub trusted_proxies: TrustedProxies,
    /// What protects a socket that others than this machine can reach.
    pub exposure: Exposure,
    /// Names of this machine that `Host` may carry besides the loopback ones.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call besides local ones.
    pub origins: Vec<String>,
    /// WebSocket connections at once, at `/ws` of all servers; none unless a program wants them.
    pub websockets: usize,
    /// Other servers on the same socket. They share its connections and who may use them, and
    /// nothing else: each has sessions of its own.
    pub mounts: Vec<Mount>,
    /// Who knows the tokens that every MCP request needs; without one, none is asked for.
    pub authentication: Option<Arc<dyn Authentication>>,
    /// Who hears of requests that are refused before a service sees them, if anybody does.
    pub refusals: Option<Arc<dyn RefusalObserver>>,
    /// Who answers the paths that are not MCP's and need no credentials; the first that has a path.
    pub open_routes: Vec<Arc<dyn OpenRoutes>>,
}

/// A server below a path of its own.
#[derive(Debug, Clone)]
pub struct Mount {
    /// What all its paths begin with: a `/` and more, without one at the end.
    pub prefix: String,
    /// Asked for its server when the first request for the path arrives.
    pub server: Arc<dyn OpenServer>,
}

/// Where the server of a mount comes from.
pub trait OpenServer: fmt::Debug + Send + Sync + 'static {
    /// Gives the server, and opens it first if need be. All requests that arrive meanwhile wait for
    /// one opening. What an error says goes to the client; the next request tries again.
    fn open(&self) -> BoxFuture<'_, Result<Server, String>>;
}

/// A server that is open already.
impl OpenServer for Server {
    fn open(&self) -> BoxFuture<'_, Result<Server, String>> {
        Box::pin(std::future::ready(Ok(self.clone())))
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            limits: HttpLimits::default(),
            sessions: SessionLimits::default(),
            tls: None,
            peers: None,
            trusted_proxies: TrustedProxies::default(),
            exposure: Exposure::LoopbackOnly,
            hosts: Vec::new(),
            origins: Vec::new(),
            websockets: 0,
            mounts: Vec::new(),
            authentication: None,
            refusals: None,
            open_routes: Vec::new(),
        }
    }
}

/// Bounds of legacy sessions.
#[derive(Debug, Clone)]
pub struct SessionLimits {
    /// Sessions of one server at once. Idle ones make room before a new one is refused.
    pub max_sessions: usize,
    /// How long a session may be silent.
    pub idle: Duration,
    /// Streams of one session that can be resumed.
    pub streams: usize,
    /// Events of one stream kept for that.
    pub events: usize,
    /// Bytes of one stream kept for that.
    pub event_bytes: usize,
    /// Bytes kept for that of all streams of all sessions. Streams that have ended make room
    /// first.
    pub replay_bytes_total: usize,
    /// Bytes of answers and questions that may wait for a client that does not read. Beyond, an
    /// HTTP+SSE session takes no message, and no question is moved to a standing stream.
    pub backlog_bytes: usize,
    /// How often a silent stream is given a sign of life.
    pub keep_alive: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            max_sessions: 10_000,
            idle: Duration::from_secs(30 * 60),
            streams: 32,
            events: 256,
            event_bytes: 1 << 20,
            replay_bytes_total: 64 << 20,
            backlog_bytes: 8 << 20,
            keep_alive: Duration::from_secs(15),
        }
    }
}
