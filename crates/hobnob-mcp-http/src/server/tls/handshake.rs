//! The TLS handshake of a connection.
//!
//! A connection calls it before HTTP begins, with the deadline of its first request, since a slow
//! handshake is as suspect as a slow request. A client that speaks HTTP without TLS gets a plain
//! response that says so.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsAcceptor;

use super::certificate::TlsCertificate;
use crate::server::client_stream::ClientStream;
use crate::server::linger::linger;
use crate::server::shutdown::Shutdown;

const NOT_ENCRYPTED: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    connection: close\r\n\
    content-type: text/plain\r\n\
    content-length: 69\r\n\
    \r\n\
    This port speaks TLS: use an address that begins with https or wss.\r\n";

/// The two kinds of connections: with TLS, or plain HTTP by mistake.
enum Opened {
    Encrypted(ClientStream),
    NotEncrypted(TcpStream),
}

/// The encrypted stream; `None` if the handshake fails, times out, or the server stops.
pub(crate) async fn handshake(
    certificate: &TlsCertificate,
    stream: TcpStream,
    address: SocketAddr,
    deadline: Instant,
    shutdown: &Shutdown,
) -> Option<ClientStream> {
    let mut stopped = pin!(shutdown.wake());
    stopped.as_mut().enable();
    if shutdown.has_begun() {
        return None;
    }
    let opened = tokio::select! {
        opened = timeout_at(deadline, open(certificate, stream)) => opened,
        () = stopped => return None,
    };
    match opened {
        Ok(Ok(Opened::Encrypted(stream))) => Some(stream),
        Ok(Ok(Opened::NotEncrypted(stream))) => {
            tracing::debug!(%address, "a request without TLS");
            linger(ClientStream::Plain(stream), NOT_ENCRYPTED).await;
            None
        }
        Ok(Err(error)) => {
            tracing::debug!(%address, %error, "TLS handshake failed");
            None
        }
        Err(_) => {
            tracing::debug!(%address, "TLS handshake took too long");
            None
        }
    }
}

async fn open(certificate: &TlsCertificate, stream: TcpStream) -> io::Result<Opened> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    // The first byte of a TLS handshake is 22; an HTTP method begins with a letter.
    if first[0].is_ascii_alphabetic() {
        return Ok(Opened::NotEncrypted(stream));
    }
    let stream = TlsAcceptor::from(certificate.config()).accept(stream).await?;
    Ok(Opened::Encrypted(ClientStream::Encrypted(Box::new(stream))))
}

#[cfg(test)]
mod tests {
    use super::NOT_ENCRYPTED;

    #[test]
    fn the_announced_length_is_the_length() {
        let text = std::str::from_utf8(NOT_ENCRYPTED).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{}", body.len());
    }
}
