//! What a server is asked to tell of: its lists, and single resources.
//!
//! Legacy: lists are told of unasked, a resource is subscribed to. Modern: one long request names
//! everything, and is made anew when the wishes change or it breaks.

use crate::events::{EventHandler, ServerEvent};
use crate::exchange::{Ask, Exchange};
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

/// How soon a listen that broke is made again, at first and at most.
const AGAIN: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// The wishes, and the task that sees to them.
#[derive(Debug)]
pub(crate) struct Watching {
    wishes: watch::Sender<Uris>,
    stop: CancellationToken,
}

impl Watching {
    pub(crate) fn start(peer: &Arc<Peer>, hello: &Hello, options: &ClientOptions) -> Self {
        let (wishes, wished) = watch::channel(Uris::new());
        let stop = CancellationToken::new();
        let work =
            Work { peer: Arc::clone(peer), hello: hello.clone(), options: options.clone(), wished };
        let stopped = stop.clone();
        peer.spawn(async move {
            let work = async {
                match work.hello.revision.era() {
                    Era::Modern => work.listen().await,
                    Era::Legacy => work.subscribe().await,
                }
            };
            tokio::select! {
                () = stopped.cancelled() => {}
                () = work => {}
            }
        });
        Self { wishes, stop }
    }

    pub(crate) fn set(&self, uris: Uris) {
        self.wishes.send_if_modified(|wishes| {
            let changed = *wishes != uris;
            *wishes = uris;
            changed
        });
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// How long a server may take to say what it will tell of. One that says nothing is believed.
const AGREEMENT: Duration = Duration::from_secs(5);

/// What became of a wish.
#[derive(PartialEq, Eq)]
enum Told {
    /// The server agrees.
    Agreed,
    /// It does not.
    Refused,
    /// It has not heard of it.
    Unsent,
}

/// A listen under way.
struct Listen {
    exchange: Exchange,
    /// What the server agrees to tell of, until it was heard.
    agreement: Option<oneshot::Receiver<SubscriptionFilter>>,
    filter: SubscriptionFilter,
    made: Made,
}

impl Listen {
    /// Whether it has not said yet what may have changed before it.
    fn owes_word(&self) -> bool {
        self.made == Made::AfterAGap && self.agreement.is_some()
    }

    /// Waits for its end, and for what the server agrees to on the way.
    async fn hear_out(&mut self, events: &dyn EventHandler) {
        if let Some(agreement) = &mut self.agreement {
            match timeout(AGREEMENT, agreement).await {
                Ok(Ok(agreed)) => self.agreed(events, Some(&agreed)),
                Err(_) => self.agreed(events, None),
                // It has ended before that.
                Ok(Err(_)) => {}
            }
            self.agreement = None;
        }
        let done = self.exchange.answer().await;
        tracing::debug!(ended = ?done.err(), "a listen ended");
    }

    /// Says what will not be told of after all, and what may have changed unheard.
    fn agreed(&self, events: &dyn EventHandler, agreed: Option<&SubscriptionFilter>) {
        let filter = &self.filter;
        let refused = |uri: &String| {
            agreed.is_some_and(|agreed| !agreed.resource_subscriptions.contains(uri))
        };
        for uri in filter.resource_subscriptions.iter().filter(|uri| refused(uri)) {
            events.on_event(ServerEvent::SubscriptionRefused(uri.as_str().into()));
        }
        if self.made == Made::InTime {
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

/// Whether something may have changed while nobody listened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// No: it is the first, or takes the place of one that goes on until then.
    InTime,
    /// Yes: the one before had ended.
    AfterAGap,
}

struct Work {
    peer: Arc<Peer>,
    hello: Hello,
    options: ClientOptions,
    wished: watch::Receiver<Uris>,
}

impl Work {
    /// One subscription each, as 2025-11-25 and before have it.
    async fn subscribe(mut self) {
        let mut held = Uris::new();
        loop {
            let wished = self.wished.borrow_and_update().clone();
            let gone: Vec<_> = held.difference(&wished).cloned().collect();
            let new: Vec<_> = wished.difference(&held).cloned().collect();
            let mut unsent = false;
            for uri in gone {
                unsent |= self.tell(Method::ResourcesUnsubscribe, &uri).await == Told::Unsent;
                held.remove(&uri);
            }
            for uri in new {
                match self.tell(Method::ResourcesSubscribe, &uri).await {
                    Told::Agreed => drop(held.insert(uri)),
                    Told::Refused => {
                        self.peer.events().on_event(ServerEvent::SubscriptionRefused(uri.clone()));
                        held.insert(uri);
                    }
                    Told::Unsent => unsent = true,
                }
            }
            let again = async {
                match unsent {
                    true => tokio::time::sleep(AGAIN.0).await,
                    false => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = self.wished.changed() => if changed.is_err() { return },
                () = again => if self.peer.ended_because().is_some() { return },
            }
        }
    }

    async fn tell(&self, method: Method, uri: &str) -> Told {
        let params = object(|object| {
            object.string("uri", uri);
        });
        let ask = Ask::quiet(method, |id| encode::request(id, method, &params));
        let Ok(exchange) = self.peer.ask(ask) else { return Told::Unsent };
        if let Err(failure) = exchange.answer_within(self.options.timeouts.call).await {
            tracing::warn!(%failure, "a resource cannot be subscribed to");
            return Told::Refused;
        }
        Told::Agreed
    }

    /// One listen for everything.
    async fn listen(mut self) {
        let mut wait = AGAIN.0;
        let mut listening = None;
        let mut made = Made::InTime;
        let events = Arc::clone(self.peer.events());
        loop {
            let filter = self.filter();
            let mut unsent = false;
            if filter == SubscriptionFilter::default() {
                listening = None;
            } else {
                if listening.as_ref().is_some_and(Listen::owes_word) {
                    made = Made::AfterAGap;
                }
                // What is replaced ends only when the new one is on its way: nothing is missed.
                match self.begin(filter, made) {
                    Some(next) => (listening, made) = (Some(next), Made::InTime),
                    None => unsent = true,
                }
            }
            let begun = Instant::now();
            let ended = async {
                match &mut listening {
                    // There was no room for it; there may be soon.
                    _ if unsent => {}
                    Some(listening) => listening.hear_out(&*events).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = self.wished.changed() => if changed.is_err() { return },
                () = ended => {
                    if self.peer.ended_because().is_some() {
                        return;
                    }
                    made = if unsent { made } else { Made::AfterAGap };
                    wait = if begun.elapsed() > AGAIN.1 { AGAIN.0 } else { wait };
                    let pause = wait.mul_f64(0.75 + fastrand::f64() / 2.0);
                    wait = (wait * 2).min(AGAIN.1);
                    // A new wish need not wait for the old one's turn.
                    if let Ok(Err(_)) = timeout(pause, self.wished.changed()).await {
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
        let wished = self.wished.borrow_and_update();
        let uris = wished.iter().map(|uri| uri.to_string());
        SubscriptionFilter {
            tools_list_changed: can.tools.as_ref().is_some_and(|tools| tools.list_changed),
            prompts_list_changed: can.prompts.as_ref().is_some_and(|prompts| prompts.list_changed),
            resources_list_changed: resources.is_some_and(|resources| resources.list_changed),
            resource_subscriptions: if subscribe { uris.collect() } else { Vec::new() },
            task_ids: Vec::new(),
        }
    }

    fn begin(&self, filter: SubscriptionFilter, made: Made) -> Option<Listen> {
        let able = self.peer.host().capabilities();
        let meta = modern_meta(Revision::NEWEST, &able, &self.options);
        let text = serde_json::to_string(&filter).ok()?;
        let params = object(|object| {
            object.raw("notifications", &text).raw("_meta", &meta);
        });
        let method = Method::SubscriptionsListen;
        let (agreed, agreement) = oneshot::channel();
        let ask = Ask::quiet(method, |id| encode::request(id, method, &params));
        let exchange = self.peer.ask(Ask { agreed: Some(agreed), ..ask }).ok()?;
        Some(Listen { exchange, agreement: Some(agreement), filter, made })
    }
}
