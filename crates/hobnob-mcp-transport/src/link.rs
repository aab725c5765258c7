//! A connection as the serve loop sees it. [`crate::memory_link`], [`crate::link_over`] and the
//! WebSocket of the HTTP crate make one; the server crate serves it.
//!
//! The channel bounds the lines that wait; the serve loop bounds the answers that wait, because it
//! stops reading while there are too many.

use crate::framing::Line;
use crate::outbox::Outbox;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Incoming lines, and the queue for frames. Dropping the sender of `lines` ends the input.
#[derive(Debug)]
pub struct Link {
    /// Lines, in the groups in which they were read.
    pub lines: mpsc::Receiver<Vec<Line>>,
    /// The queue of frames to send.
    pub outbox: Arc<Outbox>,
}

impl Link {
    /// How many groups of lines may wait. A group holds the lines of one read, so the waiting bytes
    /// are bounded by two reads and the longest line.
    pub const WAITING_READS: usize = 2;
}
