//! The quotas that all clients share. `Limits` has the numbers.
//!
//! A server is built with one set, and every request takes its share of it.

use hobnob_mcp_engine::{Limits, Share, ShareKey, Shares};
use hobnob_mcp_types::Method;
use std::sync::Arc;

/// How many requests, listens and subscriptions all clients together may have open. Build the
/// servers of one process that have the same clients with the same quotas.
#[derive(Debug, Clone)]
pub struct ClientQuotas {
    calls: Arc<Shares>,
    reads: Arc<Shares>,
    listens: Arc<Shares>,
    pub(crate) subscriptions: Arc<Shares>,
}

/// How much of a server's quotas is used at one moment, by all clients together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaUse {
    /// Requests in flight, except for cheap queries.
    pub calls: UsedQuota,
    /// Cheap queries in flight: `server/discover` and lists.
    pub queries: UsedQuota,
    /// Streams of `subscriptions/listen` that are open.
    pub listens: UsedQuota,
    /// Resources that clients subscribe to, once for each subscriber.
    pub subscriptions: UsedQuota,
}

/// How much of one quota is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedQuota {
    /// The places that are taken.
    pub used: usize,
    /// The places that there are.
    pub max: usize,
}

impl ClientQuotas {
    /// Unused quotas of the size that these limits name.
    pub fn new(limits: &Limits) -> Self {
        let each = limits.in_flight_per_client;
        Self {
            calls: Shares::new(limits.in_flight_total, each),
            reads: Shares::new(limits.in_flight_reserve, each),
            listens: Shares::new(limits.listens, limits.listens_per_client),
            subscriptions: Shares::new(limits.subscriptions_total, limits.subscriptions_per_client),
        }
    }

    /// Counts a request as in flight; `None` if its client has used up its share.
    pub(crate) fn enter(&self, method: Method, who: ShareKey) -> Option<Share> {
        self.of(method).take(who)
    }

    /// How much of each quota is used now.
    pub fn used(&self) -> QuotaUse {
        let used = |shares: &Shares| UsedQuota { used: shares.taken(), max: shares.total() };
        QuotaUse {
            calls: used(&self.calls),
            queries: used(&self.reads),
            listens: used(&self.listens),
            subscriptions: used(&self.subscriptions),
        }
    }

    /// The quota that a request of this method counts against. Cheap queries have their own, so
    /// that they are answered even while calls have taken everything else.
    fn of(&self, method: Method) -> &Arc<Shares> {
        match method {
            Method::SubscriptionsListen => &self.listens,
            Method::Discover
            | Method::ToolsList
            | Method::PromptsList
            | Method::ResourcesList
            | Method::ResourcesTemplatesList => &self.reads,
            _ => &self.calls,
        }
    }
}
