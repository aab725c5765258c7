//! The lists of a view, as one caller sees them: what their rights reach and no rule denies them.
//!
//! The router answers every list from here; the search filters its hits and the tools it describes
//! in the same way.

use crate::catalog::ListKind;
use crate::dispatch::locate::{Locator, learn_by_login};
use crate::dispatch::tool_search::{ToolList, lists_app_tools};
use crate::permitted::tool_subject;
use crate::view::View;
use crate::view::snapshot::Snapshot;
use hobnob_config::ProfileName;
use hobnob_mcp_engine::{Answer, Call, CallError, Caller, Notes, Outcome, Principal};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::cache::CacheHint;
use hobnob_policy::{SubjectCaller, hidden};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

/// Says whether a caller may use the entry with this public key.
pub type ListFilter = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Knows which callers may use only some entries; the program that owns the gateway implements it. A
/// caller whose rights can still grow sees all entries: people do not ask for what they have never
/// seen.
pub trait ListAccess: Send + Sync + 'static {
    /// The entries that this caller may use in a list of the plain view, or of a profile's view;
    /// `None` if they may use all.
    fn filter(
        &self,
        principal: &Principal,
        profile: Option<&str>,
        kind: ListKind,
    ) -> Option<ListFilter>;
}

/// Answers requests for lists.
pub(crate) struct ViewLists {
    locator: Arc<Locator>,
    /// Entries on one page of a list.
    page: NonZeroUsize,
    /// Set if callers may have fewer rights than the lists show.
    pub(crate) access: OnceLock<Arc<dyn ListAccess>>,
}

impl ViewLists {
    pub(crate) fn new(locator: Arc<Locator>, page: NonZeroUsize) -> Self {
        Self { locator, page, access: OnceLock::new() }
    }

    /// A page of a list.
    pub(super) async fn page(
        &self,
        view: &View,
        kind: ListKind,
        call: &Call,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        self.locator.catch_up(kind).await;
        self.locator.first_starts.wait(view, notes).await;
        learn_by_login(view, &call.caller).await;
        let cursor = match call.params.get("cursor") {
            None | Some("null") => None,
            Some(_) => Some(call.params.string("cursor").map_err(CallError::Params)?),
        };
        let snapshot = view.snapshot();
        let (cursor, size) = (cursor.as_deref(), view.page().unwrap_or(self.page));
        let rights = self.rights_filter(view, kind, &call.caller);
        let list = match (&rights, kind) {
            (None, ListKind::Tools) => ToolList::of(&snapshot, call),
            _ => ToolList::Whole,
        };
        let mut shows = both(rights, rules_filter(&snapshot, kind, &call.caller));
        if !lists_app_tools(call) {
            shows = both(shows, models_filter(&snapshot, kind));
        }
        let catalogue = &snapshot.catalogue;
        let (list, shows) = match (list, &catalogue.everyday) {
            (ToolList::Search, _) => (&catalogue.searching, shows),
            (ToolList::Usual, Some(everyday)) => (everyday, shows),
            (ToolList::Usual, None) | (ToolList::Whole, _) => (catalogue.list(kind), shows),
        };
        let page = match shows {
            Some(shows) => list.filtered(shows).page(cursor, size),
            None => list.page(cursor, size),
        };
        let page = page.map_err(|bad| CallError::params(bad.to_string()))?;
        Ok(Outcome::Complete(Answer {
            body: page.body.to_string(),
            meta: None,
            cache: Some(CacheHint::NONE),
            floor: Revision::NEWEST,
        }))
    }

    /// The entries of a list that a model of this caller may be offered; `None` if these are all.
    pub(crate) fn filter(
        &self,
        view: &View,
        snapshot: &Arc<Snapshot>,
        kind: ListKind,
        caller: &Caller,
    ) -> Option<ListFilter> {
        let own =
            both(self.rights_filter(view, kind, caller), rules_filter(snapshot, kind, caller));
        both(own, models_filter(snapshot, kind))
    }

    /// The entries of a list that this caller's rights reach; `None` if they reach all of it.
    fn rights_filter(&self, view: &View, kind: ListKind, caller: &Caller) -> Option<ListFilter> {
        let profile = view.name.as_ref().map(ProfileName::as_str);
        self.access.get()?.filter(&caller.principal, profile, kind)
    }
}

/// The entries that both filters leave.
fn both(one: Option<ListFilter>, other: Option<ListFilter>) -> Option<ListFilter> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Box::new(move |name| one(name) && other(name))),
        (one, other) => one.or(other),
    }
}

/// The tools that are for models; `None` if all are.
fn models_filter(snapshot: &Arc<Snapshot>, kind: ListKind) -> Option<ListFilter> {
    if kind != ListKind::Tools || snapshot.catalogue.app_tools.is_empty() {
        return None;
    }
    let snapshot = Arc::clone(snapshot);
    Some(Box::new(move |name| !snapshot.catalogue.app_tools.contains(name)))
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
