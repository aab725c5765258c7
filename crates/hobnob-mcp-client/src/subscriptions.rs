//! Which notifications a server sends: changes of its lists, and of single resources.
//!
//! `Remote` chooses the resources, and a task of the connection subscribes to them. Legacy: lists
//! need no subscription, each resource has one. Modern: one long-lived `subscriptions/listen` names
//! everything, and is sent anew when the wanted resources change or when it breaks.

use crate::events::{EventHandler, ServerEvent};
use crate::exchange::{Exchange, NewRequest};
use crate::forward::modern_meta;
use crate::greet::Hello;
use crate::options::ClientOptions;
use crate::peer::Peer;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use hobnob_mcp_types::{Era, Method, Revision, encode};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

type Uris = BTreeSet<Box<str>>;

/// The backoff before a broken listen request is sent again: the first pause, and the longest.
const RETRY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// How long to wait for the acknowledgement of a listen request; after that it counts as accepted.
const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(5);

/// The wanted resources, and the task that subscribes to them. Dropping it ends the task.
#[derive(Debug)]
pub(crate) struct Subscriptions {
    wanted: watch::Sender<Uris>,
    agreed: watch::Receiver<Option<Agreement>>,
    stop: CancellationToken,
}

/// The server's answers so far about the resources.
#[derive(Debug, Default)]
struct Agreement {
    accepted: Uris,
    refused: Uris,
}

/// Whether the server sends updates of one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubscriptionState {
    /// The server sends updates from now on.
    Accepted,
    /// The server refuses, or the connection has ended.
    Refused,
}

impl Subscriptions {
    pub(crate) fn start(peer: &Arc<Peer>, hello: &Hello, options: &ClientOptions) -> Self {
        let (sender, wanted) = watch::channel(Uris::new());
        let (agree, agreed) = watch::channel(None);
        let stop = CancellationToken::new();
        let task = SubscriptionTask {
            peer: Arc::clone(peer),
            hello: hello.clone(),
            options: options.clone(),
            wanted,
            agreed: agree,
        };
        let stopped = stop.clone();
        peer.spawn(async move {
            let work = async {
                match task.hello.revision.era() {
                    Era::Modern => task.listen().await,
                    Era::Legacy => task.subscribe().await,
                }
            };
            tokio::select! {
                () = stopped.cancelled() => {}
                () = work => {}
            }
        });
        Self { wanted: sender, agreed, stop }
    }

    /// Replaces the wanted resources.
    pub(crate) fn set(&self, uris: Uris) {
        self.wanted.send_if_modified(|wanted| {
            let changed = *wanted != uris;
            *wanted = uris;
            changed
        });
    }

    /// Adds one wanted resource.
    pub(crate) fn add(&self, uri: &str) {
        self.wanted.send_if_modified(|wanted| wanted.insert(uri.into()));
    }

    /// Removes one wanted resource.
    pub(crate) fn remove(&self, uri: &str) {
        self.wanted.send_if_modified(|wanted| wanted.remove(uri));
    }

    /// Waits until the server has agreed to send notifications, or the connection has ended.
    pub(crate) async fn agreed(&self) {
        let mut agreed = self.agreed.clone();
        let _over = agreed.wait_for(Option::is_some).await;
    }

    /// Waits until the server has said whether it sends updates of this resource.
    pub(crate) async fn settled(&self, uri: &str) -> SubscriptionState {
        let mut agreed = self.agreed.clone();
        let answered = |agreed: &Option<Agreement>| {
            agreed.as_ref().is_some_and(|it| it.accepted.contains(uri) || it.refused.contains(uri))
        };
        match agreed.wait_for(answered).await {
            Ok(agreed) if agreed.as_ref().is_some_and(|it| it.accepted.contains(uri)) => {
                SubscriptionState::Accepted
            }
            _ => SubscriptionState::Refused,
        }
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The outcome of `resources/subscribe` or `resources/unsubscribe`.
#[derive(PartialEq, Eq)]
enum SubscribeOutcome {
    Accepted,
    Refused,
    /// Too many requests were in flight, so it must be sent again.
    Unsent,
}

/// A `subscriptions/listen` request in flight.
struct Listen {
    exchange: Exchange,
    /// Receives what the server agrees to send; `None` once that is handled.
    acknowledgement: Option<oneshot::Receiver<SubscriptionFilter>>,
    filter: SubscriptionFilter,
    continuity: Continuity,
}

impl Listen {
    /// Whether it has not yet reported what may have changed before it.
    fn owes_events(&self) -> bool {
        self.continuity == Continuity::AfterGap && self.acknowledgement.is_some()
    }

    /// Waits until it ends, and handles the acknowledgement meanwhile.
    async fn run(&mut self, events: &dyn EventHandler, agreed: &watch::Sender<Option<Agreement>>) {
        if let Some(acknowledgement) = &mut self.acknowledgement {
            match timeout(ACKNOWLEDGEMENT_TIMEOUT, acknowledgement).await {
                Ok(Ok(accepted)) => self.on_acknowledged(events, agreed, Some(&accepted)),
                Err(_) => self.on_acknowledged(events, agreed, None),
                // The request ended before the acknowledgement.
                Ok(Err(_)) => {}
            }
            self.acknowledgement = None;
        }
        let done = self.exchange.answer().await;
        tracing::debug!(ended = ?done.err(), "a listen ended");
    }

    /// Reports the refused resources, and what may have changed unnoticed.
    fn on_acknowledged(
        &self,
        events: &dyn EventHandler,
        agreed: &watch::Sender<Option<Agreement>>,
        accepted: Option<&SubscriptionFilter>,
    ) {
        let filter = &self.filter;
        let refused = |uri: &String| {
            accepted.is_some_and(|accepted| !accepted.resource_subscriptions.contains(uri))
        };
        let mut agreement = Agreement::default();
        for uri in &filter.resource_subscriptions {
            let answered =
                if refused(uri) { &mut agreement.refused } else { &mut agreement.accepted };
            answered.insert(uri.as_str().into());
        }
        agreed.send_replace(Some(agreement));
        for uri in filter.resource_subscriptions.iter().filter(|uri| refused(uri)) {
            events.on_event(ServerEvent::SubscriptionRefused(uri.as_str().into()));
        }
        if self.continuity == Continuity::Seamless {
            return;
        }
        for (wanted, event) in [
            (filter.tools_list_changed, ServerEvent::ToolsChanged),
            (filter.prompts_list_changed, ServerEvent::PromptsChanged),
            (filter.resources_list_changed, ServerEvent::ResourcesChanged),
        ] {
            if wanted {
                events.on_event(event);
            }
        }
        for uri in filter.resource_subscriptions.iter().filter(|uri| !refused(uri)) {
            events.on_event(ServerEvent::ResourceUpdated(uri.as_str().into()));
        }
    }
}

/// Whether changes may have been missed before this listen request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Continuity {
    /// No: it is the first one, or replaces one that was still running.
    Seamless,
    /// Yes: the previous one had ended.
    AfterGap,
}

struct SubscriptionTask {
    peer: Arc<Peer>,
    hello: Hello,
    options: ClientOptions,
    wanted: watch::Receiver<Uris>,
    agreed: watch::Sender<Option<Agreement>>,
}

impl SubscriptionTask {
    /// Legacy: one subscription for each resource, as in 2025-11-25 and before.
    async fn subscribe(mut self) {
        let mut held = Uris::new();
        self.agreed.send_replace(Some(Agreement::default()));
        loop {
            let wanted = self.wanted.borrow_and_update().clone();
            let gone: Vec<_> = held.difference(&wanted).cloned().collect();
            let new: Vec<_> = wanted.difference(&held).cloned().collect();
            let mut unsent = false;
            for uri in gone {
                let done = self.request(Method::ResourcesUnsubscribe, &uri).await;
                unsent |= done == SubscribeOutcome::Unsent;
                held.remove(&uri);
                self.forget(&uri);
            }
            for uri in new {
                match self.request(Method::ResourcesSubscribe, &uri).await {
                    SubscribeOutcome::Accepted => {
                        self.agree(|agreement| &mut agreement.accepted, &uri);
                        held.insert(uri);
                    }
                    SubscribeOutcome::Refused => {
                        self.peer.events.on_event(ServerEvent::SubscriptionRefused(uri.clone()));
                        self.agree(|agreement| &mut agreement.refused, &uri);
                        held.insert(uri);
                    }
                    SubscribeOutcome::Unsent => unsent = true,
                }
            }
            let again = async {
                match unsent {
                    true => tokio::time::sleep(RETRY.0).await,
                    false => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = self.wanted.changed() => if changed.is_err() { return },
                () = again => if self.peer.ended_because().is_some() { return },
            }
        }
    }

    fn agree(&self, answered: impl FnOnce(&mut Agreement) -> &mut Uris, uri: &str) {
        self.agreed.send_modify(|agreed| {
            answered(agreed.get_or_insert_default()).insert(uri.into());
        });
    }

    fn forget(&self, uri: &str) {
        self.agreed.send_modify(|agreed| {
            let agreement = agreed.get_or_insert_default();
            agreement.accepted.remove(uri);
            agreement.refused.remove(uri);
        });
    }

    async fn request(&self, method: Method, uri: &str) -> SubscribeOutcome {
        let params = object(|object| {
            object.string("uri", uri);
        });
        let request = NewRequest::own(method, |id| encode::request(id, method, &params));
        let Ok(exchange) = Exchange::begin(&self.peer, request) else {
            return SubscribeOutcome::Unsent;
        };
        if let Err(error) = exchange.answer_within(self.options.timeouts.call).await {
            tracing::warn!(%error, "a resource cannot be subscribed to");
            return SubscribeOutcome::Refused;
        }
        SubscribeOutcome::Accepted
    }

    /// Modern: one listen request for everything.
    async fn listen(mut self) {
        let mut wait = RETRY.0;
        let mut listen: Option<Listen> = None;
        let mut continuity = Continuity::Seamless;
        let (events, agreed) = (Arc::clone(&self.peer.events), self.agreed.clone());
        loop {
            let filter = self.filter();
            let mut unsent = false;
            if filter == SubscriptionFilter::default() {
                self.agreed.send_replace(Some(Agreement::default()));
                listen = None;
            } else {
                if listen.as_ref().is_some_and(Listen::owes_events) {
                    continuity = Continuity::AfterGap;
                }
                // The old request ends only after the new one was sent: no change is missed.
                match self.begin(filter, continuity) {
                    Some(next) => (listen, continuity) = (Some(next), Continuity::Seamless),
                    None => unsent = true,
                }
            }
            let begun = Instant::now();
            let ended = async {
                match &mut listen {
                    // Too many requests were in flight; there may be fewer soon.
                    _ if unsent => {}
                    Some(listen) => listen.run(&*events, &agreed).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = self.wanted.changed() => if changed.is_err() { return },
                () = ended => {
                    if self.peer.ended_because().is_some() {
                        return;
                    }
                    continuity = if unsent { continuity } else { Continuity::AfterGap };
                    wait = if begun.elapsed() > RETRY.1 { RETRY.0 } else { wait };
                    let pause = wait.mul_f64(0.75 + fastrand::f64() / 2.0);
                    wait = (wait * 2).min(RETRY.1);
                    // If the wanted resources change, do not wait for the rest of the pause.
                    if let Ok(Err(_)) = timeout(pause, self.wanted.changed()).await {
                        return;
                    }
                }
            }
        }
    }

    fn filter(&mut self) -> SubscriptionFilter {
        let can = &self.hello.capabilities;
        let resources = can.resources.as_ref();
        let subscribe = resources.is_some_and(|resources| resources.subscribe);
        let wanted = self.wanted.borrow_and_update();
        let uris = wanted.iter().map(|uri| uri.to_string());
        SubscriptionFilter {
            tools_list_changed: can.tools.as_ref().is_some_and(|tools| tools.list_changed),
            prompts_list_changed: can.prompts.as_ref().is_some_and(|prompts| prompts.list_changed),
            resources_list_changed: resources.is_some_and(|resources| resources.list_changed),
            resource_subscriptions: if subscribe { uris.collect() } else { Vec::new() },
            task_ids: Vec::new(),
        }
    }

    fn begin(&self, filter: SubscriptionFilter, continuity: Continuity) -> Option<Listen> {
        let able = self.peer.host.capabilities();
        let meta = modern_meta(Revision::NEWEST, &able, &self.options);
        let text = serde_json::to_string(&filter).ok()?;
        let params = object(|object| {
            object.raw("notifications", &text).raw("_meta", &meta);
        });
        let method = Method::SubscriptionsListen;
        let (acknowledged, acknowledgement) = oneshot::channel();
        let request = NewRequest::own(method, |id| encode::request(id, method, &params));
        let request = NewRequest { acknowledged: Some(acknowledged), ..request };
        let exchange = Exchange::begin(&self.peer, request).ok()?;
        Some(Listen { exchange, acknowledgement: Some(acknowledgement), filter, continuity })
    }
}
