//! Puts built-ins and prepared servers into one snapshot, as a view wants it.
//!
//! Built-ins come first in their order, then servers by name, each in its own order.

use super::arrange::{Arranged, Candidate, Report, arrange};
use super::entry::{BuiltIn, BuiltIns, Kind, Owner, PromptTarget, Rejected, ToolTarget};
use super::eye::{Eye, ToolRef, Tweak, Visibility};
use super::listing::Listing;
use super::prepare::{PreparedEntry, PreparedServer};
use super::snapshot::Catalogue;
use crate::uris::UriMap;
use std::sync::Arc;

impl Catalogue {
    /// The snapshot of these entries for a view. A server given twice counts once.
    pub fn build(built_ins: &BuiltIns, servers: &[Arc<PreparedServer>], eye: &Eye<'_>) -> Self {
        let mut servers: Vec<&PreparedServer> = servers.iter().map(|server| &**server).collect();
        servers.sort_by(|one, other| one.server.cmp(&other.server));
        servers.dedup_by(|later, first| later.server == first.server);

        let mut report = Report::default();
        let tools = arrange(
            Kind::Tools,
            tools(built_ins, &servers),
            eye,
            |tool, tweak| is_hidden(tool, tweak, eye),
            &mut report,
        );
        let open: Vec<&PreparedServer> =
            servers.iter().copied().filter(|server| !(eye.is_denied)(&server.server)).collect();
        let never = |_: &Candidate<()>, _: &Tweak| false;
        let resources = merged(&built_ins.resources, &open, |it| &it.resources);
        let resources = arrange(Kind::Resources, resources, eye, never, &mut report);
        let templates = merged(&built_ins.templates, &open, |it| &it.templates);
        let templates = arrange(Kind::Templates, templates, eye, never, &mut report);
        let prompts = prompts(&built_ins.prompts, &open);
        let prompts = arrange(Kind::Prompts, prompts, eye, |_, _| false, &mut report);
        let rejected: Vec<Rejected> =
            servers.iter().flat_map(|server| server.rejected()).cloned().collect();
        let listing = |kind, arranged: Arranged<()>| Listing::new(kind, arranged.listed);
        Self {
            tools: Listing::new(Kind::Tools, tools.listed),
            resources: listing(Kind::Resources, resources),
            templates: listing(Kind::Templates, templates),
            prompts: Listing::new(Kind::Prompts, prompts.listed),
            tool_targets: tools.targets,
            tool_terms: tools.terms,
            withheld: tools.withheld,
            prompt_targets: prompts.targets,
            prompt_terms: prompts.terms,
            uris: UriMap::new(servers.iter().map(|server| server.server.clone())),
            conflicts: report.conflicts,
            rejected,
            bad_tweaks: report.bad_tweaks,
        }
    }
}

fn tools(built_ins: &BuiltIns, servers: &[&PreparedServer]) -> Vec<Candidate<ToolTarget>> {
    let own = built_ins.tools.iter().enumerate();
    let own = own.map(|(index, tool)| built_in(index, tool, ToolTarget::BuiltIn(tool.key.clone())));
    let upstream = servers.iter().flat_map(|server| {
        server.tools.iter().map(|tool| Candidate {
            owner: Owner::Server(server.server.clone()),
            index: tool.index,
            key: tool.key.clone(),
            json: tool.json.clone(),
            target: ToolTarget::Upstream(tool.route.clone()),
        })
    });
    own.chain(upstream).collect()
}

fn prompts(own: &[BuiltIn], servers: &[&PreparedServer]) -> Vec<Candidate<PromptTarget>> {
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

/// Resources or templates, whose addresses say where they lead.
fn merged(
    own: &[BuiltIn],
    servers: &[&PreparedServer],
    pick: fn(&PreparedServer) -> &[PreparedEntry],
) -> Vec<Candidate<()>> {
    let own = own.iter().enumerate().map(|(index, one)| built_in(index, one, ()));
    let upstream = servers
        .iter()
        .flat_map(|server| pick(server).iter().map(|one| upstream(&server.server, one, ())));
    own.chain(upstream).collect()
}

fn built_in<T>(index: usize, entry: &BuiltIn, target: T) -> Candidate<T> {
    let (key, json) = (entry.key.clone(), entry.json.clone());
    Candidate { owner: Owner::BuiltIn, index, key, json, target }
}

fn upstream<T>(server: &Arc<str>, entry: &PreparedEntry, target: T) -> Candidate<T> {
    let (key, json) = (entry.key.clone(), entry.json.clone());
    Candidate { owner: Owner::Server(server.clone()), index: entry.index, key, json, target }
}

fn is_hidden(tool: &Candidate<ToolTarget>, tweak: &Tweak, eye: &Eye<'_>) -> bool {
    let original = match &tool.target {
        ToolTarget::BuiltIn(name) => name,
        ToolTarget::Upstream(route) => &route.original,
    };
    let hides = |public| {
        let named = ToolRef { owner: &tool.owner, original, public };
        (eye.visibility)(&named) == Visibility::Hidden
    };
    // A rule may know it by either of its names.
    hides(&tool.key) || tweak.rename.as_deref().is_some_and(hides)
}
