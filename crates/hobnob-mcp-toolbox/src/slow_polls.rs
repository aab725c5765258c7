//! Finds handlers that block the thread of everybody else, and names them in the log.
//!
//! The futures of handlers are polled through here. Reading the clock costs more than the rest, so
//! only the first calls of each handler are measured, and one of sixteen after that: a handler that
//! blocks does so again and again. Each one is named once.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// How long a handler may keep its thread before it has to wait for something.
const MAX_POLL: Duration = Duration::from_millis(100);
/// Every call is measured up to this one, and afterwards each whose number it divides.
const INTERVAL: u32 = 16;
/// Instead of a number: the handler was named, and is not measured any more.
const NAMED: u32 = u32::MAX;

/// Which calls of one handler are measured.
#[derive(Debug, Default)]
pub(crate) struct SlowPolls(AtomicU32);

impl SlowPolls {
    /// The same future, measured if it is its turn. `name` says in the log whose it is.
    pub(crate) fn watch<'a, F>(&'a self, name: &'a str, work: F) -> Measured<'a, F> {
        // Two calls may take the same number: that measures one too many.
        let number = self.0.load(Ordering::Relaxed);
        let is_measured = if number == NAMED {
            false
        } else {
            self.0.store((number + 1) & (NAMED >> 1), Ordering::Relaxed);
            number < INTERVAL || number.is_multiple_of(INTERVAL)
        };
        Measured { work, measured: is_measured.then_some((self, name)) }
    }

    fn name(&self, handler: &str, took: Duration) {
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

/// The future of a handler.
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
            polls.name(name, took);
        }
        polled
    }
}
