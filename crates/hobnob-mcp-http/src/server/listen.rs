//! The accept loop: owns the listener and the task of every connection.
//! The endpoint calls [`serve`] once per listening socket and supplies a [`Handler`].
//! What must stay true: no accept error ends the server, a full house never harms the guests
//! already inside, and nothing started here outlives the call.

mod accept_fault;
mod overflow;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::ClientId;
use http::{Request, Response};
use hyper::body::Incoming;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinError, JoinSet};

use crate::server::connection::{Listening, converse};
use crate::server::limits::HttpLimits;
use crate::server::reply::ReplyBody;
use accept_fault::Pause;

/// Answers requests, one future each, polled on the task of the connection it came from.
///
/// When the client goes away the future is dropped where it stands; whatever must survive that
/// belongs in a task of its own. Its size is held by every open connection, so rare and bulky
/// branches are best boxed.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request on the connection of `client`.
    fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: ClientId,
    ) -> impl Future<Output = Response<ReplyBody>> + Send;
}

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Connections that were still open when the grace ran out and had to be cut.
    pub cut: usize,
}

/// Answers every connection to `listener` until `stop` is ready.
///
/// Then it accepts no more, lets open requests finish within the grace, closes idle connections
/// and [standing](ReplyBody::Standing) streams at once, and cuts what is left.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: Arc<H>,
    limits: HttpLimits,
    stop: impl Future<Output = ()>,
) -> Served {
    let grace = limits.shutdown_grace;
    let listening = Arc::new(Listening::new(handler, limits));
    let mut guests = Guests { listening, open: JoinSet::new(), refused: JoinSet::new() };
    let mut stop = pin!(stop);
    let mut pause = Pause::default();
    loop {
        // Ended connections are counted off before the next one is let in.
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(ended) = guests.open.join_next() => note_panic(ended),
            Some(ended) = guests.refused.join_next() => note_panic(ended),
            (stream, peer) = accept(&listener, &mut pause) => guests.admit(stream, peer),
        }
    }
    // The port is free for a successor while the last answers are still being written.
    drop(listener);
    guests.listening.shutdown.begin();
    guests.see_out(grace).await
}

/// The next connection, however long the machine is short of descriptors.
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

/// Every task that a connection has.
struct Guests<H: Handler> {
    listening: Arc<Listening<H>>,
    open: JoinSet<()>,
    refused: JoinSet<()>,
}

impl<H: Handler> Guests<H> {
    fn admit(&mut self, stream: TcpStream, peer: SocketAddr) {
        if let Err(error) = stream.set_nodelay(true) {
            // The client is already gone.
            tracing::debug!(%error, %peer, "connection closed before it was served");
            return;
        }
        if self.open.len() < self.listening.limits.connections {
            self.open.spawn(converse(stream, peer, Arc::clone(&self.listening)));
        } else if self.refused.len() < overflow::MOST_AT_ONCE {
            tracing::debug!(%peer, "too many connections, answering 503");
            self.refused.spawn(overflow::refuse(stream));
        } else {
            tracing::debug!(%peer, "too many connections, closing without an answer");
        }
    }

    async fn see_out(mut self, grace: Duration) -> Served {
        self.refused.shutdown().await;
        let all_gone = async {
            while let Some(ended) = self.open.join_next().await {
                note_panic(ended);
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

/// A panic ends its own connection only; it is told, not passed on.
fn note_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection's task panicked");
    }
}
