//! A guard that counts a frame until it is written or dropped.
//!
//! A sender that limits how many of its frames wait makes one guard per frame; the queue and the
//! writer only keep it.

use std::fmt::Debug;
use std::sync::Arc;

/// Counts the frames that wait for their reader.
pub trait FrameCounter: Debug + Send + Sync {
    /// A frame of `bytes` bytes begins to wait.
    fn held(&self, bytes: usize);
    /// A frame of `bytes` bytes was written or dropped.
    fn taken(&self, bytes: usize);
}

/// Counts one frame until it is dropped.
#[derive(Debug)]
pub struct FrameHold {
    counter: Arc<dyn FrameCounter>,
    bytes: usize,
}

impl FrameHold {
    /// Starts to count a frame of `bytes` bytes.
    pub fn new(counter: Arc<dyn FrameCounter>, bytes: usize) -> Self {
        counter.held(bytes);
        Self { counter, bytes }
    }
}

impl Clone for FrameHold {
    /// A frame that waits in two queues counts twice.
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.counter), self.bytes)
    }
}

impl Drop for FrameHold {
    fn drop(&mut self) {
        self.counter.taken(self.bytes);
    }
}
