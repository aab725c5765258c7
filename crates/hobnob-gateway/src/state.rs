//! What the gateway knows: what the user wants, what is made of it, and the snapshot that
//! requests are answered from. One lock, then a new snapshot for everybody.

use crate::catalog::{
    BuiltIns, Catalogue, Owner, PreparedServer, Switch, ToolRef, ToolTweak, View, Visibility, diff,
};
use crate::gateway::Gateway;
use crate::names::public_name;
use crate::upstream::pool::Upstream;
use hobnob_config::{Approvals, Pins, Profile, RuleText, ServerKey, Servers, Settings};
use hobnob_policy::{RuleError, Rules, Subject, SubjectKind, hidden};
use mcp_engine::Change;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// What requests are answered from. Never changes; a new one takes its place.
pub(crate) struct Snapshot {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    pub(crate) rules: Arc<Rules>,
    /// Tools that changed since they were approved, by public name.
    pub(crate) quarantine: HashMap<String, Quarantined>,
    pub(crate) settings: Arc<Settings>,
    /// What is wrong with the configuration.
    pub(crate) problems: Vec<String>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            catalogue: Arc::new(Catalogue::build(&BuiltIns::default(), &[], &View::plain())),
            upstreams: BTreeMap::new(),
            rules: Arc::default(),
            quarantine: HashMap::new(),
            settings: Arc::default(),
            problems: Vec::new(),
        }
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
    pub(crate) profile: Option<Profile>,
    pub(crate) rules: Arc<Rules>,
    pub(crate) upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    pub(crate) prepared: BTreeMap<Arc<str>, Prepared>,
    /// What people have approved, or why that cannot be read.
    pub(crate) approvals: Result<Approvals, String>,
    /// What tools looked like when this process first saw them; the file may not have it yet.
    pub(crate) first_seen: Vec<(ServerKey, Pins)>,
    pub(crate) problems: Vec<String>,
}

/// One upstream's part of the catalogue.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) entries: Arc<PreparedServer>,
    pub(crate) quarantine: Vec<(String, &'static str)>,
}

impl Config {
    pub(crate) fn new(
        settings: Settings,
        servers: Servers,
        profile: Option<Profile>,
        approvals: &Path,
    ) -> Result<Self, RuleError> {
        let rules = Arc::new(rules(&settings, profile.as_ref())?);
        let problems = problems(&servers);
        Ok(Self {
            settings: Arc::new(settings),
            servers,
            profile,
            rules,
            upstreams: BTreeMap::new(),
            prepared: BTreeMap::new(),
            approvals: approved(approvals),
            first_seen: Vec::new(),
            problems,
        })
    }
}

/// What people have approved.
pub(crate) fn approved(file: &Path) -> Result<Approvals, String> {
    Approvals::load(file).map_err(|broken| broken.to_string())
}

/// What is wrong with the files, in words.
pub(crate) fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}

/// The rules of the settings and of the profile.
pub(crate) fn rules(settings: &Settings, profile: Option<&Profile>) -> Result<Rules, RuleError> {
    let text = |origin: &str| {
        let origin = origin.to_owned();
        move |rule: &RuleText| hobnob_policy::RuleText {
            origin: origin.clone(),
            tool: rule.tool.clone(),
            pattern: rule.pattern.clone(),
            action: rule.action.clone(),
        }
    };
    let of_profile = profile.map(|profile| profile.permissions.as_slice()).unwrap_or_default();
    let all = settings.permissions.iter().map(text("config.toml"));
    Rules::parse(all.chain(of_profile.iter().map(text("profile"))).collect())
}

impl Gateway {
    /// Puts a new snapshot in place and tells what changed.
    pub(crate) fn publish(&self, config: &Config) {
        let tweaks = tweaks(config);
        let rules = Arc::clone(&config.rules);
        let visibility = |tool: &ToolRef<'_>| {
            if hidden(&rules, &subject(tool.owner, tool.public, tool.original, None)) {
                Visibility::Hidden
            } else {
                Visibility::Shown
            }
        };
        let view = View { tweaks: &tweaks, visibility: &visibility };
        let prepared: Vec<_> =
            config.prepared.values().map(|prepared| Arc::clone(&prepared.entries)).collect();
        let catalogue = Arc::new(Catalogue::build(&self.built_ins(), &prepared, &view));
        let snapshot = Arc::new(Snapshot {
            catalogue: Arc::clone(&catalogue),
            upstreams: config.upstreams.clone(),
            rules: Arc::clone(&config.rules),
            quarantine: quarantine(config),
            settings: Arc::clone(&config.settings),
            problems: config.problems.clone(),
        });
        let before = {
            let mut current = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, snapshot)
        };
        let changed = diff(&before.catalogue, &catalogue);
        for (told, change) in [
            (changed.tools, Change::Tools),
            (changed.prompts, Change::Prompts),
            (changed.resources, Change::Resources),
        ] {
            if told {
                self.hub.publish(&change);
            }
        }
        // What is watched may belong to a server that is new, or another one now.
        self.watches.poke();
    }
}

/// What is held back, by public name.
fn quarantine(config: &Config) -> HashMap<String, Quarantined> {
    let mut all = HashMap::new();
    for (server, prepared) in &config.prepared {
        for (tool, why) in &prepared.quarantine {
            let held = Quarantined { server: Arc::clone(server), tool: tool.clone(), why };
            all.insert(public_name(server, tool).as_str().to_owned(), held);
        }
    }
    all
}

/// What the profile changes of single tools.
fn tweaks(config: &Config) -> BTreeMap<String, ToolTweak> {
    let Some(profile) = &config.profile else { return BTreeMap::new() };
    let mut tweaks = BTreeMap::new();
    for prepared in config.prepared.values() {
        for (tool, _) in prepared.entries.digests() {
            let public = public_name(prepared.entries.server(), tool).as_str().to_owned();
            let wish = profile.tool(&public);
            let switch = if wish.enabled == Some(false) { Switch::Off } else { Switch::On };
            let tweak = ToolTweak { switch, rename: wish.name, description: wish.description };
            if tweak != ToolTweak::default() {
                tweaks.insert(public, tweak);
            }
        }
    }
    tweaks
}

/// A tool as the rules see it.
pub(crate) fn subject<'a>(
    owner: &'a Owner,
    public: &'a str,
    original: &'a str,
    arguments: Option<&'a str>,
) -> Subject<'a> {
    let (server, kind) = match owner {
        Owner::Server(server) => (Some(&**server), SubjectKind::Upstream),
        Owner::BuiltIn if crate::management::NAMES.contains(&original) => {
            (None, SubjectKind::Management)
        }
        Owner::BuiltIn => (None, SubjectKind::BuiltIn),
    };
    let original = server.map(|_| original);
    Subject { tool: public, server, original, kind, arguments }
}
