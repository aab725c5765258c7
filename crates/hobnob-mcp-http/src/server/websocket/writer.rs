//! Writes to a WebSocket: each frame of the outbox as one text message, and pings.
//!
//! Frames are held until they are written, so that their count includes what the client has not
//! taken yet.

use super::farewell::Farewell;
use super::stuck_writes::StuckWrites;
use crate::server::client_stream::ClientStream;
use futures_util::sink::SinkExt as _;
use futures_util::stream::SplitSink;
use hobnob_mcp_transport::{Frame, FrameKind, Outbox};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::time::{Instant, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame as WebSocketFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

/// How many bytes are written at once, at most, so that their frames are not held for long.
const MAX_GATHERED: usize = 64 << 10;

type Sink = SplitSink<WebSocketStream<ClientStream>, Message>;

/// Writes until the outbox ends, or the client takes nothing for `stall`. The close frame says why;
/// if the reader has set no reason, the server stops. `writes` informs the reader.
pub(super) async fn write(
    sink: &mut Sink,
    outbox: &Outbox,
    farewell: &OnceLock<Farewell>,
    writes: &StuckWrites,
    stall: Duration,
    keep_alive: Duration,
) {
    let mut pings = interval_at(Instant::now() + keep_alive, keep_alive);
    loop {
        let next = tokio::select! {
            frame = outbox.frame() => Next::of(frame),
            _ = pings.tick() => Next::Ping,
        };
        let is_end = matches!(next, Next::End);
        let writing = async {
            match next {
                Next::Frame(frame) => send_with_more(sink, frame, outbox).await,
                Next::Ping => sink.send(Message::Ping(Bytes::new())).await,
                Next::End => match farewell.get() {
                    None => sink.send(Message::Close(Some(going_away()))).await,
                    Some(Farewell::Refused(why)) => {
                        sink.send(Message::Close(Some(why.clone()))).await
                    }
                    Some(Farewell::ClosedByClient) => sink.close().await,
                    Some(Farewell::Gone) => Ok(()),
                },
            }
        };
        let begun = Instant::now();
        writes.begin();
        let written = timeout(stall, writing).await;
        writes.end(keep_alive <= begun.elapsed());
        match written {
            Ok(Ok(())) if !is_end => {}
            Ok(Ok(())) => return,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a WebSocket cannot be written to");
                return;
            }
            Err(_) => {
                tracing::debug!("a WebSocket's client takes nothing that is sent to it");
                return;
            }
        }
    }
}

/// What is written next.
enum Next {
    Frame(Frame),
    Ping,
    End,
}

impl Next {
    fn of(frame: Option<Frame>) -> Self {
        frame.map_or(Self::End, Self::Frame)
    }
}

/// Sends a frame, together with frames that wait behind it.
async fn send_with_more(sink: &mut Sink, first: Frame, outbox: &Outbox) -> Result<(), Error> {
    let mut held: Vec<Frame> = Vec::new();
    let (mut next, mut bytes) = (Some(first), 0);
    while let Some(mut frame) = next {
        bytes += frame.bytes.len();
        if let Some(message) = message(&mut frame) {
            sink.feed(message).await?;
        }
        held.push(frame);
        next = if bytes < MAX_GATHERED { outbox.try_frame() } else { None };
    }
    sink.flush().await
}

/// Turns a frame into a text message, taking its bytes; `None` for a pause.
fn message(frame: &mut Frame) -> Option<Message> {
    match frame.kind {
        FrameKind::Reply(_) | FrameKind::Ask | FrameKind::Note | FrameKind::Event => {
            // All of it is JSON that we wrote from text, so it needs no second UTF-8 check.
            let text = std::mem::take(&mut frame.bytes);
            let whole_message = true;
            Some(Message::Frame(WebSocketFrame::message(
                text,
                OpCode::Data(Data::Text),
                whole_message,
            )))
        }
        FrameKind::Pause(_) => None,
    }
}

fn going_away() -> CloseFrame {
    CloseFrame { code: CloseCode::Away, reason: Utf8Bytes::from_static("the server stops") }
}
