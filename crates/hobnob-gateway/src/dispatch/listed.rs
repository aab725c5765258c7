//! Filters a list for one caller: what their rights reach, and what no rule about them denies.
//!
//! The router filters every list this way, the search its hits and the tools it describes.

use crate::catalog::ListKind;
use crate::dispatch::list_access::ListFilter;
use crate::dispatch::service::GatewayService;
use crate::permitted::tool_subject;
use crate::view::snapshot::Snapshot;
use hobnob_config::ProfileName;
use hobnob_mcp_engine::Caller;
use hobnob_policy::{SubjectCaller, hidden};
use std::sync::Arc;

impl GatewayService {
    /// The entries of a list that this caller sees; `None` if they see all of it.
    pub(crate) fn list_filter(
        &self,
        snapshot: &Arc<Snapshot>,
        kind: ListKind,
        caller: &Caller,
    ) -> Option<ListFilter> {
        let by_rules = rules_filter(snapshot, kind, caller);
        match (self.rights_filter(kind, caller), by_rules) {
            (Some(one), Some(other)) => Some(Box::new(move |name| one(name) && other(name))),
            (one, other) => one.or(other),
        }
    }

    /// The entries of a list that this caller's rights reach; `None` if they reach all of it.
    pub(super) fn rights_filter(&self, kind: ListKind, caller: &Caller) -> Option<ListFilter> {
        let profile = self.view.name.as_ref().map(ProfileName::as_str);
        self.context.list_access.get()?.filter(&caller.principal, profile, kind)
    }
}

/// The entries that rules about callers leave this caller; `None` if no rule names a caller.
fn rules_filter(snapshot: &Arc<Snapshot>, kind: ListKind, caller: &Caller) -> Option<ListFilter> {
    if kind != ListKind::Tools || !snapshot.rules.names_callers() {
        return None;
    }
    let (snapshot, principal) = (Arc::clone(snapshot), caller.principal.clone());
    Some(Box::new(move |name| {
        let caller = SubjectCaller::of(principal.as_str());
        let is_hidden = |target| hidden(&snapshot.rules, &tool_subject(name, target, caller));
        !snapshot.catalogue.tool(name).is_some_and(is_hidden)
    }))
}
