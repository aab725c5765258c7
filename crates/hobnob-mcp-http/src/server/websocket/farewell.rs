//! Why a WebSocket ends, and what its client is told (RFC 6455, 7.4).
//!
//! A client that broke a rule learns which one, and one that closes gets its answer before the
//! connection goes.

use crate::server::client_stream::ClientStream;
use futures_util::stream::{SplitSink, SplitStream};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long a client may take to read why the connection ends.
const LINGER: Duration = Duration::from_secs(1);

/// Why the reading ended.
#[derive(Debug)]
pub(super) enum Farewell {
    /// The client closed, and waits for the answer to that.
    ClosedByClient,
    /// The client did what it may not do, or may no longer do anything.
    Refused(CloseFrame),
    /// Nobody is there to be told anything.
    Gone,
}

impl Farewell {
    /// A message that is no text.
    pub(super) fn no_text() -> Self {
        refused(
            CloseCode::Unsupported,
            "only text messages are read here, one JSON-RPC message each",
        )
    }

    /// The token that opened it no longer counts.
    pub(super) fn token_ended() -> Self {
        refused(CloseCode::Policy, "the token has expired or was revoked; connect with another")
    }

    /// What a failure of the library means to the client; messages may have so many bytes.
    pub(super) fn of(error: &Error, limit: usize) -> Self {
        match error {
            Error::Capacity(_) => {
                refused(CloseCode::Size, &format!("a message has at most {limit} bytes here"))
            }
            Error::Utf8(_) => refused(CloseCode::Invalid, "a text message must be UTF-8"),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Self::Gone,
            Error::Protocol(error) => refused(CloseCode::Protocol, &error.to_string()),
            _ => Self::Gone,
        }
    }
}

fn refused(code: CloseCode, reason: &str) -> Farewell {
    // A close frame has room for 123 bytes of reason.
    let end = reason.floor_char_boundary(123);
    Farewell::Refused(CloseFrame { code, reason: reason[..end].into() })
}

/// Lets the client read what was written last: a connection that is dropped while something in it is
/// unread takes along what the other side has not read yet.
pub(super) async fn linger(
    sink: SplitSink<WebSocketStream<ClientStream>, Message>,
    source: SplitStream<WebSocketStream<ClientStream>>,
) {
    let Ok(mut socket) = sink.reunite(source) else { return };
    let stream = socket.get_mut();
    let ending = async {
        stream.shutdown().await?;
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? != 0 {}
        std::io::Result::Ok(())
    };
    // Whether the client closes or just stays away makes no difference any more.
    let _done = timeout(LINGER, ending).await;
}
