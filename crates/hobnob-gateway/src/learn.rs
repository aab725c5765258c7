//! Learning what servers offer: first starts, retries until a catalogue is known, and who waits.
//!
//! A list waits for servers whose first start is under way, a call only for the server it names.
//! Whoever has failed, or was waited for in vain, is not waited for again.

use crate::catalog::ListKind;
use crate::gateway::{FirstStarts, Gateway};
use crate::names::public_name;
use crate::nearest::did_you_mean;
use crate::route::GatewayService;
use crate::state::Snapshot;
use crate::upstream::configured::Unavailable;
use crate::upstream::pool::{ConnectionKey, Upstream};
use crate::upstream::starts::Urgency;
use crate::uris::Prefix;
use crate::view::View;
use hobnob_mcp_engine::{Caller, Notes};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The first wait before an unknown server is tried again; it doubles. What the server's health
/// demands comes on top.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest such wait for a program of ours, and for a server that somebody else runs.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE_AWAY: Duration = Duration::from_secs(15);

/// The servers whose first start is under way, and that lists wait for.
#[derive(Debug)]
pub(crate) struct Awaited(watch::Sender<BTreeSet<Arc<str>>>);

impl Default for Awaited {
    fn default() -> Self {
        Self(watch::Sender::new(BTreeSet::new()))
    }
}

impl Awaited {
    fn add(&self, name: &str) {
        self.0.send_if_modified(|names| names.insert(name.into()));
    }

    fn remove<'a>(&self, done: impl IntoIterator<Item = &'a str>) {
        self.0.send_if_modified(|names| {
            let before = names.len();
            for name in done {
                names.remove(name);
            }
            names.len() < before
        });
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.borrow().contains(name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

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
            gateway.has_come(&upstream);
        });
    }

    /// Nobody need wait for it any more; for another of its name, which took its place, they must.
    fn has_come(&self, upstream: &Arc<Upstream>) {
        let config = self.config();
        let current = config.upstreams.get(upstream.name());
        if current.is_none_or(|current| Arc::ptr_eq(current, upstream)) {
            self.awaited.remove([upstream.name()]);
        }
    }

    /// Tries until it is known what the server offers, with growing pauses. What goes wrong is
    /// logged, counted and told by `status`.
    async fn learn(&self, upstream: &Arc<Upstream>) {
        let is_program = upstream.configured().is_program();
        let longest = if is_program { LONGEST_PAUSE } else { LONGEST_PAUSE_AWAY };
        let mut pause = FIRST_PAUSE;
        loop {
            let started = upstream.connection(&ConnectionKey::ours(), Urgency::Background).await;
            self.has_come(upstream);
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
            let dice = 1.0 + fastrand::f64() / 2.0;
            tokio::time::sleep(upstream.start_in().max(pause.mul_f64(dice))).await;
            pause = (pause * 2).min(longest);
            if !upstream.lacks_tools() {
                return;
            }
        }
    }

    /// Waits until each server of this view whose first start is under way is known or has failed,
    /// but not for ever: what is missing comes with `list_changed`.
    pub(crate) async fn settled(&self, view: &View, notes: &Notes) {
        if self.awaited.is_empty() {
            return;
        }
        let deadline = Instant::now() + self.config().settings.gateway.first_list_wait;
        let mut awaited = self.awaited.0.subscribe();
        let mut told = 0.0;
        loop {
            let mine: Vec<Arc<str>> = {
                let names = awaited.borrow_and_update();
                names.iter().filter(|name| view.includes_server(name)).cloned().collect()
            };
            if mine.is_empty() {
                return;
            }
            if notes.wants_progress() {
                told += 1.0;
                notes.progress(told, None, Some(&self.waiting_words(&mine)));
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

    fn waiting_words(&self, names: &[Arc<str>]) -> String {
        let config = self.config();
        let downloads = |name: &Arc<str>| {
            config.upstreams.get(name).is_some_and(|upstream| upstream.may_be_downloading())
        };
        let word = |name: &Arc<str>| match downloads(name) {
            true => format!("{name} (installing)"),
            false => name.to_string(),
        };
        format!("waiting for {}", names.iter().map(word).collect::<Vec<_>>().join(", "))
    }
}

/// What somebody asks for, in public terms.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// A tool, by its name.
    Tool(&'a str),
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource's address.
    Address(&'a str),
    /// A server.
    Server(&'a str),
}

impl Wanted<'_> {
    /// Whether this server may be the one that has it; `None` if its name does not tell.
    fn may_be_of(self, server: &str) -> Option<bool> {
        match self {
            Self::Server(name) => Some(name == server),
            Self::Address(uri) => Some(uri.starts_with(Prefix::of(server).as_str())),
            Self::Tool(name) | Self::Prompt(name) => {
                let plain = public_name(server, "x");
                let head = plain.as_str().strip_suffix("__x")?;
                let rest = name.strip_prefix(head);
                Some(rest.is_some_and(|rest| rest.starts_with("__")))
            }
        }
    }
}

impl GatewayService {
    /// Sees to it that the server that has this is known, if it can be told which one that is;
    /// otherwise waits as a list does. An error says why the server cannot be asked.
    pub(crate) async fn learn_owner(
        &self,
        wanted: Wanted<'_>,
        caller: &Caller,
        notes: &Notes,
    ) -> Result<(), Unavailable> {
        let snapshot = self.view.snapshot();
        let mut undecided = self.view.profile.is_some();
        for (name, upstream) in &snapshot.upstreams {
            let lacking = match wanted {
                Wanted::Tool(_) => upstream.lacks_tools(),
                Wanted::Prompt(_) | Wanted::Address(_) | Wanted::Server(_) => upstream.is_unknown(),
            };
            // One that is being started may have said what it has, and nobody was shown it yet.
            let coming = lacking || upstream.is_starting();
            if !coming || !upstream.configured().is_startable() {
                continue;
            }
            match wanted.may_be_of(name) {
                Some(false) => {}
                None => undecided = true,
                Some(true) => {
                    upstream.connection(&upstream.key(caller), Urgency::Call).await?;
                    return Ok(());
                }
            }
        }
        if undecided {
            self.gateway.settled(&self.view, notes).await;
        }
        Ok(())
    }

    /// Names that are much like one that leads nowhere, as the end of a sentence. A profile shows
    /// what it shows, and says no more.
    pub(crate) fn hint(&self, snapshot: &Snapshot, kind: ListKind, wanted: &str) -> String {
        if self.view.profile.is_some() {
            return String::new();
        }
        let shown = snapshot.catalogue.entries(kind).map(|(key, _)| key);
        did_you_mean(wanted, shown)
    }
}
