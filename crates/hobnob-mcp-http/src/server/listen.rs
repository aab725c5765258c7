//! The accept loop: owns the listener and the task of every connection. The endpoint calls
//! [`serve`] once per listening socket and supplies a [`Handler`]. What must stay true: no accept
//! error ends the server, refusing a connection never harms those that are open, and nothing
//! started here outlives the call.

mod accept_fault;
mod overflow;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinError, JoinSet};

use crate::server::connection::{ListenerContext, converse};
use crate::server::handler::Handler;
use crate::server::limits::HttpLimits;
use crate::server::load::HttpLoad;
use crate::server::peer_check::PeerCheck;
use crate::server::tls::TlsCertificate;
use accept_fault::Pause;

/// How serving ended, for the log and the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Connections that were still open after the grace period and had to be cut.
    pub cut: usize,
}

/// Answers every connection to `listener` until `stop` is ready.
///
/// Then it accepts no more, lets open requests finish within the grace period, closes idle
/// connections and [standing](super::ReplyBody::Standing) streams at once, and cuts the rest.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: Arc<H>,
    limits: HttpLimits,
    stop: impl Future<Output = ()>,
) -> Served {
    let protection = Protection { certificate: None, peers: None, load: None };
    serve_protected(listener, handler, limits, protection, stop).await
}

/// The protection of a listening socket besides its limits.
pub(crate) struct Protection {
    /// The certificate; if there is one, clients must speak TLS.
    pub(crate) certificate: Option<Arc<TlsCertificate>>,
    /// Decides which connections are accepted.
    pub(crate) peers: Option<Arc<dyn PeerCheck>>,
    /// Gets the number of open connections from the accept loop.
    pub(crate) load: Option<Arc<HttpLoad>>,
}

/// The same as [`serve`], with more protection.
pub(crate) async fn serve_protected<H: Handler>(
    listener: TcpListener,
    handler: Arc<H>,
    limits: HttpLimits,
    protection: Protection,
    stop: impl Future<Output = ()>,
) -> Served {
    let Protection { certificate, peers, load } = protection;
    let context = ListenerContext::new(handler, limits, certificate);
    let grace = context.limits.shutdown_grace;
    let context = Arc::new(context);
    let (open, refused) = (JoinSet::new(), JoinSet::new());
    let mut connections = Connections { context, peers, load, open, refused };
    let mut stop = pin!(stop);
    let mut pause = Pause::default();
    loop {
        connections.report();
        // Ended connections are counted before the next one is accepted.
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(ended) = connections.open.join_next() => log_panic(ended),
            Some(ended) = connections.refused.join_next() => log_panic(ended),
            (stream, peer) = accept(&listener, &mut pause) => connections.admit(stream, peer),
        }
    }
    // The port is free for a successor while the last responses are still being written.
    drop(listener);
    connections.context.shutdown.begin();
    connections.finish_within(grace).await
}

/// The next connection; waits as long as the machine is short of descriptors.
async fn accept(listener: &TcpListener, pause: &mut Pause) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => {
                pause.reset();
                return accepted;
            }
            Err(error) => {
                if let Some(rest) = pause.after(&error) {
                    tracing::warn!(%error, ?rest, "cannot accept connections, will try again");
                    tokio::time::sleep(rest).await;
                }
            }
        }
    }
}

/// The tasks of all connections.
struct Connections<H: Handler> {
    context: Arc<ListenerContext<H>>,
    peers: Option<Arc<dyn PeerCheck>>,
    load: Option<Arc<HttpLoad>>,
    open: JoinSet<()>,
    refused: JoinSet<()>,
}

impl<H: Handler> Connections<H> {
    fn report(&self) {
        if let Some(load) = &self.load {
            load.set_connections(self.open.len());
        }
    }

    fn admit(&mut self, stream: TcpStream, peer: SocketAddr) {
        if let Err(error) = stream.set_nodelay(true) {
            // The client is already gone.
            tracing::debug!(%error, %peer, "connection closed before it was served");
            return;
        }
        if !self.is_let_in(&stream, peer) {
            tracing::debug!(%peer, "refused a connection of another user");
            self.refuse(stream, overflow::OTHER_USER);
        } else if self.open.len() < self.context.limits.connections {
            self.open.spawn(converse(stream, peer, Arc::clone(&self.context)));
        } else {
            tracing::debug!(%peer, "too many connections");
            self.refuse(stream, overflow::TOO_MANY);
        }
    }

    fn is_let_in(&self, stream: &TcpStream, peer: SocketAddr) -> bool {
        let Some(peers) = &self.peers else { return true };
        stream.local_addr().is_ok_and(|local| peers.admits(peer, local))
    }

    /// Sends a refusal and closes. A TLS client gets none, since a handshake costs more than a
    /// request.
    fn refuse(&mut self, stream: TcpStream, answer: &'static str) {
        if self.context.tls.is_none() && self.refused.len() < overflow::MAX_AT_ONCE {
            self.refused.spawn(overflow::refuse(stream, answer));
        }
    }

    async fn finish_within(mut self, grace: Duration) -> Served {
        self.refused.shutdown().await;
        let all_gone = async {
            while let Some(ended) = self.open.join_next().await {
                log_panic(ended);
            }
        };
        if tokio::time::timeout(grace, all_gone).await.is_ok() {
            return Served { cut: 0 };
        }
        let cut = self.open.len();
        tracing::warn!(connections = cut, "grace is over, cutting open connections");
        self.open.shutdown().await;
        Served { cut }
    }
}

/// A panic ends only its own connection; it is logged, not passed on.
fn log_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection's task panicked");
    }
}
