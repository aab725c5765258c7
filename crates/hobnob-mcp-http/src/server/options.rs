//! How a server is put on the network: the settings of a listening socket.

use crate::server::authentication::Authentication;
use crate::server::guard::Exposure;
use crate::server::limits::HttpLimits;
use crate::server::load::HttpLoad;
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
    /// Limits of connections and bodies.
    pub limits: HttpLimits,
    /// Limits of legacy sessions.
    pub sessions: SessionLimits,
    /// The certificate for TLS; without one, connections are not encrypted. Its files are checked
    /// for changes while the server runs.
    pub tls: Option<Arc<TlsCertificate>>,
    /// Decides which connections are accepted; without it, all are.
    pub peers: Option<Arc<dyn PeerCheck>>,
    /// Proxies that are trusted to name the client whose request they forward.
    pub trusted_proxies: TrustedProxies,
    /// The protection of a socket that other machines can reach.
    pub exposure: Exposure,
    /// Names that `Host` may carry besides the loopback names.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call, besides local ones.
    pub origins: Vec<String>,
    /// How many WebSocket connections, at `/ws` of any server, may be open; none by default.
    pub websockets: usize,
    /// Other servers on the same socket. They share its connections and its access rules, and
    /// nothing else: each has its own sessions.
    pub mounts: Vec<Mount>,
    /// Verifies the token that every MCP request needs; without it, no token is required.
    pub authentication: Option<Arc<dyn Authentication>>,
    /// Observes requests that are refused before a service sees them.
    pub refusals: Option<Arc<dyn RefusalObserver>>,
    /// Answers paths that are not MCP's and need no credentials; the first that has a path answers.
    pub open_routes: Vec<Arc<dyn OpenRoutes>>,
    /// Tells the program what the listener holds open.
    pub load: Option<Arc<HttpLoad>>,
}

/// A server below a path of its own.
#[derive(Debug, Clone)]
pub struct Mount {
    /// The beginning of all its paths: a `/` and a name, without a slash at the end.
    pub prefix: String,
    /// Opens the server when the first request for the path arrives.
    pub server: Arc<dyn OpenServer>,
}

/// The source of a mount's server.
pub trait OpenServer: fmt::Debug + Send + Sync + 'static {
    /// Returns the server, and opens it first if necessary. Requests that arrive meanwhile wait for
    /// the same opening. An error's text goes to the client; the next request tries again.
    fn open(&self) -> BoxFuture<'_, Result<Server, String>>;
}

/// A server that is already open.
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
            load: None,
        }
    }
}

/// Limits of legacy sessions.
#[derive(Debug, Clone)]
pub struct SessionLimits {
    /// How many sessions one server may have. Idle sessions are closed before a new one is refused.
    pub max_sessions: usize,
    /// How long a session may be silent.
    pub idle: Duration,
    /// How many streams of one session can be resumed.
    pub streams: usize,
    /// How many events of one stream are stored for resumption.
    pub events: usize,
    /// How many bytes of one stream are stored for resumption.
    pub event_bytes: usize,
    /// How many bytes are stored for resumption in all sessions together. Streams that have ended
    /// are dropped first.
    pub replay_bytes_total: usize,
    /// How many bytes of answers and server requests may wait for a client that does not read.
    /// Beyond, HTTP+SSE sessions accept no message, and no request moves to a standing stream.
    pub backlog_bytes: usize,
    /// How often a silent stream sends a keep-alive.
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
