//! `GET /ws`: a WebSocket that carries one JSON-RPC message in each text message.
//!
//! The guard has checked Host and Origin before. After the upgrade the connection is a byte pipe,
//! so MCP of both eras and other methods work on it. A client that accepts no bytes, or shows no
//! sign of life, is cut off.

mod farewell;
mod handshake;
mod reader;
mod stuck_writes;
mod writer;

use crate::server::answers;
use crate::server::client_stream::ClientStream;
use crate::server::endpoint::Endpoint;
use crate::server::reply::{RefusalReply, ReplyBody};
use crate::server::requester::Requester;
use crate::server::upgrade::Upgrade;
use crate::server::watched_events::{PresentedToken, WatchedToken};
use bytes::Bytes;
use farewell::Farewell;
use futures_util::StreamExt as _;
use hobnob_mcp_engine::{ClientId, Principal};
use hobnob_mcp_server::serve_link_for;
use hobnob_mcp_transport::{Link, Outbox, OutboxLimits};
use http::{HeaderMap, Response, StatusCode};
use std::sync::{Arc, OnceLock};
use stuck_writes::StuckWrites;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// The read buffer of every connection; longer messages take more for a while. The library zeroes
/// it before each read.
const READ_BUFFER: usize = 4 << 10;
/// How many bytes are gathered before they are written.
const WRITE_BUFFER: usize = 64 << 10;

/// Answers the request for a WebSocket; the connection becomes one after the response.
pub(crate) fn open(
    endpoint: &Arc<Endpoint>,
    headers: &HeaderMap,
    requester: &Requester<'_>,
    token: Option<PresentedToken<'_>>,
) -> Result<Response<ReplyBody>, RefusalReply> {
    // The messages on the connection are not checked one by one.
    requester.check_all()?;
    let Ok(permit) = Arc::clone(&endpoint.websockets).try_acquire_owned() else {
        return Err(Box::new(match endpoint.options.websockets {
            0 => answers::problem(StatusCode::NOT_FOUND, "WebSocket is not served here; use /mcp"),
            _ => answers::full(None, "too many WebSocket connections; try again later"),
        }));
    };
    let mut response = handshake::accept(headers)?;
    let endpoint = Arc::clone(endpoint);
    let token = token.map(PresentedToken::watch_for_all);
    let (principal, client) = (requester.principal(), requester.client);
    response.extensions_mut().insert(Upgrade::new(move |stream, first| {
        Box::pin(async move {
            let caller = SocketCaller { principal, client, token };
            converse(&endpoint, stream, first, caller).await;
            drop(permit);
        })
    }));
    Ok(response)
}

/// The principal and the client of the connection, and the token that authenticated them.
struct SocketCaller {
    principal: Principal,
    client: ClientId,
    token: Option<WatchedToken>,
}

/// Serves the connection until either side ends it, or its token ends.
async fn converse(endpoint: &Endpoint, stream: ClientStream, first: Bytes, caller: SocketCaller) {
    let SocketCaller { principal, client, token } = caller;
    let limits = &endpoint.options.limits;
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(usize::MAX)
        .max_message_size(Some(limits.body))
        .max_frame_size(Some(limits.body));
    let socket =
        WebSocketStream::from_partially_read(stream, first.into(), Role::Server, Some(config))
            .await;
    let (mut sink, mut source) = socket.split();
    let (farewell, writes) = (OnceLock::new(), StuckWrites::default());
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let (sender, lines) = mpsc::channel(Link::WAITING_READS);
    let link = Link { lines, outbox: Arc::clone(&outbox) };
    let keep_alive = endpoint.options.sessions.keep_alive;
    let reading = async {
        let why = tokio::select! {
            why = reader::read(&mut source, sender, &writes, keep_alive, limits.body) => why,
            () = until_ended(token) => Farewell::token_ended(),
        };
        // This is the only place that sets it.
        let _first = farewell.set(why);
        // No client is left to read further messages.
        outbox.close();
        std::future::pending::<()>().await;
    };
    let writing = async {
        let stall = limits.write_stall;
        writer::write(&mut sink, &outbox, &farewell, &writes, stall, keep_alive).await;
        outbox.close();
    };
    // When it ends it finishes the outbox, which ends the writing.
    let serving = serve_link_for(&endpoint.server, link, principal, client);
    tokio::select! {
        ((), ()) = async { tokio::join!(serving, writing) } => {}
        () = reading => {}
    }
    farewell::linger(sink, source).await;
}

/// Ready when the token has ended; never if there is no token.
async fn until_ended(token: Option<WatchedToken>) {
    match token {
        Some(token) => {
            let _how = token.ended().await;
        }
        None => std::future::pending().await,
    }
}
