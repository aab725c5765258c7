//! Keeps upstreams in step with what clients watch: subscribes where the server can report changes,
//! polls where it cannot, and starts watched servers that are not running.
//!
//! It runs as one task. All changes of watched resources, servers and snapshots notify `Watches`.

use crate::background::BackgroundTasks;
use crate::catalog::{ListKind, ResourceTarget};
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::Urgency;
use crate::uris::PublicUris;
use crate::view::View;
use crate::view::open_views::OpenViews;
use crate::watch::pace::Proof;
use crate::watch::poll_task::{PollAudience, PollTask};
use crate::watch::polled::{Candidate, StartedPoll};
use crate::watch::poller::Poller;
use crate::watch::polls::PollOwner;
use crate::watch::watches::Watches;
use hobnob_mcp_engine::{Interest, InterestSink};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::object;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// The most subscriptions at one server.
const MAX_WATCHED: usize = 4096;

/// The shortest time between two updates, since many subscriptions arrive together.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(50);

/// How soon a server that could not be started for its watchers is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Records what one view's clients watch; the view holds it.
struct WatchedResources {
    watches: Arc<Watches>,
    view: Weak<View>,
}

impl InterestSink for WatchedResources {
    fn interest(&self, uri: &str, interest: Interest) {
        let Some(view) = self.view.upgrade() else { return };
        {
            let mut wanted = view.watched.lock();
            match interest {
                Interest::Wanted => drop(wanted.insert(uri.into())),
                Interest::Unwanted => drop(wanted.remove(uri)),
            }
        }
        self.watches.notify();
    }
}

/// Starts recording what a view's clients watch.
pub(crate) fn track_interest(watches: &Arc<Watches>, view: &Arc<View>) {
    let sink: Arc<dyn InterestSink> =
        Arc::new(WatchedResources { watches: Arc::clone(watches), view: Arc::downgrade(view) });
    view.hub.on_interest(Arc::downgrade(&sink));
    let _first = view.interest_sink.set(sink);
}

/// Keeps upstreams in step with what clients watch.
pub(crate) struct WatchUpdater {
    views: Arc<OpenViews>,
    watches: Arc<Watches>,
    poller: Arc<Poller>,
    tasks: BackgroundTasks,
}

impl WatchUpdater {
    pub(crate) fn new(
        views: Arc<OpenViews>,
        watches: Arc<Watches>,
        poller: Arc<Poller>,
        tasks: BackgroundTasks,
    ) -> Self {
        Self { views, watches, poller, tasks }
    }

    /// Updates after every change until the gateway stops.
    pub(crate) async fn run(self) {
        loop {
            tokio::select! {
                () = self.tasks.stop.cancelled() => return,
                () = self.watches.changed() => self.update(),
            }
            tokio::select! {
                () = self.tasks.stop.cancelled() => return,
                () = tokio::time::sleep(MIN_UPDATE_INTERVAL) => {}
            }
        }
    }

    /// Passes every upstream its watched resources, and starts upstreams that have some.
    fn update(&self) {
        let mut wanted: BTreeMap<Arc<str>, BTreeSet<Candidate>> = BTreeMap::new();
        let mut upstreams: BTreeMap<Arc<str>, Arc<Upstream>> = BTreeMap::new();
        for view in self.views.all().iter() {
            let snapshot = view.snapshot();
            let all = view.watched.lock();
            for uri in all.iter() {
                if let Some(ResourceTarget::Upstream { server, .. }) =
                    snapshot.catalogue.resource(uri)
                    && !snapshot.denied.contains(server)
                {
                    let proof = match snapshot.catalogue.list(ListKind::Resources).get(uri) {
                        Some(_) => Proof::Proved,
                        None => Proof::Unproved,
                    };
                    let candidate = Candidate { proof, uri: uri.clone() };
                    wanted.entry(Arc::clone(server)).or_default().insert(candidate);
                }
            }
            drop(all);
            upstreams.extend(snapshot.upstreams.clone());
        }
        for (name, upstream) in &upstreams {
            let mut watched = wanted.remove(name).unwrap_or_default();
            let (needed, uris) = (!watched.is_empty(), PublicUris::of(name));
            let original = |it: &Candidate| uris.original(&it.uri).map(|it| it.into_owned().into());
            upstream.set_watched(watched.iter().filter_map(original).take(MAX_WATCHED).collect());
            match upstream.connections.get(&ConnectionKey::ours()) {
                Some(running) => {
                    let reports = running.can_subscribe();
                    watched.retain(|it| !reports || self.watches.is_unreported(&it.uri));
                    self.poll_only(upstream, &watched);
                }
                None if needed => self.wake(upstream),
                None => self.poll_only(upstream, &BTreeSet::new()),
            }
        }
    }

    /// Starts a server for its watchers and retries later if that fails. Only one such start is
    /// under way at a time.
    fn wake(&self, upstream: &Arc<Upstream>) {
        if upstream.waking.swap(true, Ordering::AcqRel) {
            return;
        }
        let (watches, stop) = (Arc::clone(&self.watches), self.tasks.stop.clone());
        let upstream = Arc::clone(upstream);
        self.tasks.tracker.spawn(async move {
            let ours = ConnectionKey::ours();
            if upstream.connection(&ours, Urgency::Background).await.is_err() {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = tokio::time::sleep(RETRY_AFTER) => {}
                }
            }
            upstream.waking.store(false, Ordering::Release);
            watches.notify();
        });
    }

    /// Polls exactly these resources of an upstream, as far as there is room.
    fn poll_only(&self, upstream: &Arc<Upstream>, watched: &BTreeSet<Candidate>) {
        let configured = upstream.configured();
        let Ok((_, effective)) = &configured.spec else { return };
        let (name, uris) = (upstream.name(), PublicUris::of(upstream.name()));
        let mut polled = self.watches.polled.lock();
        for begun in polled.choose(name, &uris, watched, Instant::now()) {
            let StartedPoll { uri, proof, stop } = begun;
            let original = uris.original(&uri).unwrap_or_default();
            self.poller.start(PollTask {
                server: name.into(),
                method: Method::ResourcesRead,
                target: (*original).into(),
                owner: PollOwner::ours(),
                audience: PollAudience::Everyone,
                params: object(|object| {
                    object.string("uri", &original);
                }),
                interval: effective.poll_interval,
                proof,
                uri,
                last: None,
                stop,
            });
        }
    }
}
