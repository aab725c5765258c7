//! The state that connections share: that of one listener, and that of one connection.
//!
//! The accept loop makes one [`ListenerContext`]; the socket, the requests and the replies of a
//! connection hold its [`ClientConnection`]. Nothing here depends on those parts.

use super::progress::Progress;
use crate::server::handler::Handler;
use crate::server::limits::HttpLimits;
use crate::server::shutdown::Shutdown;
use crate::server::tls::TlsCertificate;
use crate::server::upgrade::Upgrade;
use hobnob_mcp_engine::ClientId;
use hyper::server::conn::http1;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

/// Hyper reads bodies in blocks of up to this size, and stops polling a stream while this much
/// waits to be written. Its own default, 400 KiB, is too much to grant every connection.
const BUFFER_BYTES: usize = 64 * 1024;

/// The number of header fields hyper parses on the stack; only another number is configured.
const HYPER_FIELDS: usize = 100;

/// The state that all connections of one listener share.
pub(crate) struct ListenerContext<H> {
    pub(super) handler: Arc<H>,
    pub(super) http1: http1::Builder,
    /// The certificate for TLS; without it, connections are plain.
    pub(crate) tls: Option<Arc<TlsCertificate>>,
    /// The limits of every connection.
    pub(crate) limits: HttpLimits,
    /// The signal to stop.
    pub(crate) shutdown: Shutdown,
}

impl<H: Handler> ListenerContext<H> {
    /// Prepares to serve; nothing happens before the first connection.
    pub(crate) fn new(
        handler: Arc<H>,
        limits: HttpLimits,
        tls: Option<Arc<TlsCertificate>>,
    ) -> Self {
        let mut http1 = http1::Builder::new();
        // No timer for hyper: its header timeout also ends idle connections and costs a timer for
        // each request. `Alarm` does both jobs with one lazy timer for each connection. No
        // `pipeline_flush`: with it a stream is never told to wait for a slow client.
        http1
            .header_read_timeout(None)
            .half_close(false)
            .max_header_size(limits.header_bytes)
            .max_buf_size(BUFFER_BYTES.max(limits.header_bytes));
        if limits.header_fields != HYPER_FIELDS {
            http1.max_headers(limits.header_fields);
        }
        Self { handler, http1, tls, limits, shutdown: Shutdown::default() }
    }
}

/// The state that the socket, the requests and the replies of one connection share.
pub(super) struct ClientConnection<H> {
    pub(super) context: Arc<ListenerContext<H>>,
    pub(super) address: SocketAddr,
    pub(super) client: ClientId,
    pub(super) progress: Progress,
    /// Takes over the connection after its last response, if that switched protocols.
    pub(super) upgrade: OnceLock<Upgrade>,
}
