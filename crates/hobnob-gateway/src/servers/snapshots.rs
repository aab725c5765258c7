//! Builds the snapshots of views from the configuration, and notifies clients of changes.
//!
//! `registry` calls it while it holds its lock, so that snapshots never go back in time.

use crate::catalog::{
    Catalogue, EntryOverrides, EntryOwner, EntrySwitch, ListKind, ToolRef, ViewFilter, Visibility,
    diff,
};
use crate::names::{public_name, short_name};
use crate::servers::installed::InstalledServer;
use crate::servers::rules::{is_denied, is_hidden};
use crate::servers::state::RegistryState;
use crate::uris::STATUS;
use crate::view::View;
use crate::view::snapshot::{Quarantined, Snapshot};
use hobnob_config::{Settings, ToolNameLength};
use hobnob_mcp_engine::Change;
use hobnob_policy::RuleSet;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The current snapshot of a view.
pub(super) fn snapshot(state: &RegistryState, view: &View, rules: &Arc<RuleSet>) -> Snapshot {
    // The meaning of a joined name depends on which servers exist.
    let rules = &Arc::new(rules.among(state.servers.iter().map(|server| server.name.as_str())));
    let mine = || state.installed.iter().filter(|(name, _)| view.includes_server(name));
    let all = state.installed.iter().map(|(name, _)| name);
    let denied: BTreeSet<Arc<str>> = all.filter(|name| is_denied(rules, name)).cloned().collect();
    let visibility = |tool: &ToolRef<'_>| match is_hidden(rules, tool) {
        true => Visibility::Hidden,
        false => Visibility::Shown,
    };
    let settings = &state.settings;
    let overrides = |kind, key: &str| overrides(view, settings, kind, key);
    let is_kept = |tool: &ToolRef<'_>, overrides: &EntryOverrides| {
        let server = match tool.owner {
            EntryOwner::Server(name) => Some(&**name),
            EntryOwner::BuiltIn => None,
        };
        overrides.always.unwrap_or_else(|| settings.keeps_listed(server, tool.usual))
    };
    let is_everyday = |tool: &ToolRef<'_>| match tool.owner {
        EntryOwner::BuiltIn => view.lists_usually(tool.original),
        EntryOwner::Server(_) => true,
    };
    let filter = ViewFilter {
        overrides: &overrides,
        visibility: &visibility,
        is_denied: &|name| denied.contains(name),
        is_kept: &is_kept,
        is_everyday: &is_everyday,
    };
    let entries: Vec<_> = mine()
        .filter_map(|(_, server)| Some(Arc::clone(&server.catalogue.as_ref()?.entries)))
        .collect();
    let upstreams = mine().map(|(name, one)| (Arc::clone(name), Arc::clone(&one.upstream)));
    Snapshot {
        catalogue: Catalogue::build(&view.built_ins(), &entries, &filter),
        upstreams: upstreams.collect(),
        rules: Arc::clone(rules),
        quarantine: quarantine(mine(), view, settings),
        settings: Arc::clone(&state.settings),
        problems: state.all_problems(),
        denied,
    }
}

/// The profile's overrides of one entry, plus the short name if the settings want one.
fn overrides(view: &View, settings: &Settings, kind: ListKind, key: &str) -> EntryOverrides {
    let overrides = view.overrides(kind, key);
    match (settings.gateway.tool_names, kind, &overrides.rename) {
        (ToolNameLength::Short, ListKind::Tools | ListKind::Prompts, None) => {
            EntryOverrides { rename: short_name(key), ..overrides }
        }
        _ => overrides,
    }
}

/// Installs a view's new snapshot and notifies its clients of changes.
pub(super) fn replace(view: &View, snapshot: Snapshot) {
    let snapshot = Arc::new(snapshot);
    let before = view.replace(Arc::clone(&snapshot));
    let changed = diff(&before.catalogue, &snapshot.catalogue);
    if !changed.tools {
        snapshot.catalogue.keep_search_index(&before.catalogue);
    }
    // A tool that is held back is in no list. Clients are notified anyway, so that a new tool does
    // not vanish silently.
    let held = before.held() != snapshot.held();
    // A setting may change which of the lists a client gets.
    let listed_otherwise = before.listing_terms() != snapshot.listing_terms()
        || before.catalogue.searching != snapshot.catalogue.searching
        || (snapshot.is_usual() && before.catalogue.everyday != snapshot.catalogue.everyday);
    for (differs, change) in [
        (changed.tools || held || listed_otherwise, Change::Tools),
        (changed.prompts, Change::Prompts),
        (changed.resources, Change::Resources),
        (held || before.problems != snapshot.problems, Change::Resource(STATUS.into())),
    ] {
        if differs {
            view.announce(&change);
        }
    }
}

/// The tools held back, by the public names they would have.
fn quarantine<'a>(
    servers: impl Iterator<Item = (&'a Arc<str>, &'a InstalledServer)>,
    view: &View,
    settings: &Settings,
) -> HashMap<String, Quarantined> {
    let mut all = HashMap::new();
    for (server, installed) in servers {
        for (tool, why) in installed.held_back() {
            let usual = public_name(server, tool);
            let overrides = overrides(view, settings, ListKind::Tools, usual.as_str());
            if overrides.switch == EntrySwitch::On {
                let held = Quarantined { server: Arc::clone(server), tool: tool.clone(), why };
                all.insert(overrides.rename.unwrap_or_else(|| usual.to_string()), held);
            }
        }
    }
    all
}
