//! A busy machine, made on purpose: threads of this process that do nothing but count.
//!
//! They end with the stage, and with the process if that is killed.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Busy threads, until it is dropped.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts that many threads, each of which takes all of a processor that it can get.
    pub(crate) fn start(count: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..count).map(|_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    spin_loop();
                }
            })
        });
        Self { threads: threads.collect(), stop }
    }

    /// Starts one thread for each processor.
    pub(crate) fn on_every_processor() -> Self {
        Self::start(thread::available_parallelism().map_or(1, usize::from))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // They cannot panic, and there is nobody to tell.
            let _ = thread.join();
        }
    }
}
