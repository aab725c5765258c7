//! Keeps upstreams in step with what clients watch: subscribes where the server can report changes,
//! polls where it cannot, and starts servers that are watched and do not run.
//!
//! It runs as one task; whoever changes what is watched, or who has it, notifies `Watches`.

use crate::catalog::{ListKind, ResourceTarget};
use crate::gateway::Gateway;
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::Urgency;
use crate::uris::Prefix;
use crate::view::View;
use crate::watch::pace::Proof;
use crate::watch::polled::{Candidate, StartedPoll};
use crate::watch::polling::{PollAudience, PollTask};
use crate::watch::polls::PollOwner;
use hobnob_mcp_engine::{Interest, InterestSink};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::object;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// Subscriptions at one server.
const MAX_WATCHED: usize = 4096;

/// The least time between two updates: many subscriptions come together.
const MIN_PAUSE: Duration = Duration::from_millis(50);

/// How soon a server that could not be started for its watchers is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Keeps what one view's clients watch; the view holds it, the gateway need not live for it.
struct WatchedResources {
    gateway: Weak<Gateway>,
    view: Weak<View>,
}

impl InterestSink for WatchedResources {
    fn interest(&self, uri: &str, interest: Interest) {
        let (Some(gateway), Some(view)) = (self.gateway.upgrade(), self.view.upgrade()) else {
            return;
        };
        {
            let mut wanted = view.watched.lock().unwrap_or_else(PoisonError::into_inner);
            match interest {
                Interest::Wanted => drop(wanted.insert(uri.into())),
                Interest::Unwanted => drop(wanted.remove(uri)),
            }
        }
        gateway.watches.notify.notify_one();
    }
}

impl Gateway {
    pub(crate) fn begin_watching(self: &Arc<Self>) {
        let gateway = Arc::clone(self);
        self.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = gateway.stop.cancelled() => return,
                    () = gateway.watches.notify.notified() => gateway.update_watches(),
                }
                tokio::select! {
                    () = gateway.stop.cancelled() => return,
                    () = tokio::time::sleep(MIN_PAUSE) => {}
                }
            }
        });
    }

    /// Follows from now on what a view's clients watch.
    pub(crate) fn track_interest(&self, view: &Arc<View>) {
        let sink: Arc<dyn InterestSink> =
            Arc::new(WatchedResources { gateway: self.this.clone(), view: Arc::downgrade(view) });
        view.hub.on_interest(Arc::downgrade(&sink));
        let _first = view.interest_sink.set(sink);
    }

    /// A server's connection came or went.
    pub(crate) fn on_connection_changed(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        if upstream.has_watched() {
            self.watches.notify.notify_one();
        }
    }

    /// Hands every upstream what is watched of it, and starts those that have to watch.
    fn update_watches(self: &Arc<Self>) {
        let mut wanted: BTreeMap<Arc<str>, BTreeSet<Candidate>> = BTreeMap::new();
        let mut upstreams: BTreeMap<Arc<str>, Arc<Upstream>> = BTreeMap::new();
        for view in self.views().iter() {
            let snapshot = view.snapshot();
            let all = view.watched.lock().unwrap_or_else(PoisonError::into_inner);
            for uri in all.iter() {
                if let Some(ResourceTarget::Upstream { server, .. }) =
                    snapshot.catalogue.resource(uri)
                    && !snapshot.denied.contains(server)
                {
                    let proof = match snapshot.catalogue.entry(ListKind::Resources, uri) {
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
            let (needed, prefix) = (!watched.is_empty(), Prefix::of(name));
            let original = |it: &Candidate| it.uri.strip_prefix(prefix.as_str()).map(Box::from);
            upstream.set_watched(watched.iter().filter_map(original).take(MAX_WATCHED).collect());
            match upstream.running(&ConnectionKey::ours()) {
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

    /// Starts a server for its watchers, and tries again later if it cannot be started. One does
    /// that at a time, however often it is asked for.
    fn wake(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        if !upstream.begin_waking() {
            return;
        }
        let (gateway, upstream) = (Arc::clone(self), Arc::clone(upstream));
        self.tasks.spawn(async move {
            let ours = ConnectionKey::ours();
            if upstream.connection(&ours, Urgency::Background).await.is_err() {
                tokio::select! {
                    () = gateway.stop.cancelled() => {}
                    () = tokio::time::sleep(RETRY_AFTER) => {}
                }
            }
            upstream.end_waking();
            gateway.watches.notify();
        });
    }

    /// Polls these resources of an upstream, as far as there is room, and no others.
    fn poll_only(self: &Arc<Self>, upstream: &Arc<Upstream>, watched: &BTreeSet<Candidate>) {
        let configured = upstream.configured();
        let Ok((_, effective)) = &configured.spec else { return };
        let (name, prefix) = (upstream.name(), Prefix::of(upstream.name()));
        let mut polled = self.watches.polled.lock().unwrap_or_else(PoisonError::into_inner);
        for begun in polled.choose(name, prefix.as_str(), watched, Instant::now()) {
            let StartedPoll { uri, proof, stop } = begun;
            let original = uri.strip_prefix(prefix.as_str()).unwrap_or_default();
            self.poll(PollTask {
                server: name.into(),
                method: Method::ResourcesRead,
                target: original.into(),
                owner: PollOwner::ours(),
                audience: PollAudience::Everyone,
                params: object(|object| {
                    object.string("uri", original);
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
