//! Change events and their subscribers. Services publish here; sessions and listens subscribe.
//! Nothing else in the workspace calls upward.

use crate::client_id::Principal;
use crate::interest::{InterestSink, Interests, Watch};
use crate::task::TaskOwner;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Something a client may listen for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources or templates.
    Resources,
    /// The content of the resource with this URI.
    Resource(Box<str>),
    /// The state of one task.
    Task {
        /// The task's id, as it is on the wire.
        id: Box<str>,
        /// The owner of the task. No other client may learn of the change.
        owner: TaskOwner,
    },
}

impl Change {
    /// Whether a subscription filter asks for it. The filter does not know who owns a task.
    pub fn is_wanted_by(&self, filter: &SubscriptionFilter) -> bool {
        let has = |names: &[String], name: &str| names.iter().any(|wanted| wanted == name);
        match self {
            Self::Tools => filter.tools_list_changed,
            Self::Prompts => filter.prompts_list_changed,
            Self::Resources => filter.resources_list_changed,
            Self::Resource(uri) => has(&filter.resource_subscriptions, uri),
            Self::Task { id, .. } => has(&filter.task_ids, id),
        }
    }
}

/// A subscriber. It must never wait, because it runs inside the publisher.
pub trait ChangeSink: Send + Sync {
    /// Receives every change, including those it did not ask for.
    fn changed(&self, change: &Change);
}

/// All subscribers, and the resources they watch.
#[derive(Default, Clone)]
pub struct ChangeHub(Arc<Hub>);

#[derive(Default)]
struct Hub {
    listeners: Mutex<Listeners>,
    interests: Arc<Interests>,
}

#[derive(Default)]
struct Listeners {
    next: u64,
    sinks: BTreeMap<u64, Listening>,
}

/// A sink and the principal on whose behalf it listens.
struct Listening {
    principal: Principal,
    sink: Weak<dyn ChangeSink>,
}

impl ChangeHub {
    /// Notifies every sink before it returns. Use [`publish_to`](Self::publish_to) for a change
    /// that only some principals may learn of.
    pub fn publish(&self, change: &Change) {
        self.publish_to(change, |_| true);
    }

    /// Notifies the sinks of those principals for which `may_learn` returns `true`.
    pub fn publish_to(&self, change: &Change, may_learn: impl Fn(&Principal) -> bool) {
        // Both run outside the lock: a sink may subscribe or unsubscribe while it is called.
        let open = |it: &Listening| Some((it.principal.clone(), it.sink.upgrade()?));
        let sinks: Vec<_> = self.lock().sinks.values().filter_map(open).collect();
        for (_, sink) in sinks.iter().filter(|(principal, _)| may_learn(principal)) {
            sink.changed(change);
        }
    }

    /// Subscribes a sink on a principal's behalf until the returned value is dropped.
    pub fn subscribe(&self, principal: Principal, sink: Weak<dyn ChangeSink>) -> Subscription {
        let mut listeners = self.lock();
        let key = listeners.next;
        listeners.next += 1;
        listeners.sinks.insert(key, Listening { principal, sink });
        Subscription { hub: self.clone(), key }
    }

    /// Registers interest in a resource until the returned value is dropped. Interest sinks may be
    /// called before this returns, so hold no lock that they could need.
    pub fn watch(&self, uri: &str) -> Watch {
        Watch::new(&self.0.interests, uri)
    }

    /// Whether the resource has at least one watcher now.
    pub fn is_watched(&self, uri: &str) -> bool {
        self.0.interests.is_watched(uri)
    }

    /// Notifies `sink` of every resource that is watched now, and from then on of each resource
    /// that gains its first watcher or loses its last one. A dropped sink is forgotten.
    pub fn on_interest(&self, sink: Weak<dyn InterestSink>) {
        self.0.interests.add_sink(sink);
    }

    /// How many sinks are subscribed.
    pub fn listeners(&self) -> usize {
        self.lock().sinks.len()
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.listeners.lock()
    }
}

impl std::fmt::Debug for ChangeHub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChangeHub({} listeners)", self.listeners())
    }
}

/// Keeps a sink subscribed until it is dropped.
#[derive(Debug)]
pub struct Subscription {
    hub: ChangeHub,
    key: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.lock().sinks.remove(&self.key);
    }
}
