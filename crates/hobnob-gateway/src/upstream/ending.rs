//! How connections of an upstream end: by themselves, when nobody uses them, with their client, or
//! with the upstream.
//!
//! The task of each connection and whoever calls over it come here. A connection is discarded once,
//! by whoever notices first; its task then closes it.

use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::slots::{ConnectionKey, Slot, UpstreamState};
use hobnob_mcp_engine::ClientId;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a connection must have been idle to make room for another.
const MIN_IDLE: Duration = Duration::from_secs(60);

/// Calls in a row without any answer in time that make a server count as hung.
const MAX_TIMEOUTS: u64 = 3;

/// How long calls on a connection that is replaced may still run, and how often that is checked.
const MAX_DRAIN: Duration = Duration::from_secs(60);
const DRAIN_POLL: Duration = Duration::from_millis(50);

impl Upstream {
    /// A connection is of no more use. Counted as a failure if it had never answered anything,
    /// or died by itself.
    pub(crate) fn discard(&self, key: &ConnectionKey, running: &Arc<Running>) {
        self.discard_locked(&mut self.state(), key, running);
    }

    pub(super) fn discard_locked(
        &self,
        state: &mut UpstreamState,
        key: &ConnectionKey,
        running: &Arc<Running>,
    ) {
        if !running.discard() {
            return;
        }
        if let Some(Slot::Up(current)) = state.slots.get(key)
            && Arc::ptr_eq(current, running)
        {
            state.slots.remove(key);
        }
        if !running.stop.is_cancelled() {
            let why = running.remote.ended_because();
            let why = why.unwrap_or_else(|| running.state.end_reason().into());
            let why = self.configured().conceal(&why);
            tracing::warn!(server = self.name(), %why, "the connection ended");
            state.health.failed(Instant::now(), &key.principal, &why, fastrand::f64());
        }
        running.stop.cancel();
    }

    /// Ends a connection if nobody has used it for that long; returns whether it was so.
    pub(crate) fn retire_idle(
        &self,
        key: &ConnectionKey,
        running: &Arc<Running>,
        max_idle: Duration,
    ) -> bool {
        let mut state = self.state();
        let idle = running.idle_for().is_some_and(|idle| idle >= max_idle);
        if idle {
            running.stop.cancel();
            self.discard_locked(&mut state, key, running);
        }
        idle
    }

    /// Ends a connection of ours to a server whose connections are each reserved for a client.
    pub(crate) fn end_if_reserved(&self, key: &ConnectionKey, running: &Arc<Running>) {
        if self.configured().is_isolated() {
            running.stop.cancel();
            self.discard(key, running);
        }
    }

    /// A client has gone, and with it the connection that was reserved for it.
    pub(crate) fn end_client(&self, client: ClientId) {
        if !self.is_isolated() {
            return;
        }
        let mut state = self.state();
        let is_its = |(key, slot): (&ConnectionKey, &Slot)| match slot {
            Slot::Up(running) if key.client == Some(client) => {
                Some((key.clone(), Arc::clone(running)))
            }
            _ => None,
        };
        let its: Vec<_> = state.slots.iter().filter_map(is_its).collect();
        for (key, running) in its {
            running.stop.cancel();
            self.discard_locked(&mut state, &key, &running);
        }
        // A start that comes to its end without a slot is stopped at once.
        state.slots.retain(|key, _| key.client != Some(client));
    }

    /// Tells the process of one client that the client's roots have changed.
    pub(crate) fn tell_roots_changed(&self, client: ClientId) {
        if !self.is_isolated() {
            return;
        }
        for (key, slot) in &self.state().slots {
            if let Slot::Up(running) = slot
                && key.client == Some(client)
            {
                running.remote.roots_changed();
            }
        }
    }

    /// Makes room for one more connection; returns whether there is some now.
    pub(super) fn end_longest_idle(&self, state: &mut UpstreamState) -> bool {
        let idle = |(key, slot): (&ConnectionKey, &Slot)| match slot {
            Slot::Up(running) => Some((running.idle_for()?, key.clone(), Arc::clone(running))),
            Slot::Starting(_) => None,
        };
        let longest = state.slots.iter().filter_map(idle).max_by_key(|(idle, ..)| *idle);
        let Some((idle, key, running)) = longest else { return false };
        if idle < MIN_IDLE {
            return false;
        }
        running.stop.cancel();
        self.discard_locked(state, &key, &running);
        true
    }

    /// A call was not answered in time. A server that answers nothing at all any more is given up.
    pub(crate) fn on_timeout(&self, key: &ConnectionKey, running: &Arc<Running>) {
        if running.record_timeout() >= MAX_TIMEOUTS {
            tracing::warn!(server = self.name(), "the server answers nothing any more; ending it");
            self.discard(key, running);
        }
    }

    /// Ends all connections and starts none any more.
    pub(crate) fn retire(&self) {
        let mut state = self.state();
        state.retired = true;
        for (_, slot) in state.slots.drain() {
            if let Slot::Up(running) = slot {
                running.discard();
                running.stop.cancel();
            }
        }
    }

    /// Ends all connections when the calls on them have ended, and starts none any more.
    pub(crate) fn retire_gently(&self) {
        let mut state = self.state();
        state.retired = true;
        for (_, slot) in state.slots.drain() {
            let Slot::Up(running) = slot else { continue };
            running.discard();
            self.context.tasks.tracker.spawn(async move {
                let idle = async {
                    while running.in_flight() > 0 || running.remote.parked() > 0 {
                        tokio::time::sleep(DRAIN_POLL).await;
                    }
                };
                let _late = tokio::time::timeout(MAX_DRAIN, idle).await;
                running.stop.cancel();
            });
        }
    }
}
