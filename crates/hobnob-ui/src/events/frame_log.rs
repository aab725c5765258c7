//! The last frames of the event stream, so that a page resumes where it stopped reading.
//!
//! All streams read the same ring and keep only their place in it, so none has a queue that could
//! grow. What must stay true: ids grow, also from one process to the next, and the ring is bounded
//! in number and bytes.

use bytes::Bytes;
use serde::Serialize;
use std::collections::VecDeque;

/// How many frames are kept: about a minute and a half at full speed.
pub(crate) const MAX_FRAMES: usize = 1_000;

/// How many bytes of frames are kept for the owner.
pub(crate) const MAX_BYTES: usize = 4 << 20;

/// The ring of frames.
pub(crate) struct FrameLog {
    frames: VecDeque<EventFrame>,
    bytes: usize,
    max_bytes: usize,
    last: u64,
}

struct EventFrame {
    id: u64,
    block: Bytes,
}

/// What a reader of the ring gets next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextFrame {
    /// The next frame, and its id.
    Frame(u64, Bytes),
    /// It has read everything.
    UpToDate,
    /// What it would read next is gone or never existed.
    Gone,
}

impl FrameLog {
    /// An empty ring for this many bytes, whose first frame gets an id after `last`.
    pub(crate) fn new(last: u64, max_bytes: usize) -> Self {
        Self { frames: VecDeque::new(), bytes: 0, max_bytes, last }
    }

    /// The id of the newest frame.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Adds a frame. A frame that cannot be written as JSON leaves a gap, so that all readers begin
    /// anew.
    pub(crate) fn push(&mut self, event: &str, data: &impl Serialize) {
        self.last += 1;
        let Some(block) = event_block(self.last, event, data) else {
            tracing::error!(event, "an event cannot be written as JSON");
            return self.forget();
        };
        self.bytes += block.len();
        self.frames.push_back(EventFrame { id: self.last, block });
        while MAX_FRAMES < self.frames.len() || self.max_bytes < self.bytes {
            let Some(oldest) = self.frames.pop_front() else { break };
            self.bytes -= oldest.block.len();
        }
    }

    /// Drops all frames. A reader that had read all of them has missed something since.
    pub(crate) fn forget(&mut self) {
        self.frames.clear();
        self.bytes = 0;
        self.last += 1;
    }

    /// The frame after this one.
    pub(crate) fn after(&self, id: u64) -> NextFrame {
        if id == self.last {
            return NextFrame::UpToDate;
        }
        let first = self.frames.front().map(|frame| frame.id);
        // The ids of the ring have no gaps, since a gap empties it.
        let place = first.and_then(|first| id.checked_add(1)?.checked_sub(first));
        let frame = place.and_then(|place| self.frames.get(usize::try_from(place).ok()?));
        frame.map_or(NextFrame::Gone, |frame| NextFrame::Frame(frame.id, frame.block.clone()))
    }
}

/// One server-sent event. JSON text has no line breaks, so it is one line of data.
pub(crate) fn event_block(id: u64, event: &str, data: &impl Serialize) -> Option<Bytes> {
    let data = serde_json::to_string(data).ok()?;
    Some(format!("id: {id}\nevent: {event}\ndata: {data}\n\n").into())
}

#[cfg(test)]
mod tests;
