//! The places of an upstream's connections, by principal and client.
//!
//! `connections` holds them behind its lock.

use crate::upstream::configured::Unavailable;
use crate::upstream::running::Running;
use hobnob_mcp_engine::{ClientId, Principal};
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

/// The outcome of a start; `None` until it is over.
pub(super) type StartOutcome = Option<Result<Arc<Running>, Unavailable>>;

pub(super) enum Slot {
    Starting(Starting),
    Up(Arc<Running>),
}

impl Slot {
    pub(super) fn up(&self) -> Option<&Arc<Running>> {
        match self {
            Self::Up(running) => Some(running),
            Self::Starting(_) => None,
        }
    }
}

/// A start under way, as waiting callers see it.
#[derive(Clone)]
pub(super) struct Starting {
    pub(super) outcome: watch::Receiver<StartOutcome>,
    /// Notified when a call starts waiting for it.
    pub(super) hurry: Arc<Notify>,
}
