//! From a pipe or an address to a greeted server.
//!
//! The gateway, the command line and the tests connect here. A connection that could not be greeted
//! is closed before the error is returned.

use crate::events::EventHandler;
use crate::greet::{GreetError, Hello, greet};
use crate::host::Host;
use crate::inbox::Inbox;
use crate::options::{ClientOptions, EraHint};
use crate::peer::Peer;
use crate::peer::message_sender::Wire;
use crate::remote::Remote;
use hobnob_mcp_http::client::{
    HttpCarrier, HttpClientLimits, HttpTarget, OpenError, SseCarrier, TargetError,
};
use hobnob_mcp_transport::{LineLimits, TryWrite, open_lines};
use hobnob_mcp_types::ErrorCode;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;
use tokio::io::AsyncRead;
use tokio_util::task::TaskTracker;

/// What every connection has besides its transport.
pub struct Connection {
    /// Who answers what the server asks.
    pub host: Arc<dyn Host>,
    /// Who takes what it says without being asked.
    pub events: Arc<dyn EventHandler>,
    /// Who we are, how long we wait and how much we take.
    pub options: ClientOptions,
    /// Where the connection's own tasks run; whoever owns it waits for them.
    pub tasks: TaskTracker,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server was reached, but not greeted.
    #[error(transparent)]
    Greet(#[from] GreetError),
    /// The URL cannot be used.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A header of the settings is not allowed in HTTP; holds its name.
    #[error("the header `{0}` has a name or a value that HTTP does not allow")]
    Header(Box<str>),
    /// The stream of HTTP+SSE cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Where a server is, and the headers of the user's settings that go with every request.
pub fn http_target<'a>(
    url: &str,
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<HttpTarget, ConnectError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let bad = || ConnectError::Header(name.into());
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        map.append(key, HeaderValue::from_str(value).map_err(|_| bad())?);
    }
    Ok(HttpTarget::new(url, map)?)
}

/// Greets a server over two halves of a pipe or socket.
pub async fn connect_lines<R, W>(
    connection: Connection,
    read: R,
    write: W,
) -> Result<Arc<Remote>, ConnectError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: TryWrite + Send + Sync + 'static,
{
    let peer = connection.peer(Wire::Pipe);
    let inbox = Arc::new(Inbox(Arc::downgrade(&peer)));
    let carrier = open_lines(read, write, LineLimits::default(), inbox, &connection.tasks);
    peer.sender.attach(carrier);
    connection.greet(peer).await
}

/// Greets a server over HTTP; one that has no Streamable HTTP is tried the oldest way.
pub async fn connect_http(
    connection: Connection,
    target: HttpTarget,
) -> Result<Arc<Remote>, ConnectError> {
    let peer = connection.peer(Wire::Http);
    let inbox = Arc::new(Inbox(Arc::downgrade(&peer)));
    let limits = connection.http_limits();
    let carrier = HttpCarrier::new(target.clone(), limits, inbox, connection.tasks.clone())?;
    peer.sender.attach(carrier);
    match greet(&peer, &connection.options).await {
        Ok(hello) => Ok(connection.remote(peer, hello)),
        Err(error) if may_be_oldest(&error) => {
            peer.close();
            // Only if the oldest way works was that the reason.
            connect_sse(connection, target).await.map_err(|_| error.into())
        }
        Err(error) => {
            peer.close();
            Err(error.into())
        }
    }
}

/// Whether a server that answers like this may have HTTP+SSE only. Some explain in JSON-RPC what
/// others say with the status alone.
fn may_be_oldest(error: &GreetError) -> bool {
    match error {
        GreetError::NoStreamable(_) => true,
        GreetError::Refused(refused) => !matches!(
            refused.code,
            ErrorCode::HEADER_MISMATCH
                | ErrorCode::MISSING_CLIENT_CAPABILITY
                | ErrorCode::UNSUPPORTED_VERSION
        ),
        _ => false,
    }
}

/// Greets a server over HTTP+SSE, as 2024-11-05 has it.
pub async fn connect_sse(
    mut connection: Connection,
    target: HttpTarget,
) -> Result<Arc<Remote>, ConnectError> {
    let peer = connection.peer(Wire::Pipe);
    let inbox = Arc::new(Inbox(Arc::downgrade(&peer)));
    let limits = connection.http_limits();
    let carrier = SseCarrier::open(target, limits, inbox, connection.tasks.clone()).await?;
    peer.sender.attach(carrier);
    if connection.options.era == EraHint::Unknown {
        // Nothing modern was ever served this way.
        connection.options.era = EraHint::Legacy;
    }
    connection.greet(peer).await
}

impl Connection {
    fn peer(&self, wire: Wire) -> Arc<Peer> {
        let (host, events) = (Arc::clone(&self.host), Arc::clone(&self.events));
        Peer::new(wire, host, events, self.tasks.clone(), self.options.in_flight)
    }

    fn http_limits(&self) -> HttpClientLimits {
        HttpClientLimits { connect: self.options.timeouts.connect, ..HttpClientLimits::default() }
    }

    async fn greet(self, peer: Arc<Peer>) -> Result<Arc<Remote>, ConnectError> {
        match greet(&peer, &self.options).await {
            Ok(hello) => Ok(self.remote(peer, hello)),
            Err(error) => {
                peer.close();
                Err(error.into())
            }
        }
    }

    fn remote(self, peer: Arc<Peer>, hello: Hello) -> Arc<Remote> {
        Remote::new(peer, hello, self.options)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("options", &self.options).finish_non_exhaustive()
    }
}
