//! How connections of an upstream end: by themselves, when idle, with their client, or with the
//! upstream.
//!
//! The task of each connection comes here, and so do the calls over it. A connection is discarded
//! once, by the first to notice; its task then closes it.

use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::slots::{ConnectionKey, Slot, UpstreamState};
use hobnob_mcp_engine::ClientId;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a connection must have been idle before it may make room for another one.
const MIN_IDLE: Duration = Duration::from_secs(60);

/// A server counts as hung after this many timeouts in a row.
const MAX_TIMEOUTS: u64 = 3;

/// How long calls on a replaced connection may still run, and how often that is checked.
const MAX_DRAIN: Duration = Duration::from_secs(60);
const DRAIN_POLL: Duration = Duration::from_millis(50);

impl Upstream {
    /// Removes a connection that is of no more use. That counts as a failure of the server unless
    /// the gateway itself is ending the connection.
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

    /// Ends a connection that has been idle for `max_idle`; returns whether it did.
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

    /// Ends the gateway's own connection to a server with one connection per client.
    pub(crate) fn end_if_reserved(&self, key: &ConnectionKey, running: &Arc<Running>) {
        if self.configured().is_isolated() {
            running.stop.cancel();
            self.discard(key, running);
        }
    }

    /// Ends the connection of a client that has gone, if it had its own.
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
        // A start that finishes without its slot is stopped at once.
        state.slots.retain(|key, _| key.client != Some(client));
    }

    /// Notifies the process of one client that the client's roots have changed.
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

    /// Ends the connection that is idle longest; returns whether that made room.
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

    /// Records a timeout. A server that no longer answers at all is given up.
    pub(crate) fn on_timeout(&self, key: &ConnectionKey, running: &Arc<Running>) {
        if running.record_timeout() >= MAX_TIMEOUTS {
            tracing::warn!(server = self.name(), "the server answers nothing any more; ending it");
            self.discard(key, running);
        }
    }

    /// Ends all connections and prevents new ones.
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

    /// Ends all connections once their calls have finished, and prevents new ones.
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
