//! What counts a frame for as long as it waits for its reader, wherever that ends.
//!
//! A sender that bounds what waits makes one for each of its frames; the queue and the writer only
//! keep it.

use std::fmt::Debug;
use std::sync::Arc;

/// Told of frames that wait, and of those that no longer do.
pub trait FrameCounter: Debug + Send + Sync {
    /// A frame of so many bytes begins to wait.
    fn held(&self, bytes: usize);
    /// A frame of so many bytes was written or thrown away.
    fn taken(&self, bytes: usize);
}

/// Counts one frame until it is dropped.
#[derive(Debug)]
pub struct FrameHold {
    counter: Arc<dyn FrameCounter>,
    bytes: usize,
}

impl FrameHold {
    /// Begins to count a frame of so many bytes.
    pub fn new(counter: Arc<dyn FrameCounter>, bytes: usize) -> Self {
        counter.held(bytes);
        Self { counter, bytes }
    }
}

impl Clone for FrameHold {
    /// A frame that waits in two places counts twice.
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.counter), self.bytes)
    }
}

impl Drop for FrameHold {
    fn drop(&mut self) {
        self.counter.taken(self.bytes);
    }
}
