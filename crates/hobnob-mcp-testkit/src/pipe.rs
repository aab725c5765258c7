//! The writing half of a client's connection to an end in the same process.
//!
//! `connect` and `scripted` hand it to a client. A write never waits, and the bytes in transit are
//! bounded, as in a real pipe.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_transport::{Line, LineFramer, TryWrite};
use parking_lot::Mutex;
use std::io::{self, ErrorKind};
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

/// Passes on whole lines, in the groups in which they were written.
pub(crate) struct LineWriter {
    framer: Mutex<LineFramer>,
    lines: Sender<Vec<Line>>,
}

impl LineWriter {
    pub(crate) fn new(line_limit: usize, lines: Sender<Vec<Line>>) -> Self {
        Self { framer: Mutex::new(LineFramer::new(line_limit)), lines }
    }
}

impl TryWrite for LineWriter {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let place = self.lines.try_reserve().map_err(|error| match error {
            TrySendError::Full(()) => ErrorKind::WouldBlock,
            TrySendError::Closed(()) => ErrorKind::BrokenPipe,
        })?;
        let mut lines = Vec::new();
        self.framer.lock().push(bytes, &mut lines);
        if !lines.is_empty() {
            place.send(lines);
        }
        Ok(bytes.len())
    }

    fn writable(&self) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async {
            let room = self.lines.reserve().await;
            room.map(drop).map_err(|_| ErrorKind::BrokenPipe.into())
        })
    }
}
