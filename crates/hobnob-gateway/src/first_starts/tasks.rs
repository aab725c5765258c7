//! First starts under way: one task per server tries until the server's lists are known.
//!
//! A list waits for all first starts under way, a call only for the server it names. After a
//! failure or a timeout, nothing waits for that server again.

use crate::background::BackgroundTasks;
use crate::first_starts::policy::{FirstStart, FirstStarts};
use crate::first_starts::under_way::{StartsUnderWay, Waited};
use crate::servers::registry::ServerRegistry;
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::Urgency;
use crate::view::View;
use hobnob_mcp_engine::{Notes, Principal};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The first backoff before an unknown server is retried; it doubles. The server's own health may
/// require a longer wait.
const MIN_BACKOFF: Duration = Duration::from_millis(250);

/// The longest backoff: for a local program, and for a remote server.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
const MAX_REMOTE_BACKOFF: Duration = Duration::from_secs(15);

/// The first starts of all servers.
pub(crate) struct FirstStartTasks {
    servers: Arc<ServerRegistry>,
    policy: FirstStarts,
    /// The first starts that have not ended yet.
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

    /// Whether this process stays and keeps servers running.
    pub(crate) fn keeps_servers(&self) -> bool {
        self.policy.retries()
    }

    /// Whether this server's first start is under way, and whether lists wait for it: for the status.
    pub(crate) fn state(&self, upstream: &Upstream) -> Option<&'static str> {
        // An eager server that is known from earlier is started, too.
        let waited =
            self.under_way.get(upstream.name()).filter(|_| !upstream.lists.is_offered())?;
        Some(match waited {
            Waited::Yes => "awaited",
            Waited::No => "unawaited",
        })
    }

    /// Waits until no first start is under way. A server that failed counts as ended, though it is
    /// retried later.
    pub(crate) async fn ended(&self) {
        // `self` owns the sender, so `wait_for` cannot fail.
        drop(self.under_way.subscribe().wait_for(BTreeMap::is_empty).await);
    }

    /// Waits until a first start is under way.
    pub(crate) async fn begun(&self) {
        drop(self.under_way.subscribe().wait_for(|starts| !starts.is_empty()).await);
    }

    /// Starts every server that the policy `which` selects.
    pub(crate) fn start_all(self: &Arc<Self>, which: &FirstStarts) {
        self.start_each(self.servers.upstreams(), which);
    }

    /// Starts these new servers as far as the configured policy selects them.
    pub(crate) fn start_new(self: &Arc<Self>, upstreams: Vec<Arc<Upstream>>) {
        self.start_each(upstreams, &self.policy);
    }

    fn start_each(self: &Arc<Self>, mut upstreams: Vec<Arc<Upstream>>, which: &FirstStarts) {
        // Programs that are installed start before those that must be downloaded.
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

    /// Ends the wait for this server, unless another server of its name has taken its place.
    fn end(&self, upstream: &Arc<Upstream>) {
        self.servers.unless_replaced(upstream, || self.under_way.remove(upstream.name()));
    }

    /// Retries with exponential backoff until the server's lists are known. Failures are logged,
    /// counted and shown by `status`.
    async fn learn(&self, upstream: &Arc<Upstream>) {
        let is_program = upstream.configured().is_program();
        let max_backoff = if is_program { MAX_BACKOFF } else { MAX_REMOTE_BACKOFF };
        let mut backoff = MIN_BACKOFF;
        loop {
            let started = upstream.connection(&ConnectionKey::ours(), Urgency::Background).await;
            self.end(upstream);
            if let Ok(running) = started {
                if !upstream.lists.lacks_tools() {
                    upstream.end_if_reserved(&ConnectionKey::ours(), &running);
                    return;
                }
                // While the server runs, the task of its connection asks for its lists again.
                running.stop.cancelled().await;
            }
            let once = !self.policy.retries();
            if once || upstream.connections.is_retired() || !upstream.configured().is_startable() {
                return;
            }
            let ours = Principal::anonymous();
            if upstream.logins.needed(&ours).is_some() {
                upstream.logins.wait(&ours).await;
                continue;
            }
            let jitter = 1.0 + fastrand::f64() / 2.0;
            tokio::time::sleep(upstream.connections.start_in().max(backoff.mul_f64(jitter))).await;
            backoff = (backoff * 2).min(max_backoff);
            if !upstream.lists.lacks_tools() {
                return;
            }
        }
    }

    /// Waits until each of this view's servers whose first start is under way is known or has
    /// failed, but only up to a deadline: later lists are announced with `list_changed`.
    pub(crate) async fn wait(&self, view: &View, notes: &Notes) {
        if !self.under_way.any_awaited() {
            return;
        }
        let deadline = Instant::now() + self.servers.settings().gateway.first_list_wait;
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
                    // Their time is up: later lists do not wait for them again.
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
