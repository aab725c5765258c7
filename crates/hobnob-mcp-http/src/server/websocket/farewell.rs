//! Why a WebSocket ends, and the close frame that its client gets (RFC 6455, 7.4).
//!
//! A client that broke a rule learns which one, and a client that closes gets its close frame
//! before the connection ends.

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
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);

/// Why the reading ended.
#[derive(Debug)]
pub(super) enum Farewell {
    /// The client closed, and waits for a close frame.
    ClosedByClient,
    /// The client broke a rule, or is no longer allowed to continue.
    Refused(CloseFrame),
    /// The client is gone, so there is nothing to send.
    Gone,
}

impl Farewell {
    /// The client sent a message that is no text.
    pub(super) fn no_text() -> Self {
        refused(
            CloseCode::Unsupported,
            "only text messages are read here, one JSON-RPC message each",
        )
    }

    /// The token that opened the connection has ended.
    pub(super) fn token_ended() -> Self {
        refused(CloseCode::Policy, "the token has expired or was revoked; connect with another")
    }

    /// Translates an error of the library; `limit` is the largest message, in bytes.
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
    // A close frame has room for a reason of 123 bytes.
    let end = reason.floor_char_boundary(123);
    Farewell::Refused(CloseFrame { code, reason: reason[..end].into() })
}

/// Lets the client read the last bytes: dropping a connection with unread input resets it, which
/// destroys what the client has not read yet.
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
    // It makes no difference whether the client closes or just stays away.
    let _done = timeout(LINGER_TIMEOUT, ending).await;
}
