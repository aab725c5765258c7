//! From the configuration to the snapshots of the views, and what clients are notified of.
//!
//! `registry` calls it while it holds its lock, so that snapshots never go back in time.

use crate::catalog::{Catalogue, EntrySwitch, ListKind, ToolRef, ViewFilter, Visibility, diff};
use crate::names::public_name;
use crate::servers::installed::InstalledServer;
use crate::servers::rules::{is_denied, is_hidden};
use crate::servers::state::RegistryState;
use crate::uris::STATUS;
use crate::view::View;
use crate::view::snapshot::{Quarantined, Snapshot};
use hobnob_mcp_engine::Change;
use hobnob_policy::RuleSet;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What a view looks like now.
pub(super) fn snapshot(state: &RegistryState, view: &View, rules: &Arc<RuleSet>) -> Snapshot {
    // What a joined name means depends on the servers there are.
    let rules = &Arc::new(rules.among(state.servers.iter().map(|server| server.name.as_str())));
    let mine = || state.installed.iter().filter(|(name, _)| view.includes_server(name));
    let all = state.installed.iter().map(|(name, _)| name);
    let denied: BTreeSet<Arc<str>> = all.filter(|name| is_denied(rules, name)).cloned().collect();
    let visibility = |tool: &ToolRef<'_>| match is_hidden(rules, tool) {
        true => Visibility::Hidden,
        false => Visibility::Shown,
    };
    let overrides = |kind, key: &str| view.overrides(kind, key);
    let filter = ViewFilter {
        overrides: &overrides,
        visibility: &visibility,
        is_denied: &|name| denied.contains(name),
    };
    let entries: Vec<_> = mine()
        .filter_map(|(_, server)| Some(Arc::clone(&server.catalogue.as_ref()?.entries)))
        .collect();
    let upstreams = mine().map(|(name, one)| (Arc::clone(name), Arc::clone(&one.upstream)));
    Snapshot {
        catalogue: Catalogue::build(&view.built_ins(), &entries, &filter),
        upstreams: upstreams.collect(),
        rules: Arc::clone(rules),
        quarantine: quarantine(mine(), view),
        settings: Arc::clone(&state.settings),
        problems: state.all_problems(),
        denied,
    }
}

/// Puts a view's new snapshot in place and notifies its clients of what changed.
pub(super) fn replace(view: &View, snapshot: Snapshot) {
    let snapshot = Arc::new(snapshot);
    let before = view.replace(Arc::clone(&snapshot));
    let changed = diff(&before.catalogue, &snapshot.catalogue);
    // A tool that is held back is in no list; its client is notified all the same, so that a new
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
}

/// What is held back, by the public name it would have.
fn quarantine<'a>(
    servers: impl Iterator<Item = (&'a Arc<str>, &'a InstalledServer)>,
    view: &View,
) -> HashMap<String, Quarantined> {
    let mut all = HashMap::new();
    for (server, installed) in servers {
        for (tool, why) in installed.held_back() {
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
