//! Somebody watches a resource: its upstream is asked to tell, or asked again and again where it
//! cannot. Either way the change reaches whoever watches as an ordinary notification.

use crate::catalog::ToolRoute;
use crate::gateway::Gateway;
use crate::upstream::pool::{ConnectionKey, Upstream};
use crate::upstream::starts::Urgency;
use crate::uris::Prefix;
use crate::view::View;
use hobnob_config::Digest;
use hobnob_policy::audit::{Decision, Outcome as Recorded};
use mcp_client::{Forward, Forwarded, mirror};
use mcp_engine::{
    Answers, Call, Caller, Change, ClientId, Interest, InterestSink, Notes, Outcome, Principal,
    TaskOffer,
};
use mcp_server::toolbox::ToolError;
use mcp_types::json::{field, object};
use mcp_types::{Method, Params, Revision};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The shortest time between two looks.
pub(crate) const SHORTEST: Duration = Duration::from_millis(1000);

/// How many resources are remembered that no server tells of.
const MOST_UNTOLD: usize = 4096;

/// How long a poll goes on that nobody listens to.
const UNWANTED: Duration = Duration::from_secs(600);

/// How soon a server that could not be started for its watchers is tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// What is watched, and who looks after it.
#[derive(Default)]
pub(crate) struct Watches {
    poke: Notify,
    /// Resources whose servers tell of others but not of them, by public URI.
    untold: Mutex<BTreeSet<Box<str>>>,
    /// Polls of resources whose servers cannot tell, by public URI.
    polled: Mutex<BTreeMap<Box<str>, CancellationToken>>,
}

impl Watches {
    /// A server will not tell of this one, so it has to be asked.
    pub(crate) fn must_poll(&self, uri: &str) {
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        if untold.len() < MOST_UNTOLD && untold.insert(uri.into()) {
            self.poke.notify_one();
        }
    }

    /// Whether a server said that it will not tell of this one.
    fn is_untold(&self, uri: &str) -> bool {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }

    /// Has everything looked at again, soon.
    pub(crate) fn poke(&self) {
        self.poke.notify_one();
    }
}

struct Sink {
    gateway: Weak<Gateway>,
    view: Weak<View>,
}

impl InterestSink for Sink {
    fn interest(&self, uri: &str, interest: Interest) {
        let (Some(gateway), Some(view)) = (self.gateway.upgrade(), self.view.upgrade()) else {
            return;
        };
        {
            let mut wanted = view.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            match interest {
                Interest::Wanted => drop(wanted.insert(uri.into())),
                Interest::Unwanted => drop(wanted.remove(uri)),
            }
        }
        gateway.watches.poke.notify_one();
    }
}

impl Gateway {
    pub(crate) fn begin_watching(self: &Arc<Self>) {
        let gateway = Arc::clone(self);
        self.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = gateway.stop.cancelled() => return,
                    () = gateway.watches.poke.notified() => gateway.spread(),
                }
            }
        });
    }

    /// Hears from now on what a view's clients watch.
    pub(crate) fn hear_interest(&self, view: &Arc<View>) {
        let sink: Arc<dyn InterestSink> =
            Arc::new(Sink { gateway: self.this.clone(), view: Arc::downgrade(view) });
        view.hub.on_interest(Arc::downgrade(&sink));
        let _first = view.sink.set(sink);
    }

    /// A server's connection came or went.
    pub(crate) fn moved(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        if upstream.has_watched() {
            self.watches.poke.notify_one();
        }
    }

    /// Tells every upstream what is watched of it, and starts those that have to watch.
    fn spread(self: &Arc<Self>) {
        let mut wanted: BTreeMap<Arc<str>, BTreeSet<Box<str>>> = BTreeMap::new();
        let mut upstreams: BTreeMap<Arc<str>, Arc<Upstream>> = BTreeMap::new();
        for view in self.views().iter() {
            let snapshot = view.snapshot();
            let all = view.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            for uri in all.iter() {
                if let Some(crate::catalog::ResourceTarget::Upstream { server, original }) =
                    snapshot.catalogue.resource(uri)
                    && !snapshot.denied.contains(server)
                {
                    wanted.entry(Arc::clone(server)).or_default().insert(original.into());
                }
            }
            drop(all);
            upstreams.extend(snapshot.upstreams.clone());
        }
        for (name, upstream) in &upstreams {
            let uris = wanted.remove(name).unwrap_or_default();
            let needed = !uris.is_empty();
            upstream.set_watched(uris.clone());
            match upstream.running(&ConnectionKey::ours()) {
                Some(running) => {
                    let tells = running.remote.tells_of_resources();
                    let prefix = Prefix::of(name);
                    let mut polled = uris;
                    polled.retain(|uri| !tells || self.watches.is_untold(&prefix.public(uri)));
                    self.poll_only(upstream, &polled);
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
                    () = tokio::time::sleep(AGAIN) => {}
                }
            }
            upstream.end_waking();
            gateway.watches.poke();
        });
    }

    /// Polls exactly these resources of an upstream.
    fn poll_only(self: &Arc<Self>, upstream: &Arc<Upstream>, uris: &BTreeSet<Box<str>>) {
        let prefix = Prefix::of(upstream.name());
        let public: BTreeMap<Box<str>, &Box<str>> =
            uris.iter().map(|uri| (prefix.public(uri).into(), uri)).collect();
        let mut polled = self.watches.polled.lock().unwrap_or_else(PoisonError::into_inner);
        polled.retain(|uri, stop| {
            let keep = public.contains_key(uri) || !uri.starts_with(prefix.as_str());
            if !keep {
                stop.cancel();
            }
            keep
        });
        let interval = match &upstream.configured().spec {
            Ok((_, effective)) => effective.poll_interval,
            Err(_) => return,
        };
        for (public, original) in public {
            if polled.contains_key(&public) {
                continue;
            }
            let stop = self.stop.child_token();
            polled.insert(public.clone(), stop.clone());
            let params = object(|object| {
                object.string("uri", original);
            });
            self.poll(Polling {
                server: upstream.name().into(),
                method: Method::ResourcesRead,
                target: original.clone(),
                owner: Principal::anonymous(),
                audience: Audience::Everyone,
                params,
                uri: public,
                interval,
                last: None,
                stop,
            });
        }
    }

    /// Looks again and again; a change is what differs.
    pub(crate) fn poll(self: &Arc<Self>, polling: Polling) {
        let gateway = Arc::clone(self);
        self.tasks.spawn(async move {
            let stop = polling.stop.clone();
            tokio::select! {
                () = stop.cancelled() => {}
                () = gateway.stop.cancelled() => {}
                () = gateway.keep_polling(polling) => {}
            }
        });
    }

    async fn keep_polling(&self, polling: Polling) {
        let mut before: Option<Digest> = None;
        let mut wanted = Instant::now();
        loop {
            if let Some(found) = self.look(&polling).await {
                let digest = Digest::of(found.as_bytes());
                let changed = before.is_some_and(|before| before != digest);
                if before != Some(digest)
                    && let Some(last) = &polling.last
                {
                    *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.kept(found));
                }
                before = Some(digest);
                if changed {
                    self.tell_audience(&polling);
                }
            }
            tokio::time::sleep(polling.interval.max(SHORTEST)).await;
            // What nobody listens to any more is not asked for for ever.
            if self.is_watched(&polling) {
                wanted = Instant::now();
            } else if wanted.elapsed() > UNWANTED {
                self.polls.forget(&polling.uri);
                return;
            }
        }
    }

    fn tell_audience(&self, polling: &Polling) {
        let change = Change::Resource(polling.uri.clone());
        match &polling.audience {
            Audience::Everyone => self.tell(&polling.server, &change),
            Audience::One(view) => view.announce(&change),
        }
    }

    fn is_watched(&self, polling: &Polling) -> bool {
        match &polling.audience {
            Audience::Everyone => self.views().iter().any(|view| view.hub.is_watched(&polling.uri)),
            Audience::One(view) => view.hub.is_watched(&polling.uri),
        }
    }

    /// What a poll found, if it is not too long to be kept.
    fn kept(&self, found: String) -> String {
        let most = self.config().settings.gateway.result_cap;
        if found.len() <= most {
            return found;
        }
        object(|note| {
            note.raw("tooLarge", "true").raw("bytes", &found.len().to_string());
        })
    }

    /// What is there now; nothing while the server cannot be asked, or may not be.
    async fn look(&self, polling: &Polling) -> Option<String> {
        let views = self.views();
        let view = match &polling.audience {
            Audience::Everyone => views.iter().find(|view| view.hears(&polling.server)),
            Audience::One(view) => Some(view).filter(|view| view.hears(&polling.server)),
        }?;
        let snapshot = view.snapshot();
        let upstream = snapshot.upstreams.get(&*polling.server)?;
        let call = own_call(polling.method, polling.params.clone(), polling.owner.clone())?;
        let route = match polling.method {
            Method::ToolsCall => Some(may_poll(view, polling).ok()?),
            _ => None,
        };
        let mirrored = route.as_deref().map(|route| {
            mirror::mirror(&route.headers, call.params.get("arguments").unwrap_or("{}"))
        });
        let forward = Forward { mirrored: mirrored.unwrap_or_default(), ..Forward::default() };
        let allowed = || route.is_none() || may_poll(view, polling).is_ok();
        let mut record = self.recorder.begin(&call, &polling.target);
        record.server = Some(&polling.server);
        record.decision = Decision::Allow;
        let done = self.forward(upstream, &call, &forward, &Notes::silent(), &allowed).await;
        match done {
            Ok((Forwarded::Outcome(Outcome::Complete(answer)), _)) => {
                record.answered(Recorded::Ok, answer.body.len());
                Some(answer.body)
            }
            Ok(_) => {
                record.ended(Recorded::Refused);
                None
            }
            Err(trouble) => {
                record.ended(Recorded::UpstreamLost);
                let why = trouble.text(&polling.server);
                tracing::debug!(server = %polling.server, why, "a poll failed");
                None
            }
        }
    }
}

/// Where a polled tool is now. It or its rule may have changed since polling began.
fn may_poll(view: &View, polling: &Polling) -> Result<Arc<ToolRoute>, ToolError> {
    let arguments = field(&polling.params, "arguments").unwrap_or("{}");
    crate::management::permitted(view, &polling.server, &polling.target, arguments)
}

/// Who hears what a poll finds.
pub(crate) enum Audience {
    /// Every view that has the server.
    Everyone,
    /// The view it was asked for in.
    One(Arc<View>),
}

/// Something to look at again and again.
pub(crate) struct Polling {
    pub(crate) server: Box<str>,
    pub(crate) method: Method,
    /// The tool's name or the resource's URI, as the server knows it.
    pub(crate) target: Box<str>,
    /// On whose behalf.
    pub(crate) owner: Principal,
    pub(crate) audience: Audience,
    /// The upstream's own terms.
    pub(crate) params: String,
    /// The URI a change is told under.
    pub(crate) uri: Box<str>,
    pub(crate) interval: Duration,
    /// Where what is found is kept, if it is.
    pub(crate) last: Option<Arc<Mutex<Option<String>>>>,
    pub(crate) stop: CancellationToken,
}

/// A call of our own on somebody's behalf.
pub(crate) fn own_call(method: Method, params: String, principal: Principal) -> Option<Call> {
    Some(Call {
        method,
        params: Arc::new(Params::from_json(params).ok()?),
        caller: Caller {
            revision: Revision::NEWEST,
            capabilities: Arc::default(),
            client: None,
            client_id: ClientId::OURSELVES,
            principal,
            log_level: None,
        },
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    })
}
