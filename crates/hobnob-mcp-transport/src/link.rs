//! A connection as the serve loop sees it. [`crate::memory_link`] and [`crate::link_over`] make
//! one; the server crate serves it. The bytes that wait on either side are bounded.

use crate::framing::Line;
use crate::outbox::Outbox;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Lines that came in, and where answers go. Closing the sender of `lines` is the end of input.
#[derive(Debug)]
pub struct Link {
    /// Lines, in the groups they were read in.
    pub lines: mpsc::Receiver<Vec<Line>>,
    /// Frames to go out.
    pub outbox: Arc<Outbox>,
}

impl Link {
    /// How many groups of lines may wait. A group is what one read gave, so that the bytes that
    /// wait are bounded by two reads and the longest line.
    pub const WAITING_READS: usize = 2;
}
