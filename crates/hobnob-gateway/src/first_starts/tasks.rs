//! First starts under way: each is a task that tries until it is known what its server offers.
//!
//! A list waits for servers whose first start is under way, a call only for the server it names.
//! Whoever has failed, or was waited for in vain, is not waited for again.

use crate::background::BackgroundTasks;
use crate::first_starts::policy::{FirstStart, FirstStarts};
use crate::first_starts::under_way::{StartsUnderWay, Waited};
use crate::servers::registry::ServerRegistry;
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::Urgency;
use crate::view::View;
use hobnob_mcp_engine::Notes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The first wait before an unknown server is tried again; it doubles. What the server's health
/// demands comes on top.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest such wait for a program of ours, and for a server that somebody else runs.
const MAX_PAUSE: Duration = Duration::from_secs(60);
const MAX_PAUSE_REMOTE: Duration = Duration::from_secs(15);

/// The first starts of all servers.
pub(crate) struct FirstStartTasks {
    servers: Arc<ServerRegistry>,
    policy: FirstStarts,
    /// First starts that have not come to an end yet.
    under_way: StartsUnderWay,
    tasks: BackgroundTasks,
}

impl FirstStartTasks {
    pub(crate) fn new(
        servers: Arc<ServerRegistry>,
        policy: FirstStarts,
        tasks: BackgroundTasks,
    ) -> Arc<Self> {
        Arc::new(Self { servers, policy, under_way: StartsUnderWay::default(), tasks })
    }

    /// Whether somebody stays who keeps servers running.
    pub(crate) fn keeps_servers(&self) -> bool {
        self.policy.retries()
    }

    /// Whether lists wait for this server.
    pub(crate) fn is_awaited(&self, server: &str) -> bool {
        self.under_way.is_awaited(server)
    }

    /// Waits until no first start is under way. A server that failed is tried again later; that does
    /// not count.
    pub(crate) async fn ended(&self) {
        // The sender is ours, so it cannot be gone.
        drop(self.under_way.subscribe().wait_for(BTreeMap::is_empty).await);
    }

    /// Waits until one is.
    pub(crate) async fn begun(&self) {
        drop(self.under_way.subscribe().wait_for(|starts| !starts.is_empty()).await);
    }

    /// Starts those of all servers that this says.
    pub(crate) fn start_all(self: &Arc<Self>, which: &FirstStarts) {
        self.start_each(self.servers.upstreams(), which);
    }

    /// Starts those of these new servers that are started without being asked for.
    pub(crate) fn start_new(self: &Arc<Self>, upstreams: Vec<Arc<Upstream>>) {
        self.start_each(upstreams, &self.policy);
    }

    fn start_each(self: &Arc<Self>, mut upstreams: Vec<Arc<Upstream>>, which: &FirstStarts) {
        // What is at hand goes before what has to be downloaded.
        upstreams.sort_by_key(|upstream| upstream.may_be_downloading());
        for upstream in upstreams {
            self.start(upstream, which);
        }
    }

    fn start(self: &Arc<Self>, upstream: Arc<Upstream>, which: &FirstStarts) {
        match which.decide(&upstream) {
            FirstStart::None => return,
            FirstStart::Awaited => self.under_way.add(upstream.name(), Waited::Yes),
            FirstStart::InBackground => self.under_way.add(upstream.name(), Waited::No),
        }
        let this = Arc::clone(self);
        self.tasks.tracker.spawn(async move {
            tokio::select! {
                () = this.tasks.stop.cancelled() => {}
                () = this.learn(&upstream) => {}
            }
            this.end(&upstream);
        });
    }

    /// Nobody need wait for it any more; for another of its name, which took its place, they must.
    fn end(&self, upstream: &Arc<Upstream>) {
        self.servers.unless_replaced(upstream, || self.under_way.remove(upstream.name()));
    }

    /// Tries until it is known what the server offers, with growing pauses. What goes wrong is
    /// logged, counted and shown by `status`.
    async fn learn(&self, upstream: &Arc<Upstream>) {
        let is_program = upstream.configured().is_program();
        let longest = if is_program { MAX_PAUSE } else { MAX_PAUSE_REMOTE };
        let mut pause = FIRST_PAUSE;
        loop {
            let started = upstream.connection(&ConnectionKey::ours(), Urgency::Background).await;
            self.end(upstream);
            if let Ok(running) = started {
                if !upstream.lacks_tools() {
                    upstream.end_if_reserved(&ConnectionKey::ours(), &running);
                    return;
                }
                // As long as it runs, the task of its connection asks for its lists again.
                running.stop.cancelled().await;
            }
            let once = !self.policy.retries();
            if once || upstream.is_retired() || !upstream.configured().is_startable() {
                return;
            }
            if upstream.login_needed(&ConnectionKey::ours()).is_some() {
                upstream.wait_for_login().await;
                continue;
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
    pub(crate) async fn wait(&self, view: &View, notes: &Notes) {
        if !self.under_way.any_awaited() {
            return;
        }
        let deadline = Instant::now() + self.servers.first_list_wait();
        let mut under_way = self.under_way.subscribe();
        let mut count = 0.0;
        loop {
            let mine: Vec<Arc<str>> = {
                let starts = under_way.borrow_and_update();
                let awaited = starts.iter().filter(|(_, waited)| **waited == Waited::Yes);
                awaited
                    .map(|(name, _)| name)
                    .filter(|name| view.includes_server(name))
                    .cloned()
                    .collect()
            };
            if mine.is_empty() {
                return;
            }
            if notes.wants_progress() {
                count += 1.0;
                notes.progress(count, None, Some(&self.waiting_message(&mine)));
            }
            match tokio::time::timeout_at(deadline, under_way.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(_) => {
                    // They had their time: nobody waits for them again.
                    self.under_way.give_up(&mine);
                    return;
                }
            }
        }
    }

    fn waiting_message(&self, names: &[Arc<str>]) -> String {
        let upstreams = self.servers.upstreams();
        let downloads =
            |name: &str| upstreams.iter().any(|it| it.name() == name && it.may_be_downloading());
        let label = |name: &Arc<str>| match downloads(name) {
            true => format!("{name} (installing)"),
            false => name.to_string(),
        };
        format!("waiting for {}", names.iter().map(label).collect::<Vec<_>>().join(", "))
    }
}
