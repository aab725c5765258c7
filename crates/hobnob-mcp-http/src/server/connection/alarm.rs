//! The only timer of a connection: ends slow heads and idle connections. Polled by the connection
//! after hyper has nothing more to do.
//!
//! The timer is lazy. A head is timed exactly, but the idle timer is not reset after each request,
//! only checked when it fires; so an idle connection lives between once and twice the limit, and a
//! busy one never touches the timer wheel.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use super::progress::{Moment, Phase};
use crate::server::limits::HttpLimits;

/// The timer, and the moment it was armed for.
pub(super) struct Alarm {
    /// When the wait for the first byte of a request began; a TLS handshake counts.
    opened: Instant,
    head: Duration,
    idle: Duration,
    sleep: Pin<Box<Sleep>>,
    armed_for: Option<Moment>,
}

impl Alarm {
    pub(super) fn new(limits: &HttpLimits, opened: Instant) -> Self {
        Self {
            opened,
            head: limits.header_read,
            idle: limits.keep_alive_idle,
            sleep: Box::pin(sleep_until(opened + limits.header_read)),
            armed_for: None,
        }
    }

    /// Ready when the connection has stayed too long in its phase.
    pub(super) fn poll(&mut self, now: Moment, cx: &mut Context<'_>) -> Poll<Phase> {
        loop {
            let stale = self.armed_for != Some(now);
            let idling = self.armed_for.is_some_and(|moment| moment.phase == Phase::Idle);
            match now.phase {
                Phase::Fresh if stale => self.arm(now, self.opened + self.head, cx),
                Phase::Head if stale => self.arm(now, Instant::now() + self.head, cx),
                Phase::Idle if !idling => self.arm(now, Instant::now() + self.idle, cx),
                Phase::Fresh | Phase::Head | Phase::Idle | Phase::Busy => {}
            }
            if self.armed_for.is_none() || !self.sleep.is_elapsed() {
                return Poll::Pending;
            }
            if self.armed_for.take() == Some(now) {
                return Poll::Ready(now.phase);
            }
        }
    }

    fn arm(&mut self, now: Moment, until: Instant, cx: &mut Context<'_>) {
        self.armed_for = Some(now);
        self.sleep.as_mut().reset(until);
        // Polling registers the task's waker, which never changes, so once is enough. It must not
        // be skipped when the task's budget is used up, hence `unconstrained`.
        let _rang = Pin::new(&mut unconstrained(self.sleep.as_mut())).poll(cx);
    }
}
