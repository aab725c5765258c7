//! From the configuration to the snapshots of the views, and the notifications that clients get of the change.
//!
//! Whoever changes the configuration calls it while it holds the lock, so that snapshots never go
//! back in time.

use crate::catalog::{
    Catalogue, EntryOwner, EntrySwitch, ListKind, ToolRef, ViewFilter, Visibility, diff,
};
use crate::gateway::Gateway;
use crate::names::public_name;
use crate::permitted::built_in_subject;
use crate::servers::config::{Config, ServerCatalogue};
use crate::uris::STATUS;
use crate::view::View;
use crate::view::snapshot::{Quarantined, Snapshot};
use hobnob_mcp_engine::Change;
use hobnob_policy::{RuleAction, RuleSet, Subject, SubjectKind, decide, hidden};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

impl Gateway {
    /// Puts new snapshots in place and tells what changed.
    pub(crate) fn publish(&self, config: &Config) {
        for (view, rules) in self.views().iter().zip(&config.rules) {
            self.replace_snapshot(view, snapshot(config, view, rules));
        }
    }

    /// Puts one view's new snapshot in place and tells its clients what changed.
    pub(crate) fn replace_snapshot(&self, view: &View, snapshot: Snapshot) {
        let snapshot = Arc::new(snapshot);
        let before = view.replace(Arc::clone(&snapshot));
        let changed = diff(&before.catalogue, &snapshot.catalogue);
        // A tool that is held back is in no list; its client is told all the same, so that a new
        // tool does not vanish without a word.
        let held = before.held() != snapshot.held();
        for (differs, change) in [
            (changed.tools || held, Change::Tools),
            (changed.prompts, Change::Prompts),
            (changed.resources, Change::Resources),
            (held || before.problems != snapshot.problems, Change::Resource(STATUS.into())),
        ] {
            if differs {
                view.announce(&change);
            }
        }
        // What is watched may belong to a server that is new, or another one now.
        self.watches.notify();
    }
}

/// What a view looks like now.
pub(crate) fn snapshot(config: &Config, view: &View, rules: &Arc<RuleSet>) -> Snapshot {
    // What a joined name means depends on the servers there are.
    let rules = &Arc::new(rules.among(config.servers.iter().map(|server| server.name.as_str())));
    let mine = |name: &Arc<str>| view.includes_server(name);
    let denied: BTreeSet<Arc<str>> =
        config.upstreams.keys().filter(|name| is_denied(rules, name)).cloned().collect();
    let visibility = |tool: &ToolRef<'_>| match hidden(rules, &subject(tool)) {
        true => Visibility::Hidden,
        false => Visibility::Shown,
    };
    let overrides = |kind, key: &str| view.overrides(kind, key);
    let filter = ViewFilter {
        overrides: &overrides,
        visibility: &visibility,
        is_denied: &|name| denied.contains(name),
    };
    let prepared = || config.prepared.iter().filter(|(name, _)| mine(name));
    let entries: Vec<_> = prepared().map(|(_, prepared)| Arc::clone(&prepared.entries)).collect();
    let upstreams = config.upstreams.iter().filter(|(name, _)| mine(name));
    Snapshot {
        catalogue: Catalogue::build(&view.built_ins(), &entries, &filter),
        upstreams: upstreams.map(|(name, one)| (Arc::clone(name), Arc::clone(one))).collect(),
        rules: Arc::clone(rules),
        quarantine: quarantine(prepared(), view),
        settings: Arc::clone(&config.settings),
        problems: config.all_problems(),
        denied,
    }
}

/// Whether a rule denies everything of a server.
fn is_denied(rules: &RuleSet, server: &str) -> bool {
    let public = public_name(server, "*");
    let contents = Subject {
        tool: public.as_str(),
        usual: None,
        server: Some(server),
        original: Some("*"),
        kind: SubjectKind::ServerContents,
        arguments: None,
    };
    decide(rules, &contents).action() == RuleAction::Deny
}

/// What is held back, by the public name it would have.
fn quarantine<'a>(
    prepared: impl Iterator<Item = (&'a Arc<str>, &'a ServerCatalogue)>,
    view: &View,
) -> HashMap<String, Quarantined> {
    let mut all = HashMap::new();
    for (server, prepared) in prepared {
        for (tool, why) in &prepared.quarantine {
            let usual = public_name(server, tool);
            let overrides = view.overrides(ListKind::Tools, usual.as_str());
            if overrides.switch == EntrySwitch::On {
                let held = Quarantined { server: Arc::clone(server), tool: tool.clone(), why };
                all.insert(overrides.rename.unwrap_or_else(|| usual.to_string()), held);
            }
        }
    }
    all
}

/// A listed tool as the rules see it.
fn subject<'a>(tool: &ToolRef<'a>) -> Subject<'a> {
    match tool.owner {
        EntryOwner::Server(server) => Subject {
            tool: tool.public,
            usual: Some(tool.usual),
            server: Some(server),
            original: Some(tool.original),
            kind: SubjectKind::Upstream,
            arguments: None,
        },
        EntryOwner::BuiltIn => built_in_subject(tool.public, tool.original, None),
    }
}
