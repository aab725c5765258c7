//! A [`Link`] whose other end is in the same process. The transcript tests talk through it, with
//! the same framing and the same queue as on a pipe.

use crate::framing::{Line, LineFramer};
use crate::link::Link;
use crate::outbox::{Frame, Outbox, OutboxLimits};
use std::sync::Arc;
use tokio::sync::mpsc;

/// The other end of a link in memory.
#[derive(Debug)]
pub struct MemoryPeer {
    framer: LineFramer,
    lines: Option<mpsc::Sender<Vec<Line>>>,
    outbox: Arc<Outbox>,
}

/// A connected pair: the link for the serve loop, and the end that a test drives.
pub fn memory_link(line_limit: usize) -> (Link, MemoryPeer) {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let (sender, lines) = mpsc::channel(Link::WAITING_READS);
    let framer = LineFramer::new(line_limit);
    let link = Link { lines, outbox: Arc::clone(&outbox) };
    (link, MemoryPeer { framer, lines: Some(sender), outbox })
}

impl MemoryPeer {
    /// Sends bytes as one read would deliver them, whole lines or not.
    pub async fn send(&mut self, bytes: &[u8]) {
        let mut lines = Vec::new();
        self.framer.push(bytes, &mut lines);
        self.deliver(lines).await;
    }

    /// Ends the input; a last line without a line end still counts.
    pub async fn end(&mut self) {
        let mut lines = Vec::new();
        self.framer.finish(&mut lines);
        self.deliver(lines).await;
        self.lines = None;
    }

    /// The next message from the other side; `None` when it has closed.
    pub async fn receive(&self) -> Option<Frame> {
        self.outbox.frame().await
    }

    async fn deliver(&self, lines: Vec<Line>) {
        if let (Some(sender), false) = (&self.lines, lines.is_empty()) {
            drop(sender.send(lines).await);
        }
    }
}
