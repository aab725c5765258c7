//! Learning what servers offer: first starts, retries until a catalogue is known, and who waits.
//!
//! A list waits for servers whose first start is under way, a call only for the server it names.
//! Whoever has failed, or was waited for in vain, is not waited for again.

use crate::gateway::{FirstStarts, Gateway};
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::Urgency;
use crate::view::View;
use hobnob_mcp_engine::Notes;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The first wait before an unknown server is tried again; it doubles. What the server's health
/// demands comes on top.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest such wait for a program of ours, and for a server that somebody else runs.
const MAX_PAUSE: Duration = Duration::from_secs(60);
const MAX_PAUSE_REMOTE: Duration = Duration::from_secs(15);

impl Gateway {
    /// Starts those of the servers there are that this says.
    pub fn start_servers(self: &Arc<Self>, which: &FirstStarts) {
        let mut upstreams: Vec<_> = self.config().upstreams.values().cloned().collect();
        upstreams.sort_by_key(|upstream| upstream.may_be_downloading());
        for upstream in upstreams {
            self.first_start(&upstream, which);
        }
    }

    /// Starts an upstream if it is one of these.
    pub(crate) fn first_start(self: &Arc<Self>, upstream: &Arc<Upstream>, which: &FirstStarts) {
        let configured = upstream.configured();
        let (unknown, lately) = (upstream.is_unknown(), upstream.failed_lately());
        let wanted = match which {
            FirstStarts::Unknown => unknown || configured.is_eager(),
            FirstStarts::UnknownOnce => unknown && !lately,
            FirstStarts::Only(names) => unknown && names.iter().any(|it| it == upstream.name()),
            FirstStarts::None => false,
        };
        if !wanted || !configured.is_startable() {
            return;
        }
        let asked_for = matches!(which, FirstStarts::Only(_));
        if unknown && (asked_for || !lately) {
            self.awaited.add(upstream.name());
        }
        let (gateway, upstream) = (Arc::clone(self), Arc::clone(upstream));
        self.tasks.spawn(async move {
            tokio::select! {
                () = gateway.stop.cancelled() => {}
                () = gateway.learn(&upstream) => {}
            }
            gateway.first_start_ended(&upstream);
        });
    }

    /// Nobody need wait for it any more; for another of its name, which took its place, they must.
    fn first_start_ended(&self, upstream: &Arc<Upstream>) {
        let config = self.config();
        let current = config.upstreams.get(upstream.name());
        if current.is_none_or(|current| Arc::ptr_eq(current, upstream)) {
            self.awaited.remove([upstream.name()]);
        }
    }

    /// Tries until it is known what the server offers, with growing pauses. What goes wrong is
    /// logged, counted and shown by `status`.
    async fn learn(&self, upstream: &Arc<Upstream>) {
        let is_program = upstream.configured().is_program();
        let longest = if is_program { MAX_PAUSE } else { MAX_PAUSE_REMOTE };
        let mut pause = FIRST_PAUSE;
        loop {
            let started = upstream.connection(&ConnectionKey::ours(), Urgency::Background).await;
            self.first_start_ended(upstream);
            if let Ok(running) = started {
                if !upstream.lacks_tools() {
                    upstream.end_if_reserved(&running);
                    return;
                }
                // As long as it runs, whoever minds it asks for its lists again.
                running.stop.cancelled().await;
            }
            let once = self.first_starts != FirstStarts::Unknown;
            if once || upstream.is_retired() || !upstream.configured().is_startable() {
                return;
            }
            let jitter = 1.0 + fastrand::f64() / 2.0;
            tokio::time::sleep(upstream.start_in().max(pause.mul_f64(jitter))).await;
            pause = (pause * 2).min(longest);
            if !upstream.lacks_tools() {
                return;
            }
        }
    }

    /// Waits until each server of this view whose first start is under way is known or has failed,
    /// but not for ever: what is missing comes with `list_changed`.
    pub(crate) async fn wait_for_first_starts(&self, view: &View, notes: &Notes) {
        if self.awaited.is_empty() {
            return;
        }
        let deadline = Instant::now() + self.config().settings.gateway.first_list_wait;
        let mut awaited = self.awaited.subscribe();
        let mut count = 0.0;
        loop {
            let mine: Vec<Arc<str>> = {
                let names = awaited.borrow_and_update();
                names.iter().filter(|name| view.includes_server(name)).cloned().collect()
            };
            if mine.is_empty() {
                return;
            }
            if notes.wants_progress() {
                count += 1.0;
                notes.progress(count, None, Some(&self.waiting_message(&mine)));
            }
            match tokio::time::timeout_at(deadline, awaited.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(_) => {
                    // They had their time: nobody waits for them again.
                    self.awaited.remove(mine.iter().map(|name| &**name));
                    return;
                }
            }
        }
    }

    fn waiting_message(&self, names: &[Arc<str>]) -> String {
        let config = self.config();
        let downloads = |name: &Arc<str>| {
            config.upstreams.get(name).is_some_and(|upstream| upstream.may_be_downloading())
        };
        let label = |name: &Arc<str>| match downloads(name) {
            true => format!("{name} (installing)"),
            false => name.to_string(),
        };
        format!("waiting for {}", names.iter().map(label).collect::<Vec<_>>().join(", "))
    }
}
