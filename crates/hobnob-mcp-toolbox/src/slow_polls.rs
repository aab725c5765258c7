//! Detects handlers that block their thread, and names them in the log.
//!
//! The futures of handlers are polled through here. Reading the clock costs more than everything
//! else, so only the first calls of each handler are measured and then one in sixteen: a blocking
//! handler blocks again and again. Each is named once.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// How long a single poll of a handler may take.
const MAX_POLL: Duration = Duration::from_millis(100);
/// The first calls are all measured up to this number, and later ones at this interval.
const INTERVAL: u32 = 16;
/// A value of the counter: the handler was named and is no longer measured.
const NAMED: u32 = u32::MAX;

/// Counts the calls of one handler to decide which are measured.
#[derive(Debug, Default)]
pub(crate) struct SlowPolls(AtomicU32);

impl SlowPolls {
    /// Wraps the future, and measures it if its turn has come. The log names it `name`.
    pub(crate) fn watch<'a, F>(&'a self, name: &'a str, work: F) -> Measured<'a, F> {
        // Two threads may read the same number: then one call too many is measured.
        let number = self.0.load(Ordering::Relaxed);
        let is_measured = if number == NAMED {
            false
        } else {
            self.0.store((number + 1) & (NAMED >> 1), Ordering::Relaxed);
            number < INTERVAL || number.is_multiple_of(INTERVAL)
        };
        Measured { work, measured: is_measured.then_some((self, name)) }
    }

    fn report(&self, handler: &str, took: Duration) {
        if self.0.swap(NAMED, Ordering::Relaxed) != NAMED {
            let milliseconds = took.as_millis();
            tracing::warn!(
                handler,
                milliseconds,
                "a handler blocked its thread, which other calls need too: let it await, use \
                 `blocking_tool`, or move the work to `tokio::task::spawn_blocking`"
            );
        }
    }
}

/// The future of a handler, possibly measured.
pub(crate) struct Measured<'a, F> {
    work: F,
    measured: Option<(&'a SlowPolls, &'a str)>,
}

impl<F: Future + Unpin> Future for Measured<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some((polls, name)) = self.measured else {
            return Pin::new(&mut self.work).poll(context);
        };
        let began = Instant::now();
        let polled = Pin::new(&mut self.work).poll(context);
        let took = began.elapsed();
        if took > MAX_POLL {
            polls.report(name, took);
        }
        polled
    }
}
