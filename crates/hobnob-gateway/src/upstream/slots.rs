//! What an upstream has open: whose its connections are, and which of them are being started.
//!
//! Everything here is behind the one lock of an upstream, and no lock is held while it waits.

use crate::upstream::configured::Unavailable;
use crate::upstream::failures::StartFailure;
use crate::upstream::health::Health;
use crate::upstream::running::Running;
use hobnob_mcp_engine::{ClientId, Principal};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tokio::sync::{Notify, watch};

/// Whose a connection is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionKey {
    pub(super) principal: Principal,
    /// The client it is reserved for, if the server is isolated.
    pub(super) client: Option<ClientId>,
}

impl ConnectionKey {
    /// Nobody's in particular: for what the gateway does itself.
    pub(crate) fn ours() -> Self {
        Self::of_principal(&Principal::anonymous())
    }

    /// Of this principal, for no client in particular.
    pub(crate) fn of_principal(principal: &Principal) -> Self {
        Self { principal: principal.clone(), client: None }
    }
}

/// The state of an upstream, behind its lock.
#[derive(Default)]
pub(super) struct UpstreamState {
    pub(super) slots: HashMap<ConnectionKey, Slot>,
    pub(super) health: Health,
    /// The last start that failed, in this process or in one before it.
    pub(super) failure: Option<StartFailure>,
    pub(super) starts: u64,
    /// It is not to be started any more.
    pub(super) retired: bool,
    /// The resources somebody watches.
    pub(super) watched: BTreeSet<Box<str>>,
    /// Somebody is starting it for its watchers already.
    pub(super) waking: bool,
}

/// `None` until the start is over.
pub(super) type StartOutcome = Option<Result<Arc<Running>, Unavailable>>;

pub(super) enum Slot {
    Starting(Starting),
    Up(Arc<Running>),
}

/// A start under way, as those see it who wait for it.
#[derive(Clone)]
pub(super) struct Starting {
    pub(super) outcome: watch::Receiver<StartOutcome>,
    /// Says that a call has come to wait for it.
    pub(super) hurry: Arc<Notify>,
}
