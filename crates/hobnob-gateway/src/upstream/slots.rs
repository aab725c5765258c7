//! The connections that an upstream has open or is starting, by principal and client.
//!
//! All of it is behind the one lock of the upstream, which is never held across a wait.

use crate::upstream::configured::Unavailable;
use crate::upstream::failures::StartFailure;
use crate::upstream::health::Health;
use crate::upstream::running::Running;
use hobnob_mcp_engine::{ClientId, Principal};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tokio::sync::{Notify, watch};

/// Identifies a connection by its principal and, if reserved, its client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionKey {
    pub(super) principal: Principal,
    /// The client it is reserved for, if the server is isolated.
    pub(super) client: Option<ClientId>,
}

impl ConnectionKey {
    /// The gateway's own connection, which serves no named principal.
    pub(crate) fn ours() -> Self {
        Self::of_principal(&Principal::anonymous())
    }

    /// The connection of this principal that is not reserved for a client.
    pub(crate) fn of_principal(principal: &Principal) -> Self {
        Self { principal: principal.clone(), client: None }
    }
}

/// The state of an upstream, behind its lock.
#[derive(Default)]
pub(super) struct UpstreamState {
    pub(super) slots: HashMap<ConnectionKey, Slot>,
    pub(super) health: Health,
    /// The last failed start, in this process or an earlier one.
    pub(super) failure: Option<StartFailure>,
    pub(super) starts: u64,
    /// Whether the upstream must not be started again.
    pub(super) retired: bool,
    /// The resources that clients watch.
    pub(super) watched: BTreeSet<Box<str>>,
    /// Whether it is being started for its watchers already.
    pub(super) waking: bool,
}

/// The outcome of a start; `None` until it is over.
pub(super) type StartOutcome = Option<Result<Arc<Running>, Unavailable>>;

pub(super) enum Slot {
    Starting(Starting),
    Up(Arc<Running>),
}

/// A start under way, as waiting callers see it.
#[derive(Clone)]
pub(super) struct Starting {
    pub(super) outcome: watch::Receiver<StartOutcome>,
    /// Notified when a call starts waiting for it.
    pub(super) hurry: Arc<Notify>,
}
