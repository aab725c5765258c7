//! What the gateway knows: what the user wants, what is made of it, and the snapshot that
//! requests are answered from. One lock, then a new snapshot for everybody.

use crate::catalog::{
    BuiltIns, Catalogue, EntryOwner, EntrySwitch, ListKind, PreparedServer, ToolRef, ViewFilter,
    Visibility, diff,
};
use crate::gateway::Gateway;
use crate::names::public_name;
use crate::own::STATUS;
use crate::permitted::built_in_subject;
use crate::remember::Remembering;
use crate::upstream::pool::Upstream;
use crate::view::View;
use hobnob_config::{
    Approvals, Broken, Cause, Pins, Profile, RuleText, ServerKey, Servers, Settings,
};
use hobnob_mcp_engine::Change;
use hobnob_policy::{
    RuleAction, RuleError, RuleSet, RuleSource, Subject, SubjectKind, decide, hidden,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

/// What requests of one view are answered from. Never changes; a new one takes its place.
pub(crate) struct Snapshot {
    pub(crate) catalogue: Catalogue,
    /// The servers of this view.
    pub(crate) upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    pub(crate) rules: Arc<RuleSet>,
    /// Servers of which the rules deny everything, resources and prompts too.
    pub(crate) denied: BTreeSet<Arc<str>>,
    /// Tools that changed since they were approved, by public name.
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
    /// The public names of what is held back.
    fn held(&self) -> BTreeSet<&str> {
        self.quarantine.keys().map(String::as_str).collect()
    }
}

/// A tool that is held back.
#[derive(Debug, Clone)]
pub(crate) struct Quarantined {
    pub(crate) server: Arc<str>,
    pub(crate) tool: String,
    pub(crate) why: &'static str,
}

/// What the user wants, and what is made of it.
pub(crate) struct Config {
    pub(crate) settings: Arc<Settings>,
    pub(crate) servers: Servers,
    /// The rules of each view, by its number.
    pub(crate) rules: Vec<Arc<RuleSet>>,
    pub(crate) upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    pub(crate) prepared: BTreeMap<Arc<str>, Prepared>,
    /// What people have approved, as last read, or why that cannot be trusted.
    pub(crate) approvals: Result<Approvals, String>,
    /// Why the approvals could not be read the last time, though those read before still count.
    pub(crate) approvals_problem: Option<String>,
    /// A file could not be read for a reason that may pass by itself.
    pub(crate) unreadable: bool,
    /// What tools looked like when this process first saw them; the file may not have it yet.
    pub(crate) first_seen: Vec<(ServerKey, Pins)>,
    /// What is being written to that file.
    pub(crate) remembering: Remembering,
    /// What is wrong with the settings and the files of servers.
    pub(crate) problems: Vec<String>,
}

/// One upstream's part of the catalogue.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) entries: Arc<PreparedServer>,
    pub(crate) quarantine: Vec<(String, &'static str)>,
}

impl Config {
    pub(crate) fn new(settings: Settings, servers: Servers, approvals: &Path) -> Self {
        let problems = problems(&servers);
        let approvals = Approvals::load(approvals);
        let unreadable = approvals.as_ref().is_err_and(|it| it.0.cause == Cause::Unreadable);
        if let Err(broken) = &approvals {
            tracing::error!(%broken, "approvals");
        }
        Self {
            settings: Arc::new(settings),
            servers,
            rules: Vec::new(),
            upstreams: BTreeMap::new(),
            prepared: BTreeMap::new(),
            approvals: approvals.map_err(|broken| broken.to_string()),
            approvals_problem: None,
            unreadable,
            first_seen: Vec::new(),
            remembering: Remembering::default(),
            problems,
        }
    }

    /// Everything that is wrong with the configuration and with what Hobnob keeps itself.
    pub(crate) fn all_problems(&self) -> Vec<String> {
        let approvals = self.approvals.as_ref().err().or(self.approvals_problem.as_ref());
        let others = approvals.cloned().into_iter().chain(self.remembering.problem());
        self.problems.iter().cloned().chain(others).collect()
    }

    /// Takes what people have approved by now. What this process saw first counts even if it
    /// could not be written down. Approvals that cannot be read for a reason that may pass by
    /// itself stay as they were; contents that cannot be trusted close everything.
    pub(crate) fn take_approvals(&mut self, read: Result<Approvals, Broken>) {
        self.approvals_problem = None;
        match read {
            Ok(mut approvals) => {
                for (key, pins) in &self.first_seen {
                    if approvals.pins(key).is_none() {
                        approvals.set_pins(key.clone(), pins.clone());
                    }
                }
                self.approvals = Ok(approvals);
            }
            Err(broken) => {
                tracing::error!(%broken, "approvals");
                if broken.0.cause == Cause::Unreadable && self.approvals.is_ok() {
                    let problem = format!("{}; what was approved before stays so", broken.0);
                    self.approvals_problem = Some(problem);
                } else {
                    self.approvals = Err(broken.to_string());
                }
            }
        }
    }
}

/// What is wrong with the files, in words.
pub(crate) fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}

/// The rules of a profile and of the settings.
pub(crate) fn rules(settings: &Settings, profile: Option<&Profile>) -> Result<RuleSet, RuleError> {
    let text = |origin: &str| {
        let origin = origin.to_owned();
        move |rule: &RuleText| RuleSource {
            origin: origin.clone(),
            server: rule.server.clone(),
            tool: rule.tool.clone(),
            pattern: rule.pattern.clone(),
            action: rule.action.clone(),
        }
    };
    let of_profile = profile.map(|profile| profile.permissions.as_slice()).unwrap_or_default();
    let all = of_profile.iter().map(text("profile"));
    RuleSet::parse(all.chain(settings.permissions.iter().map(text("config.toml"))).collect())
}

impl Gateway {
    /// Puts new snapshots in place and tells what changed.
    pub(crate) fn publish(&self, config: &Config) {
        for (view, rules) in self.views().iter().zip(&config.rules) {
            self.show(view, snapshot(config, view, rules));
        }
    }

    /// Puts one view's new snapshot in place and tells its clients what changed.
    pub(crate) fn show(&self, view: &View, snapshot: Snapshot) {
        let snapshot = Arc::new(snapshot);
        let before = view.replace(Arc::clone(&snapshot));
        let changed = diff(&before.catalogue, &snapshot.catalogue);
        // A tool that is held back is in no list; its client is told all the same, so that a new
        // tool does not vanish without a word.
        let held = before.held() != snapshot.held();
        for (told, change) in [
            (changed.tools || held, Change::Tools),
            (changed.prompts, Change::Prompts),
            (changed.resources, Change::Resources),
            (held || before.problems != snapshot.problems, Change::Resource(STATUS.into())),
        ] {
            if told {
                view.announce(&change);
            }
        }
        // What is watched may belong to a server that is new, or another one now.
        self.watches.poke();
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
    prepared: impl Iterator<Item = (&'a Arc<str>, &'a Prepared)>,
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
