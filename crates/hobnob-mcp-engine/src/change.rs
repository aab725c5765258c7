//! What changed, and who wants to know. Services publish here, sessions and listens subscribe;
//! nothing is called upward any other way.

use crate::client_id::Principal;
use crate::interest::{InterestSink, Interests, Watch};
use crate::task::TaskOwner;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

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
        /// Who owns it; nobody else may learn of it.
        owner: TaskOwner,
    },
}

impl Change {
    /// Whether a filter asks for it. Whose a task is, the filter cannot know.
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

/// Takes changes; never waits, since the publisher is doing something else.
pub trait ChangeSink: Send + Sync {
    /// Takes a change, wanted or not.
    fn changed(&self, change: &Change);
}

/// Everyone who listens, and what they listen for.
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

/// A sink, and on whose behalf it listens.
struct Listening {
    principal: Principal,
    sink: Weak<dyn ChangeSink>,
}

impl ChangeHub {
    /// Calls every sink before it returns. What only some may learn of goes to
    /// [`publish_to`](Self::publish_to).
    pub fn publish(&self, change: &Change) {
        self.publish_to(change, |_| true);
    }

    /// Calls the sinks of those principals who may learn of the change.
    pub fn publish_to(&self, change: &Change, may_learn: impl Fn(&Principal) -> bool) {
        // Both are called outside the lock: a sink may subscribe or let go.
        let open = |it: &Listening| Some((it.principal.clone(), it.sink.upgrade()?));
        let sinks: Vec<_> = self.lock().sinks.values().filter_map(open).collect();
        for (_, sink) in sinks.iter().filter(|(principal, _)| may_learn(principal)) {
            sink.changed(change);
        }
    }

    /// Listens on a principal's behalf until the returned value is dropped.
    pub fn subscribe(&self, principal: Principal, sink: Weak<dyn ChangeSink>) -> Subscription {
        let mut listeners = self.lock();
        let key = listeners.next;
        listeners.next += 1;
        listeners.sinks.insert(key, Listening { principal, sink });
        Subscription { hub: self.clone(), key }
    }

    /// Registers interest in a resource, until the returned value is dropped.
    /// Interest sinks may be called before this returns, so hold no lock they could need.
    pub fn watch(&self, uri: &str) -> Watch {
        Watch::new(&self.0.interests, uri)
    }

    /// Whether anybody is interested in a resource right now.
    pub fn is_watched(&self, uri: &str) -> bool {
        self.0.interests.is_watched(uri)
    }

    /// Notifies `sink` of every resource that is watched now, and from then on of each that gains
    /// its first watcher or loses its last. The sink is forgotten when it is gone.
    pub fn on_interest(&self, sink: Weak<dyn InterestSink>) {
        self.0.interests.add_sink(sink);
    }

    /// How many sinks are subscribed.
    pub fn listeners(&self) -> usize {
        self.lock().sinks.len()
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for ChangeHub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChangeHub({} listeners)", self.listeners())
    }
}

/// Keeps a sink subscribed as long as it lives.
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
