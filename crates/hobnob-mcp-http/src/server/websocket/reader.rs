//! Reads from a WebSocket: text messages become lines, anything else ends the connection.

use super::farewell::Farewell;
use super::stuck_writes::StuckWrites;
use crate::server::client_stream::ClientStream;
use futures_util::stream::{SplitStream, StreamExt as _};
use hobnob_mcp_transport::Line;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// How many ping intervals may pass without a message from the client.
const MISSED_PINGS: u32 = 3;

/// Passes messages on until the client is gone, is silent for too long, or breaks a rule; returns
/// why it ended. While a write to the client is stuck, so are its pings, and the writer decides.
pub(super) async fn read(
    source: &mut SplitStream<WebSocketStream<ClientStream>>,
    lines: mpsc::Sender<Vec<Line>>,
    writes: &StuckWrites,
    keep_alive: Duration,
    limit: usize,
) -> Farewell {
    loop {
        let message = match timeout(MISSED_PINGS * keep_alive, source.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "a WebSocket failed");
                return Farewell::of(&error, limit);
            }
            Ok(None) => return Farewell::Gone,
            Err(_) if writes.excuse_silence() => continue,
            Err(_) => {
                tracing::debug!("a WebSocket gives no sign of life");
                return Farewell::Gone;
            }
        };
        match message {
            // The server reads no more from a client that does not take its answers.
            Message::Text(text) => {
                if lines.send(vec![Line::Text(text.as_str().into())]).await.is_err() {
                    return Farewell::Gone;
                }
            }
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Close(_) => return Farewell::ClosedByClient,
            Message::Binary(_) | Message::Frame(_) => {
                tracing::debug!("a WebSocket sent a message that is no text");
                return Farewell::no_text();
            }
        }
    }
}
