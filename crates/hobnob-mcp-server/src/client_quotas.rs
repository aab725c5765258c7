//! What all clients together may have open at once, and each of them of it.
//!
//! A server is built with one, and every request takes its share; see `Limits` for the numbers.

use hobnob_mcp_engine::{Limits, Shares};
use hobnob_mcp_types::Method;
use std::sync::Arc;

/// How many requests, listens and subscriptions all clients together may have open. Servers of one
/// process that have the same clients are built with the same quotas.
#[derive(Debug, Clone)]
pub struct ClientQuotas {
    calls: Arc<Shares>,
    reads: Arc<Shares>,
    listens: Arc<Shares>,
    pub(crate) subscriptions: Arc<Shares>,
}

impl ClientQuotas {
    /// The quotas that these limits name, with nothing counted yet.
    pub fn new(limits: &Limits) -> Self {
        let each = limits.in_flight_per_client;
        Self {
            calls: Shares::new(limits.in_flight_total, each),
            reads: Shares::new(limits.in_flight_reserve, each),
            listens: Shares::new(limits.listens, limits.listens_per_client),
            subscriptions: Shares::new(limits.subscriptions_total, limits.subscriptions_per_client),
        }
    }

    /// Where a request of this method is counted. Those that only look at what there is are cheap,
    /// and must be answered while calls have taken everything else.
    pub(crate) fn of(&self, method: Method) -> &Arc<Shares> {
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
