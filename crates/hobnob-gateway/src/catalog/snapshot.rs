//! The snapshot that requests are answered from: pages, and exact tables from public names to their
//! owners.
//!
//! `build` makes it, a view shows it, the router reads it. It is immutable.

use super::entry::{
    CallTerms, ListKind, PromptTarget, Report, ResourceTarget, ToolRoute, ToolTarget,
};
use super::listing::OrderedList;
use crate::uris::{UriMap, is_own};
use hobnob_ranking::ToolIndex;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// Everything that one kind of client can see; immutable.
#[derive(Debug)]
pub struct Catalogue {
    pub(super) tools: OrderedList,
    /// The tools for searching, and those listed beside them.
    pub(crate) searching: OrderedList,
    /// The tools for searching and all everyday tools; `None` if every tool is an everyday one.
    pub(crate) everyday: Option<OrderedList>,
    /// Estimated tokens of the tools that servers offer.
    pub(super) server_tokens: OnceLock<usize>,
    pub(super) search_index: OnceLock<Arc<ToolIndex>>,
    /// The search index with vectors, once they are computed.
    pub(super) vector_index: OnceLock<Arc<ToolIndex>>,
    pub(super) resources: OrderedList,
    pub(super) templates: OrderedList,
    pub(super) prompts: OrderedList,
    pub(super) tool_targets: HashMap<Arc<str>, ToolTarget>,
    /// The tools that are for user interfaces alone.
    pub(crate) app_tools: HashSet<Arc<str>>,
    pub(super) withheld: HashMap<Arc<str>, (ToolTarget, Withheld)>,
    pub(super) tool_terms: HashMap<Arc<str>, CallTerms>,
    pub(super) prompt_targets: HashMap<Arc<str>, PromptTarget>,
    pub(super) prompt_terms: HashMap<Arc<str>, CallTerms>,
    pub(super) uris: UriMap,
    /// What was left out, and why.
    pub(crate) report: Report,
}

/// Why an existing tool is not in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// A permission rule denies it.
    Denied,
    /// The profile switched it off, or an override of the profile cannot be applied to it.
    Off,
}

impl Catalogue {
    /// One list, in order.
    pub(crate) fn list(&self, kind: ListKind) -> &OrderedList {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::Templates => &self.templates,
            ListKind::Prompts => &self.prompts,
        }
    }

    /// Where calls of a tool go.
    pub fn tool(&self, public: &str) -> Option<&ToolTarget> {
        self.tool_targets.get(public)
    }

    /// A built-in that is listed under its own name.
    pub(crate) fn listed_built_in(&self, name: &str) -> Option<&str> {
        match self.tool_targets.get(name)? {
            ToolTarget::BuiltIn(own) if **own == *name => Some(own),
            ToolTarget::BuiltIn(_) | ToolTarget::Upstream(_) => None,
        }
    }

    /// The public name of a built-in tool, whether the view shows it or not.
    pub(crate) fn name_of_built_in(&self, own: &str) -> Option<&str> {
        let withheld = self.withheld.iter().map(|(public, (target, _))| (public, target));
        let mut all = self.tool_targets.iter().chain(withheld);
        all.find_map(|(public, target)| match target {
            ToolTarget::BuiltIn(name) if **name == *own => Some(&**public),
            ToolTarget::BuiltIn(_) | ToolTarget::Upstream(_) => None,
        })
    }

    /// What the view changes about calls of a tool or prompt, if anything.
    pub fn terms(&self, kind: ListKind, public: &str) -> Option<&CallTerms> {
        match kind {
            ListKind::Tools => self.tool_terms.get(public),
            ListKind::Prompts => self.prompt_terms.get(public),
            ListKind::Resources | ListKind::Templates => None,
        }
    }

    /// Finds a tool by its server and the server's name for it; returns it with its public name.
    pub fn find_tool(&self, server: &str, original: &str) -> Option<(&str, &Arc<ToolRoute>)> {
        self.tool_targets.iter().find_map(|(public, target)| match target {
            ToolTarget::Upstream(route)
                if *route.server == *server && *route.original == *original =>
            {
                Some((&**public, route))
            }
            _ => None,
        })
    }

    /// How many tools of a server are listed.
    pub(crate) fn tools_of(&self, server: &str) -> usize {
        let routes = self.tool_targets.values().filter(|target| match target {
            ToolTarget::Upstream(route) => *route.server == *server,
            ToolTarget::BuiltIn(_) => false,
        });
        routes.count()
    }

    /// A tool that exists but is not shown, and why: for the audit log, not for the caller.
    pub fn withheld(&self, public: &str) -> Option<(&ToolTarget, Withheld)> {
        self.withheld.get(public).map(|(target, why)| (target, *why))
    }

    /// Where a prompt comes from.
    pub fn prompt(&self, public: &str) -> Option<&PromptTarget> {
        self.prompt_targets.get(public)
    }

    /// Where an address, or a template's pattern, leads. Every address of a known server leads
    /// there, listed or not: templates and results name addresses that no list has.
    pub fn resource<'a>(&'a self, public: &'a str) -> Option<ResourceTarget<'a>> {
        if let Some((server, original)) = self.uris.split(public) {
            return Some(ResourceTarget::Upstream { server, original });
        }
        let listed = self.resources.get(public).or_else(|| self.templates.get(public));
        (listed.is_some() || is_own(public)).then_some(ResourceTarget::BuiltIn)
    }
}
