//! Connects to a server at a URL: over Streamable HTTP, or over HTTP+SSE to the oldest servers.
//!
//! The gateway and the builder connect here. If the handshake fails, the connection is closed
//! before the error is returned.

use crate::connect::{ConnectError, Connection};
use crate::greet::{GreetError, greet};
use crate::inbox::Inbox;
use crate::options::EraHint;
use crate::peer::message_sender::Wire;
use crate::remote::Remote;
use hobnob_mcp_http::client::{HttpCarrier, HttpClientLimits, HttpTarget, SseCarrier};
use hobnob_mcp_types::ErrorCode;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;

/// The address of a server, and the headers from the user's settings that go with every request.
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

/// Connects to a server over HTTP; falls back to HTTP+SSE if it has no Streamable HTTP.
pub async fn connect_http(
    mut connection: Connection,
    target: HttpTarget,
) -> Result<Arc<Remote>, ConnectError> {
    // If a person logs in during the handshake, that takes longer than a server would.
    let patience = target.authorizer().map(|it| it.patience()).unwrap_or_default();
    connection.options.timeouts.handshake += patience;
    let peer = connection.peer(Wire::Http);
    let inbox = Arc::new(Inbox(Arc::downgrade(&peer)));
    let limits = connection.http_limits();
    let carrier = HttpCarrier::new(target.clone(), limits, inbox, connection.tasks.clone())?;
    peer.sender.attach(carrier);
    match greet(&peer, &connection.options).await {
        Ok(hello) => Ok(connection.remote(peer, hello)),
        Err(error) if may_be_oldest(&error) => {
            peer.close();
            // If the fallback fails too, the first error is the better explanation.
            connect_sse(connection, target).await.map_err(|_| error.into())
        }
        Err(error) => {
            peer.close();
            Err(error.into())
        }
    }
}

/// Whether a server that answers like this may support HTTP+SSE only. Some servers explain in
/// JSON-RPC what others say with the HTTP status alone.
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

/// Connects to a server over HTTP+SSE, as in 2024-11-05.
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
        // No modern server uses this transport.
        connection.options.era = EraHint::Legacy;
    }
    connection.greet(peer).await
}

impl Connection {
    fn http_limits(&self) -> HttpClientLimits {
        HttpClientLimits { connect: self.options.timeouts.connect, ..HttpClientLimits::default() }
    }
}
