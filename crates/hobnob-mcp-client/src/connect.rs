//! Connects to a server over two streams, and defines what a connection needs besides them.
//!
//! The gateway, the command line and the builder connect here, or in `connect_http`. If the
//! handshake fails, the connection is closed before the error is returned.

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

/// What every connection needs besides its transport.
pub struct Connection {
    /// Answers the server's questions.
    pub host: Arc<dyn Host>,
    /// Receives what the server sends unasked.
    pub events: Arc<dyn EventHandler>,
    /// Our identity, our time limits and other limits.
    pub options: ClientOptions,
    /// The connection's own tasks; the owner of the connection waits for them.
    pub tasks: TaskTracker,
}

/// Why no connection was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The server was reached, but the handshake failed.
    #[error(transparent)]
    Greet(#[from] GreetError),
    /// The URL cannot be used.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A header in the settings is not valid in HTTP; holds its name.
    #[error("the header `{0}` has a name or a value that HTTP does not allow")]
    Header(Box<str>),
    /// The stream of HTTP+SSE cannot be opened.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The program of the server cannot be started.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
    /// The program of the server was started, but the handshake failed; holds the end of what the
    /// program wrote to standard error.
    #[error("{source}; it said: {stderr}")]
    Program {
        /// What went wrong, without the program's output.
        source: Box<ConnectError>,
        /// The last lines that the program wrote.
        stderr: Box<str>,
    },
}

/// Connects to a server over the two halves of a pipe or socket, handshake included.
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
