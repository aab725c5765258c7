//! From two streams to a greeted server, and what every connection has besides its transport.
//!
//! The gateway, the command line and the builder connect here, or in `connect_http`. A connection
//! that could not be greeted is closed before the error is returned.

use crate::events::EventHandler;
use crate::greet::{GreetError, Hello, greet};
use crate::host::Host;
use crate::inbox::Inbox;
use crate::options::ClientOptions;
use crate::peer::Peer;
use crate::peer::message_sender::{MessageSender, Wire};
use crate::remote::Remote;
#[cfg(feature = "http")]
use hobnob_mcp_http::client::{OpenError, TargetError};
use hobnob_mcp_transport::{LineLimits, TryWrite, open_lines};
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
#[non_exhaustive]
pub enum ConnectError {
    /// The server was reached, but not greeted.
    #[error(transparent)]
    Greet(#[from] GreetError),
    /// The URL cannot be used.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A header of the settings is not allowed in HTTP; holds its name.
    #[error("the header `{0}` has a name or a value that HTTP does not allow")]
    Header(Box<str>),
    /// The stream of HTTP+SSE cannot be opened.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The program of the server cannot be started.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
    /// The program of the server was started, but not greeted; holds the end of what it wrote to
    /// standard error.
    #[error("{source}; it said: {stderr}")]
    Program {
        /// What went wrong, without the words of the program.
        source: Box<ConnectError>,
        /// The last lines that it wrote.
        stderr: Box<str>,
    },
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

impl Connection {
    pub(crate) fn peer(&self, wire: Wire) -> Arc<Peer> {
        let (host, events) = (Arc::clone(&self.host), Arc::clone(&self.events));
        let sender = MessageSender::new(wire, self.options.trace.clone());
        Peer::new(sender, host, events, self.tasks.clone(), self.options.in_flight)
    }

    pub(crate) async fn greet(self, peer: Arc<Peer>) -> Result<Arc<Remote>, ConnectError> {
        match greet(&peer, &self.options).await {
            Ok(hello) => Ok(self.remote(peer, hello)),
            Err(error) => {
                peer.close();
                Err(error.into())
            }
        }
    }

    pub(crate) fn remote(self, peer: Arc<Peer>, hello: Hello) -> Arc<Remote> {
        Remote::new(peer, hello, self.options)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("options", &self.options).finish_non_exhaustive()
    }
}
