//! The snapshot that one view's requests are answered from.
//!
//! `servers::snapshots` builds it and `View` holds it. It is immutable: a new one replaces it.

use crate::catalog::{BuiltIns, Catalogue, ViewFilter};
use crate::upstream::server::Upstream;
use hobnob_config::{Settings, ToolListing};
use hobnob_policy::RuleSet;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The snapshot that one view's requests are answered from. Immutable; a new one replaces it.
pub(crate) struct Snapshot {
    pub(crate) catalogue: Catalogue,
    /// The servers of this view.
    pub(crate) upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    pub(crate) rules: Arc<RuleSet>,
    /// Servers whose tools, resources and prompts are all denied by the rules.
    pub(crate) denied: BTreeSet<Arc<str>>,
    /// Tools that are held back, by public name.
    pub(crate) quarantine: HashMap<String, Quarantined>,
    pub(crate) settings: Arc<Settings>,
    /// What is wrong with the configuration.
    pub(crate) problems: Vec<String>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            catalogue: Catalogue::build(&BuiltIns::default(), &[], &ViewFilter::plain()),
            upstreams: BTreeMap::new(),
            rules: Arc::default(),
            denied: BTreeSet::new(),
            quarantine: HashMap::new(),
            settings: Arc::default(),
            problems: Vec::new(),
        }
    }
}

impl Snapshot {
    /// Whether clients get the search tools in place of the whole list, unless they search by
    /// themselves.
    pub(crate) fn is_searched(&self) -> bool {
        let gateway = &self.settings.gateway;
        let too_long = match gateway.tool_search {
            ToolListing::Never => false,
            ToolListing::Always => true,
            ToolListing::Auto => {
                gateway.tool_budget != 0 && gateway.tool_budget < self.catalogue.server_tokens()
            }
        };
        too_long && self.catalogue.can_be_searched()
    }

    /// Whether clients get the everyday list, without rarely used built-ins, unless they search by
    /// themselves.
    pub(crate) fn is_usual(&self) -> bool {
        self.settings.gateway.tool_search != ToolListing::Never && self.catalogue.can_be_searched()
    }

    /// Whether the everyday list is shorter than the whole one.
    pub(crate) fn lacks_rare_tools(&self) -> bool {
        self.is_usual() && self.catalogue.everyday.is_some()
    }

    /// The settings that decide which list of tools a client gets.
    pub(crate) fn listing_terms(&self) -> (ToolListing, usize, &[String]) {
        let gateway = &self.settings.gateway;
        (gateway.tool_search, gateway.tool_budget, &gateway.searching_clients)
    }

    /// The public names of the tools that are held back.
    pub(crate) fn held(&self) -> BTreeSet<&str> {
        self.quarantine.keys().map(String::as_str).collect()
    }
}

/// A tool that is held back, and why.
#[derive(Debug, Clone)]
pub(crate) struct Quarantined {
    pub(crate) server: Arc<str>,
    pub(crate) tool: String,
    pub(crate) why: &'static str,
}
