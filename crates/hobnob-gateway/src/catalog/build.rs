//! Builds a view's snapshot from built-ins and prepared servers.
//!
//! Built-ins come first in their order, then servers by name, each in its own order.

use super::apps::app_tools;
use super::arrange::{Arranged, UnnamedEntry, arrange};
use super::entry::{BuiltIn, BuiltIns, EntryOwner, ListKind, PromptTarget, Report, ToolTarget};
use super::listing::{ListedEntry, OrderedList};
use super::prepare::{PreparedEntry, PreparedServer};
use super::snapshot::Catalogue;
use super::view_filter::{EntryOverrides, ToolRef, ViewFilter, Visibility};
use crate::names::searching::is_searching;
use crate::uris::UriMap;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

impl Catalogue {
    /// The snapshot of these entries for a view. A server given twice counts once.
    pub fn build(
        built_ins: &BuiltIns,
        servers: &[Arc<PreparedServer>],
        filter: &ViewFilter<'_>,
    ) -> Self {
        let mut servers: Vec<&PreparedServer> = servers.iter().map(|server| &**server).collect();
        servers.sort_by(|one, other| one.server.cmp(&other.server));
        servers.dedup_by(|later, first| later.server == first.server);

        let rejected = servers.iter().flat_map(|server| server.rejected()).cloned().collect();
        let mut report = Report { rejected, ..Report::default() };
        let tools = arrange(
            ListKind::Tools,
            tools(built_ins, &servers),
            filter,
            |tool, overrides| is_hidden(tool, overrides, filter),
            &mut report,
        );
        let lists = split(tools.listed, &tools.targets, filter);
        let open: Vec<&PreparedServer> =
            servers.iter().copied().filter(|server| !(filter.is_denied)(&server.server)).collect();
        let never = |_: &UnnamedEntry<()>, _: &EntryOverrides| false;
        let resources = merged(&built_ins.resources, &open, |it| &it.resources);
        let resources = arrange(ListKind::Resources, resources, filter, never, &mut report);
        let templates = merged(&built_ins.templates, &open, |it| &it.templates);
        let templates = arrange(ListKind::Templates, templates, filter, never, &mut report);
        let prompts = prompts(&built_ins.prompts, &open);
        let prompts = arrange(ListKind::Prompts, prompts, filter, |_, _| false, &mut report);
        let listing = |kind, arranged: Arranged<()>| OrderedList::new(kind, arranged.listed);
        Self {
            tools: OrderedList::new(ListKind::Tools, lists.whole),
            searching: OrderedList::new(ListKind::Tools, lists.searching),
            everyday: lists.everyday.map(|listed| OrderedList::new(ListKind::Tools, listed)),
            server_tokens: OnceLock::new(),
            search_index: OnceLock::new(),
            vector_index: OnceLock::new(),
            resources: listing(ListKind::Resources, resources),
            templates: listing(ListKind::Templates, templates),
            prompts: OrderedList::new(ListKind::Prompts, prompts.listed),
            app_tools: app_tools(&tools.targets),
            tool_targets: tools.targets,
            tool_terms: tools.terms,
            withheld: tools.withheld,
            prompt_targets: prompts.targets,
            prompt_terms: prompts.terms,
            uris: UriMap::new(servers.iter().map(|server| server.server.clone())),
            report,
        }
    }
}

fn tools(built_ins: &BuiltIns, servers: &[&PreparedServer]) -> Vec<UnnamedEntry<ToolTarget>> {
    let own = built_ins.tools.iter().enumerate();
    let own = own.map(|(index, tool)| built_in(index, tool, ToolTarget::BuiltIn(tool.key.clone())));
    let upstream = servers.iter().flat_map(|server| {
        server.tools.iter().map(|tool| UnnamedEntry {
            owner: EntryOwner::Server(server.server.clone()),
            index: tool.index,
            key: tool.key.clone(),
            json: tool.json.clone(),
            target: ToolTarget::Upstream(tool.route.clone()),
        })
    });
    own.chain(upstream).collect()
}

/// The lists of tools that a view has for different clients.
#[derive(Default)]
struct ToolLists {
    /// All tools except those for searching.
    whole: Vec<ListedEntry>,
    /// The tools for searching, and those that the view keeps listed beside them.
    searching: Vec<ListedEntry>,
    /// The tools for searching and all everyday tools; `None` if every tool is an everyday one.
    everyday: Option<Vec<ListedEntry>>,
}

fn split(
    listed: Vec<ListedEntry>,
    targets: &HashMap<Arc<str>, ToolTarget>,
    filter: &ViewFilter<'_>,
) -> ToolLists {
    let (mut lists, mut everyday) = (ToolLists::default(), Vec::new());
    let mut rare = 0;
    for entry in listed {
        let (original, usual) = match targets.get(&entry.key) {
            Some(ToolTarget::BuiltIn(own)) if is_searching(own) => {
                everyday.push(entry.clone());
                lists.searching.push(entry);
                continue;
            }
            Some(ToolTarget::BuiltIn(own)) => (own, own),
            Some(ToolTarget::Upstream(route)) => (&route.original, &route.usual),
            None => continue,
        };
        let named = ToolRef { owner: &entry.owner, original, usual, public: &entry.key };
        let is_kept = (filter.is_kept)(&named, &(filter.overrides)(ListKind::Tools, usual));
        if is_kept {
            lists.searching.push(entry.clone());
        }
        match is_kept || (filter.is_everyday)(&named) {
            true => everyday.push(entry.clone()),
            false => rare += 1,
        }
        lists.whole.push(entry);
    }
    lists.everyday = (0 < rare).then_some(everyday);
    lists
}

fn prompts(own: &[BuiltIn], servers: &[&PreparedServer]) -> Vec<UnnamedEntry<PromptTarget>> {
    let own = own.iter().enumerate();
    let own = own.map(|(index, one)| built_in(index, one, PromptTarget::BuiltIn(one.key.clone())));
    let upstream = servers.iter().flat_map(|server| {
        server.prompts.iter().map(|prompt| {
            let (server, original) = (server.server.clone(), prompt.original.clone());
            upstream(&server.clone(), prompt, PromptTarget::Upstream { server, original })
        })
    });
    own.chain(upstream).collect()
}

/// Resources or templates: their addresses already say where they lead.
fn merged(
    own: &[BuiltIn],
    servers: &[&PreparedServer],
    pick: fn(&PreparedServer) -> &[PreparedEntry],
) -> Vec<UnnamedEntry<()>> {
    let own = own.iter().enumerate().map(|(index, one)| built_in(index, one, ()));
    let upstream = servers
        .iter()
        .flat_map(|server| pick(server).iter().map(|one| upstream(&server.server, one, ())));
    own.chain(upstream).collect()
}

fn built_in<T>(index: usize, entry: &BuiltIn, target: T) -> UnnamedEntry<T> {
    let (key, json) = (entry.key.clone(), entry.json.clone());
    UnnamedEntry { owner: EntryOwner::BuiltIn, index, key, json, target }
}

fn upstream<T>(server: &Arc<str>, entry: &PreparedEntry, target: T) -> UnnamedEntry<T> {
    let (key, json) = (entry.key.clone(), entry.json.clone());
    UnnamedEntry {
        owner: EntryOwner::Server(server.clone()),
        index: entry.index,
        key,
        json,
        target,
    }
}

fn is_hidden(
    tool: &UnnamedEntry<ToolTarget>,
    overrides: &EntryOverrides,
    filter: &ViewFilter<'_>,
) -> bool {
    let original = match &tool.target {
        ToolTarget::BuiltIn(name) => name,
        ToolTarget::Upstream(route) => &route.original,
    };
    let public = overrides.rename.as_deref().unwrap_or(&tool.key);
    let named = ToolRef { owner: &tool.owner, original, usual: &tool.key, public };
    (filter.visibility)(&named) == Visibility::Hidden
}
