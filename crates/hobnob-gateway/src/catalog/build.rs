//! Puts built-ins and prepared servers into one snapshot, as a view wants it.
//!
//! Built-ins come first in their order, then servers by name, each in its own order. Whoever claims
//! a public name first has it; a rename never takes a name that any tool has by right.

use super::entry::{
    BadRename, BuiltIn, BuiltIns, Conflict, Kind, Owner, PromptTarget, Rejected, ToolTarget,
};
use super::listing::{Listed, Listing};
use super::prepare::{PreparedEntry, PreparedServer};
use super::snapshot::{Catalogue, Withheld};
use super::view::{Switch, ToolRef, ToolTweak, View, Visibility};
use crate::names::MAX_LENGTH;
use crate::rewrite::tool_entry;
use crate::uris::{Prefix, UriMap};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

impl Catalogue {
    /// The snapshot of these entries for a view. A server given twice counts once.
    pub fn build(built_ins: &BuiltIns, servers: &[Arc<PreparedServer>], view: &View<'_>) -> Self {
        let mut servers: Vec<&PreparedServer> = servers.iter().map(|server| &**server).collect();
        servers.sort_by(|one, other| one.server.cmp(&other.server));
        servers.dedup_by(|later, first| later.server == first.server);

        let mut conflicts = Vec::new();
        let tools = tool_candidates(built_ins, &servers);
        let tools = Tools::of(tools, view, &mut conflicts);
        let mut merge = |kind, built_ins: &[BuiltIn], pick: Pick| {
            merge(kind, built_ins, &servers, pick, &mut conflicts)
        };
        let resources = merge(Kind::Resources, &built_ins.resources, |it| &it.resources);
        let templates = merge(Kind::Templates, &built_ins.templates, |it| &it.templates);
        let prompts = merge(Kind::Prompts, &built_ins.prompts, |it| &it.prompts);
        let prompt_targets = prompts.iter().map(|prompt| {
            let original = prompt.original.clone();
            let target = match prompt.listed.owner.clone() {
                Owner::BuiltIn => PromptTarget::BuiltIn(original),
                Owner::Server(server) => PromptTarget::Upstream { server, original },
            };
            (prompt.listed.key.clone(), target)
        });
        let rejected: Vec<Rejected> =
            servers.iter().flat_map(|server| server.rejected()).cloned().collect();
        Self {
            prompt_targets: prompt_targets.collect(),
            tools: Listing::new(Kind::Tools, tools.listed),
            resources: listing(Kind::Resources, resources),
            templates: listing(Kind::Templates, templates),
            prompts: listing(Kind::Prompts, prompts),
            tool_targets: tools.targets,
            withheld: tools.withheld,
            uris: UriMap::new(servers.iter().map(|server| server.server.clone())),
            conflicts,
            rejected,
            bad_renames: tools.bad_renames,
        }
    }
}

/// Chooses one of a server's lists.
type Pick = fn(&PreparedServer) -> &[PreparedEntry];

/// An entry that is no tool, and what its owner calls it.
struct Merged {
    original: Arc<str>,
    listed: Listed,
}

fn listing(kind: Kind, merged: Vec<Merged>) -> Listing {
    Listing::new(kind, merged.into_iter().map(|one| one.listed).collect())
}

fn merge(
    kind: Kind,
    built_ins: &[BuiltIn],
    servers: &[&PreparedServer],
    pick: Pick,
    conflicts: &mut Vec<Conflict>,
) -> Vec<Merged> {
    let own = built_ins.iter().enumerate().map(|(index, entry)| {
        let (key, json) = (entry.key.clone(), entry.json.clone());
        Merged { original: key.clone(), listed: Listed { key, json, owner: Owner::BuiltIn, index } }
    });
    let upstream = servers.iter().flat_map(|server| {
        pick(server).iter().map(|entry| {
            let (key, json) = (entry.key.clone(), entry.json.clone());
            let owner = Owner::Server(server.server.clone());
            let listed = Listed { key, json, owner, index: entry.index };
            Merged { original: entry.original.clone(), listed }
        })
    });
    let mut claims = Claims { kind, owners: HashMap::new(), conflicts };
    let claimed = |one: &Merged| claims.claim(&one.listed.key, &one.listed.owner);
    own.chain(upstream).filter(claimed).collect()
}

/// Who has which public name.
struct Claims<'a> {
    kind: Kind,
    owners: HashMap<Arc<str>, Owner>,
    conflicts: &'a mut Vec<Conflict>,
}

impl Claims<'_> {
    /// Takes a name, unless somebody has it; then that is reported.
    fn claim(&mut self, key: &Arc<str>, owner: &Owner) -> bool {
        match self.owners.entry(key.clone()) {
            Entry::Vacant(free) => {
                free.insert(owner.clone());
                true
            }
            Entry::Occupied(taken) => {
                let (kept, dropped) = (taken.get().clone(), owner.clone());
                let (kind, key) = (self.kind, key.clone());
                self.conflicts.push(Conflict { kind, key, kept, dropped });
                false
            }
        }
    }
}

/// A tool before the view has looked at it.
struct Candidate<'a> {
    owner: Owner,
    index: usize,
    raw: &'a str,
    key: &'a Arc<str>,
    json: &'a Arc<str>,
    target: ToolTarget,
    prefix: Option<&'a Prefix>,
}

impl Candidate<'_> {
    fn original(&self) -> &str {
        match &self.target {
            ToolTarget::BuiltIn(name) => name,
            ToolTarget::Upstream(route) => &route.original,
        }
    }
}

fn tool_candidates<'a>(
    built_ins: &'a BuiltIns,
    servers: &[&'a PreparedServer],
) -> Vec<Candidate<'a>> {
    let own = built_ins.tools.iter().enumerate().map(|(index, tool)| Candidate {
        owner: Owner::BuiltIn,
        index,
        raw: &tool.json,
        key: &tool.key,
        json: &tool.json,
        target: ToolTarget::BuiltIn(tool.key.clone()),
        prefix: None,
    });
    let upstream = servers.iter().flat_map(|server| {
        server.tools.iter().map(|tool| Candidate {
            owner: Owner::Server(server.server.clone()),
            index: tool.index,
            raw: &tool.raw,
            key: &tool.key,
            json: &tool.json,
            target: ToolTarget::Upstream(tool.route.clone()),
            prefix: Some(&server.prefix),
        })
    });
    own.chain(upstream).collect()
}

#[derive(Default)]
struct Tools {
    listed: Vec<Listed>,
    targets: HashMap<Arc<str>, ToolTarget>,
    withheld: HashMap<Arc<str>, (ToolTarget, Withheld)>,
    bad_renames: Vec<BadRename>,
}

impl Tools {
    fn of(
        mut candidates: Vec<Candidate<'_>>,
        view: &View<'_>,
        conflicts: &mut Vec<Conflict>,
    ) -> Self {
        let mut claims = Claims { kind: Kind::Tools, owners: HashMap::new(), conflicts };
        candidates.retain(|tool| claims.claim(tool.key, &tool.owner));
        let plain = ToolTweak::default();
        let mut tools = Self::default();
        for tool in candidates {
            let tweak = view.tweaks.get(&**tool.key).unwrap_or(&plain);
            match withheld(&tool, tweak, view) {
                Some(why) => {
                    tools.withheld.insert(tool.key.clone(), (tool.target, why));
                }
                None => tools.show(tool, tweak, &mut claims),
            }
        }
        tools
    }

    fn show(&mut self, tool: Candidate<'_>, tweak: &ToolTweak, claims: &mut Claims<'_>) {
        let usual = tool.key;
        let wanted = tweak.rename.as_deref().filter(|name| *name != &**usual);
        let key: Arc<str> = match wanted {
            Some(wanted) if !is_legal(wanted) => {
                let (tool, wanted) = (usual.clone(), wanted.into());
                self.bad_renames.push(BadRename { tool, wanted });
                usual.clone()
            }
            Some(wanted) => {
                let wanted = Arc::from(wanted);
                if claims.claim(&wanted, &tool.owner) { wanted } else { usual.clone() }
            }
            None => usual.clone(),
        };
        let description = tweak.description.as_deref();
        let json = if key == *usual && description.is_none() {
            tool.json.clone()
        } else {
            tool_entry(tool.raw, &key, description, tool.prefix).into()
        };
        self.targets.insert(key.clone(), tool.target);
        self.listed.push(Listed { key, json, owner: tool.owner, index: tool.index });
    }
}

fn withheld(tool: &Candidate<'_>, tweak: &ToolTweak, view: &View<'_>) -> Option<Withheld> {
    let named = ToolRef { owner: &tool.owner, original: tool.original(), public: tool.key };
    match ((view.visibility)(&named), tweak.switch) {
        (Visibility::Hidden, _) => Some(Withheld::Denied),
        (Visibility::Shown, Switch::Off) => Some(Withheld::Off),
        (Visibility::Shown, Switch::On) => None,
    }
}

/// Profiles may use dots, which some systems' tool names have.
fn is_legal(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=MAX_LENGTH).contains(&name.len()) && name.bytes().all(legal)
}
