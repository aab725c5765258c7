//! The async runtimes that commands start.
//!
//! Each command starts at most one, and only when it has something to wait for.

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

/// A runtime on the calling thread, for commands that do one thing.
pub(crate) fn current_thread() -> anyhow::Result<Runtime> {
    start(&mut Builder::new_current_thread())
}

/// A runtime with one thread per core.
pub(crate) fn multi_thread() -> anyhow::Result<Runtime> {
    start(&mut Builder::new_multi_thread())
}

/// A runtime with this number of threads.
pub(crate) fn with_threads(threads: usize) -> anyhow::Result<Runtime> {
    start(Builder::new_multi_thread().worker_threads(threads))
}

fn start(builder: &mut Builder) -> anyhow::Result<Runtime> {
    builder.enable_all().build().context("cannot start the async runtime")
}
