//! The stream of one page: frames from the ring, a state where frames are missing, a comment when
//! nothing happens, and an end when the session or the hub ends.
//!
//! The connection polls it, and only while little waits to be written, so a slow page makes it
//! skip frames and holds up nothing else.

use super::frame_log::{NextFrame, event_block};
use super::page_events::{CountedStream, PageEvents, TooManyStreams};
use crate::hub_state::HubState;
use crate::session_life::SessionLife;
use bytes::Bytes;
use hobnob_mcp_http::EventSource;
use serde::Serialize;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// How long a stream is silent: proxies and pages take longer silence for a lost connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A comment of server-sent events.
const COMMENT: &[u8] = b": hobnob\n\n";

/// The stream of one page, from its first event to its last.
pub(crate) struct PageEventStream {
    /// `None` once the last event was sent.
    next: Option<Pin<Box<dyn Future<Output = Option<NextBlock>> + Send>>>,
}

/// A block of the stream, and the reader that gets the next one.
struct NextBlock(Bytes, StreamReader);

struct StreamReader {
    counted: CountedStream,
    session: Arc<SessionLife>,
    newest: watch::Receiver<u64>,
    place: Place,
}

/// How far a stream has read.
#[derive(Clone, Copy)]
enum Place {
    /// It needs a state first.
    Nowhere,
    /// It has read the frame with this id.
    After(u64),
    /// The last event was sent.
    Ended,
}

/// Why a stream ends.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum EndReason {
    Stopping,
    Session,
}

#[derive(Serialize)]
struct EndJson {
    reason: EndReason,
}

impl PageEventStream {
    /// A stream of the frames after the one with this id, or of a state and the frames after it.
    pub(crate) fn open(
        events: &Arc<PageEvents>,
        session: Arc<SessionLife>,
        after: Option<u64>,
    ) -> Result<Self, TooManyStreams> {
        let counted = events.count_stream()?;
        let newest = counted.0.newest.subscribe();
        let place = after.map_or(Place::Nowhere, Place::After);
        let reader = StreamReader { counted, session, newest, place };
        Ok(Self { next: Some(Box::pin(reader.read())) })
    }
}

impl EventSource for PageEventStream {
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        match ready!(next.as_mut().poll(cx)) {
            Some(NextBlock(block, reader)) => {
                self.next = Some(Box::pin(reader.read()));
                Poll::Ready(Some(block))
            }
            None => {
                self.next = None;
                Poll::Ready(None)
            }
        }
    }
}

impl StreamReader {
    async fn read(mut self) -> Option<NextBlock> {
        let block = self.next_block().await?;
        Some(NextBlock(block, self))
    }

    async fn next_block(&mut self) -> Option<Bytes> {
        loop {
            // What is published from here on wakes the wait below.
            self.newest.borrow_and_update();
            match (self.place, self.end_reason()) {
                (Place::Ended, _) => return None,
                (_, Some(reason)) => {
                    self.place = Place::Ended;
                    return end_block(&EndJson { reason });
                }
                (Place::Nowhere, None) => return self.state_block().await,
                (Place::After(id), None) => match self.events().after(id) {
                    NextFrame::Frame(id, block) => {
                        self.place = Place::After(id);
                        return Some(block);
                    }
                    NextFrame::Gone => return self.state_block().await,
                    NextFrame::UpToDate => {}
                },
            }
            tokio::select! {
                _ = self.newest.changed() => {}
                () = self.counted.0.stop.cancelled() => {}
                () = self.session.ended() => {}
                () = self.session.token_ended() => {}
                () = sleep(KEEP_ALIVE) => return Some(Bytes::from_static(COMMENT)),
            }
        }
    }

    fn events(&self) -> &PageEvents {
        &self.counted.0
    }

    fn end_reason(&self) -> Option<EndReason> {
        if self.events().stop.is_cancelled() {
            return Some(EndReason::Stopping);
        }
        // A session also ends by its age, which no event announces.
        (!self.session.is_open()).then_some(EndReason::Session)
    }

    /// The whole state; frames follow from there.
    async fn state_block(&mut self) -> Option<Bytes> {
        // The calls first: a status that is newer than they are does no harm.
        let calls = self.events().calls_now();
        let state = HubState::read(&self.events().source).await?;
        self.place = Place::After(calls.id);
        event_block(calls.id, "state", &state.with_calls(&calls.now))
    }
}

/// The last event. It has no id: there is nothing to resume after it.
fn end_block(end: &EndJson) -> Option<Bytes> {
    let data = serde_json::to_string(end).ok()?;
    Some(format!("event: end\ndata: {data}\n\n").into())
}
