//! One client connection, from its first byte to its close. Spawned by the accept loop. Hyper
//! speaks HTTP; this file adds the deadlines that hyper lacks, graceful shutdown, and a close that
//! does not destroy the last response.
//!
//! What must stay true: a request on a warm connection arms no timer and allocates nothing here.

mod alarm;
mod context;
mod progress;
mod socket;
mod tracked;

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use hobnob_mcp_engine::ClientId;
use http::header::STRICT_TRANSPORT_SECURITY;
use http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::unconstrained;
use tokio::time::Instant;

use crate::server::client_stream::ClientStream;
use crate::server::guard::names_this_machine;
use crate::server::handler::Handler;
use crate::server::linger::linger;
use crate::server::tls::handshake;
use crate::server::upgrade::Upgrade;
use alarm::Alarm;
use context::ClientConnection;
use progress::{Phase, Progress};
use socket::Socket;
use tracked::TrackedBody;

pub(crate) use context::ListenerContext;

const TOO_SLOW: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Why a connection is over.
enum Ending {
    Closed(hyper::Result<()>),
    Overdue(Phase),
}

/// Serves one connection until either side ends it.
pub(crate) async fn converse<H: Handler>(
    stream: TcpStream,
    address: SocketAddr,
    context: Arc<ListenerContext<H>>,
) {
    let opened = Instant::now();
    let stream = match &context.tls {
        None => ClientStream::Plain(stream),
        Some(certificate) => {
            let deadline = opened + context.limits.header_read;
            let shutdown = &context.shutdown;
            match Box::pin(handshake(certificate, stream, address, deadline, shutdown)).await {
                Some(stream) => stream,
                None => return,
            }
        }
    };
    let client = ClientId::next_at(address.ip());
    let (progress, upgrade) = (Progress::default(), OnceLock::new());
    let peer = Arc::new(ClientConnection { context, address, client, progress, upgrade });
    let requests = Arc::clone(&peer);
    let service = service_fn(move |request| {
        requests.progress.request_begins();
        answer(Arc::clone(&requests), request)
    });
    let socket = TokioIo::new(Socket::new(stream, Arc::clone(&peer)));
    let mut connection = peer.context.http1.serve_connection(socket, service);

    let shutdown = &peer.context.shutdown;
    let mut wake = pin!(unconstrained(shutdown.wake()));
    let mut alarm = Alarm::new(&peer.context.limits, opened);
    let (mut listens, mut asked_to_stop) = (false, false);
    let ending = poll_fn(|cx| {
        // The waker of a task never changes, so registering it once is enough.
        if !listens {
            listens = true;
            let _not_yet = wake.as_mut().poll(cx);
        }
        if !asked_to_stop && shutdown.has_begun() {
            asked_to_stop = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        match Pin::new(&mut connection).poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(Ending::Closed(outcome)),
            Poll::Pending => alarm.poll(peer.progress.now(), cx).map(Ending::Overdue),
        }
    })
    .await;
    drop(alarm);
    let parts = connection.into_parts();
    let stream = parts.io.into_inner().into_stream();
    if let (Ending::Closed(Ok(())), Some(upgrade)) = (&ending, peer.upgrade.get()) {
        return Box::pin(upgrade.run(stream, parts.read_buf)).await;
    }
    if let Some(last_word) = last_word(&ending, &peer, &stream) {
        // This is rare, so it is boxed to keep the task of every connection small.
        Box::pin(linger(stream, last_word)).await;
    }
}

async fn answer<H: Handler>(
    peer: Arc<ClientConnection<H>>,
    request: Request<Incoming>,
) -> Result<Response<TrackedBody<H>>, Infallible> {
    // Browsers apply HSTS to all ports of a host, so on `localhost` it would break other programs.
    let wants_tls_always = peer.context.tls.is_some() && !names_this_machine(request.headers());
    let mut response = peer.context.handler.handle(request, peer.client).await;
    if wants_tls_always {
        let year = HeaderValue::from_static("max-age=31536000");
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, year);
    }
    if let Some(upgrade) = response.extensions_mut().remove::<Upgrade>() {
        let _only_once = peer.upgrade.set(upgrade);
    }
    if response.status().is_client_error() {
        peer.progress.request_refused();
    }
    Ok(response.map(|body| TrackedBody::new(body, peer)))
}

/// Logs the end of a connection. Returns the last bytes to send if the client may still be sending
/// unread data, or must be told about the end.
fn last_word<H>(
    ending: &Ending,
    peer: &ClientConnection<H>,
    stream: &ClientStream,
) -> Option<&'static [u8]> {
    const NOTHING: &[u8] = b"";
    let address = peer.address;
    match ending {
        Ending::Closed(Ok(())) => peer.progress.was_refused().then_some(NOTHING),
        Ending::Closed(Err(error)) => {
            tracing::debug!(%address, error = error as &dyn std::error::Error, "connection failed");
            (error.is_parse() || peer.progress.was_refused()).then_some(NOTHING)
        }
        Ending::Overdue(Phase::Head) => {
            tracing::debug!(%address, "request head took too long");
            // No response is being written.
            Some(TOO_SLOW)
        }
        Ending::Overdue(Phase::Fresh | Phase::Idle | Phase::Busy) => {
            tracing::debug!(%address, "connection was idle for too long");
            // An encrypted stream without a proper end looks truncated by an attacker.
            matches!(stream, ClientStream::Encrypted(_)).then_some(NOTHING)
        }
    }
}
