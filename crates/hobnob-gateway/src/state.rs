//! What the gateway knows, and how it changes: one lock, then a new snapshot for everybody.

use crate::catalog::{
    BuiltIns, Catalogue, Mirroring, Owner, PreparedServer, ServerLists, Switch, ToolRef, ToolTweak,
    View, Visibility, diff,
};
use crate::gateway::{FirstStarts, Gateway};
use crate::names::public_name;
use crate::pins;
use crate::upstream::lists::Lists;
use crate::upstream::upstream::{Configured, Gate, Upstream};
use hobnob_config::{
    Approvals, ChangeKind, Digest, Origin, Pins, Profile, RuleText, Server, ServerChange,
    ServerKey, Servers, Settings, Start, Switch as ServerSwitch, Target, compare,
};
use hobnob_policy::{RuleError, Rules, Subject, SubjectKind, hidden};
use mcp_engine::{Change, Principal};
use mcp_types::json::field;
use mcp_types::{Era, Revision};
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
    settings: Arc<Settings>,
    servers: Servers,
    profile: Option<Profile>,
    rules: Arc<Rules>,
    upstreams: BTreeMap<Arc<str>, Arc<Upstream>>,
    prepared: BTreeMap<Arc<str>, Prepared>,
    /// What people have approved, or why that cannot be read.
    approvals: Result<Approvals, String>,
    problems: Vec<String>,
}

/// One upstream's part of the catalogue.
#[derive(Clone)]
struct Prepared {
    entries: Arc<PreparedServer>,
    quarantine: Vec<(String, &'static str)>,
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
            problems,
        })
    }

    pub(crate) fn servers(&self) -> &Servers {
        &self.servers
    }
}

fn approved(file: &Path) -> Result<Approvals, String> {
    Approvals::load(file).map_err(|broken| broken.to_string())
}

fn problems(servers: &Servers) -> Vec<String> {
    servers.problems().iter().map(ToString::to_string).collect()
}

fn rules(settings: &Settings, profile: Option<&Profile>) -> Result<Rules, RuleError> {
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
    /// The first snapshot, from what is known without starting anything; then the first starts.
    pub(crate) fn furnish(self: &Arc<Self>, starts: FirstStarts) {
        let mut config = self.config();
        let names: Vec<_> = config.servers.iter().map(|server| server.name.clone()).collect();
        for name in names {
            self.install(&mut config, name.as_str());
        }
        self.publish(&mut config);
        let upstreams: Vec<_> = config.upstreams.values().cloned().collect();
        drop(config);
        for upstream in upstreams {
            self.first_start(&upstream, starts);
        }
    }

    /// Starts an upstream that nothing is known of, or that is to start with us.
    fn first_start(self: &Arc<Self>, upstream: &Arc<Upstream>, starts: FirstStarts) {
        let Ok((_, effective)) = &upstream.configured.spec else { return };
        let wanted = effective.start == Start::Eager || upstream.known().lists.is_none();
        if starts == FirstStarts::None || !wanted || upstream.configured.gate != Gate::Open {
            return;
        }
        self.first.send_modify(|waiting| *waiting += 1);
        let (gateway, upstream) = (Arc::clone(self), Arc::clone(upstream));
        self.tasks.spawn(async move {
            // What went wrong is logged, counted and told by `status`.
            let _outcome = upstream.connection(&Principal::anonymous()).await;
            gateway.first.send_modify(|waiting| *waiting -= 1);
        });
    }

    /// Waits until what is unknown is known, but not long: what is missing comes with
    /// `list_changed`.
    pub(crate) async fn settled(&self) {
        if *self.first.borrow() == 0 {
            return;
        }
        let wait = self.snapshot().settings.gateway.first_list_wait;
        let mut first = self.first.subscribe();
        drop(tokio::time::timeout(wait, first.wait_for(|waiting| *waiting == 0)).await);
    }

    /// An upstream has new lists.
    pub(crate) fn listed(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        let known = upstream.known();
        let Some(lists) = known.lists else { return };
        {
            let mut config = self.config();
            let name: Arc<str> = upstream.name().into();
            // A list that comes in after its server was replaced is nobody's.
            let current = config.upstreams.get(&name);
            if !current.is_some_and(|current| Arc::ptr_eq(current, upstream)) {
                return;
            }
            let prepared = self.prepare(&mut config, upstream, &lists);
            config.prepared.insert(name, prepared);
            self.publish(&mut config);
        }
        let (cache, digest) = (self.cache.clone(), upstream.configured.digest);
        self.tasks.spawn_blocking(move || {
            if let Err(error) = cache.store(&digest, &lists.to_json()) {
                tracing::warn!(%error, "a catalogue cannot be kept");
            }
        });
    }

    /// Takes the configuration as it is now; what it was stays if a file cannot be used.
    pub(crate) fn apply(self: &Arc<Self>, settings: Result<Settings, String>, servers: Servers) {
        let mut config = self.config();
        let mut problems = problems(&servers);
        match settings {
            Ok(settings) => match rules(&settings, config.profile.as_ref()) {
                Ok(rules) => {
                    config.settings = Arc::new(settings);
                    config.rules = Arc::new(rules);
                }
                Err(error) => problems.push(format!("{error}; the earlier settings stay")),
            },
            Err(problem) => problems.push(format!("{problem}; the earlier settings stay")),
        }
        for problem in problems.iter().filter(|problem| !config.problems.contains(problem)) {
            tracing::warn!(problem, "configuration");
        }
        let changes = compare(&config.servers, &servers);
        config.servers = servers;
        config.problems = problems;
        config.approvals = approved(&self.places.approvals());
        let mut touched = Vec::new();
        for change in changes {
            touched.extend(self.change(&mut config, &change));
        }
        self.regate(&mut config, &mut touched);
        self.publish(&mut config);
        drop(config);
        for upstream in touched {
            self.first_start(&upstream, FirstStarts::Unknown);
        }
    }

    fn change(
        self: &Arc<Self>,
        config: &mut Config,
        change: &ServerChange,
    ) -> Option<Arc<Upstream>> {
        let (name, installs) = match change {
            ServerChange::Added(name) => (name, true),
            ServerChange::Removed(name) => (name, false),
            ServerChange::Changed { name, kind } => {
                tracing::info!(
                    server = name.as_str(),
                    restart = *kind == ChangeKind::Restart,
                    "changed"
                );
                (name, true)
            }
        };
        let name: Arc<str> = name.as_str().into();
        if let Some(old) = config.upstreams.remove(&name) {
            old.retire();
        }
        config.prepared.remove(&name);
        installs.then(|| self.install(config, &name)).flatten()
    }

    /// An approval may have come or gone without any change of the server itself.
    fn regate(self: &Arc<Self>, config: &mut Config, touched: &mut Vec<Arc<Upstream>>) {
        let moved: Vec<Arc<str>> = config
            .upstreams
            .values()
            .filter(|upstream| {
                let server = config.servers.get(upstream.name());
                server.is_some_and(|server| {
                    self.gate(server, &config.approvals) != upstream.configured.gate
                })
            })
            .map(|upstream| upstream.name().into())
            .collect();
        for name in moved {
            if let Some(old) = config.upstreams.remove(&name) {
                old.retire();
            }
            config.prepared.remove(&name);
            touched.extend(self.install(config, &name));
        }
        // A tool may have been approved.
        let again: Vec<_> = config.upstreams.values().cloned().collect();
        for upstream in again {
            if let Some(lists) = upstream.known().lists {
                let prepared = self.prepare(config, &upstream, &lists);
                config.prepared.insert(upstream.name().into(), prepared);
            }
        }
    }

    /// Makes an upstream of a server, with the lists that were kept of it.
    fn install(self: &Arc<Self>, config: &mut Config, name: &str) -> Option<Arc<Upstream>> {
        let server = config.servers.get(name)?;
        if config.profile.as_ref().is_some_and(|profile| !profile.includes_server(name)) {
            return None;
        }
        let spec = server.state.as_ref().map_err(ToString::to_string);
        let configured = Configured {
            name: server.name.clone(),
            origin: server.origin,
            digest: server.digest,
            gate: self.gate(server, &config.approvals),
            spec: spec.map(|spec| {
                let effective = config.settings.for_server(&server.name, spec);
                (spec.clone(), effective)
            }),
        };
        let usable = configured.gate == Gate::Open && configured.spec.is_ok();
        let kept = usable.then(|| self.cache.load(&configured.digest)).flatten();
        let lists = kept.as_deref().and_then(Lists::from_json);
        let upstream = Upstream::new(configured, Arc::clone(&self.around), lists);
        let name: Arc<str> = name.into();
        if let Some(lists) = upstream.known().lists {
            let prepared = self.prepare(config, &upstream, &lists);
            config.prepared.insert(Arc::clone(&name), prepared);
        }
        config.upstreams.insert(name, Arc::clone(&upstream));
        Some(upstream)
    }

    /// Whether a server may run at all.
    fn gate(&self, server: &Server, approvals: &Result<Approvals, String>) -> Gate {
        if server.switch == ServerSwitch::Off {
            return Gate::Disabled;
        }
        match (server.origin, approvals) {
            (Origin::User | Origin::Own, _) => Gate::Open,
            (Origin::Project, Err(why)) => Gate::ApprovalsBroken(why.clone()),
            (Origin::Project, Ok(approvals)) => {
                let project = &self.places.project;
                if approvals.is_approved(project, &server.name, &server.digest) {
                    Gate::Open
                } else {
                    Gate::NeedsApproval
                }
            }
        }
    }

    /// An upstream's lists as the catalogue wants them: filtered, and without what has changed
    /// since it was approved.
    fn prepare(&self, config: &mut Config, upstream: &Upstream, lists: &Lists) -> Prepared {
        let filter = upstream.configured.spec.as_ref().ok().map(|(spec, _)| &spec.tools);
        let named = |tool: &str| {
            let raw = field(tool, "name")?;
            serde_json::from_str::<String>(raw).ok()
        };
        let mut tools: Vec<(String, &Box<str>)> = lists
            .tools
            .iter()
            .filter_map(|tool| Some((named(tool)?, tool)))
            .filter(|(name, _)| filter.is_none_or(|filter| filter.permits(name)))
            .collect();
        let quarantine = match config.settings.gateway.pins {
            true => self.quarantine(&mut config.approvals, upstream, &tools),
            false => Vec::new(),
        };
        tools.retain(|(name, _)| !quarantine.iter().any(|(held, _)| held == name));
        let texts = |list: &[Box<str>]| list.iter().map(|text| text.to_string()).collect();
        let over_http = matches!(
            upstream.configured.spec.as_ref().map(|(spec, _)| &spec.target),
            Ok(Target::Url { .. })
        );
        let modern = Revision::parse(&lists.about.revision).map(Revision::era) == Some(Era::Modern);
        let lists = ServerLists {
            server: upstream.name().into(),
            mirroring: if over_http && modern { Mirroring::Required } else { Mirroring::Ignored },
            tools: tools.into_iter().map(|(_, text)| text.to_string()).collect(),
            resources: texts(&lists.resources),
            templates: texts(&lists.templates),
            prompts: texts(&lists.prompts),
        };
        Prepared { entries: Arc::new(PreparedServer::new(lists)), quarantine }
    }

    /// Which tools differ from what was approved. The first time, all of them are.
    fn quarantine(
        &self,
        approvals: &mut Result<Approvals, String>,
        upstream: &Upstream,
        tools: &[(String, &Box<str>)],
    ) -> Vec<(String, &'static str)> {
        let seen: Pins =
            tools.iter().map(|(name, text)| (name.clone(), definition_digest(text))).collect();
        let key = ServerKey::new(&upstream.configured.name, upstream.configured.digest);
        let approvals = match approvals {
            Ok(approvals) => approvals,
            Err(why) => {
                tracing::error!(why, "approvals cannot be read; no tool is trusted");
                let why = "the approvals cannot be read";
                return seen.into_keys().map(|name| (name, why)).collect();
            }
        };
        let Some(pinned) = approvals.pins(&key) else {
            approvals.set_pins(key.clone(), seen.clone());
            self.keep_pins(key, seen);
            return Vec::new();
        };
        seen.into_iter()
            .filter_map(|(name, digest)| match pinned.get(&name) {
                Some(pin) if *pin == digest => None,
                Some(_) => Some((name, "its definition changed since it was approved")),
                None => Some((name, "it is new since the server was approved")),
            })
            .collect()
    }

    /// Writes down what a server's tools looked like at first; nobody waits for the disk.
    fn keep_pins(&self, key: ServerKey, pins: Pins) {
        let file = self.places.approvals();
        self.tasks.spawn_blocking(move || {
            let kept = approved(&file).and_then(|mut approvals| {
                approvals.set_pins(key, pins);
                approvals.save().map_err(|error| error.to_string())
            });
            if let Err(error) = kept {
                tracing::warn!(error, "what tools looked like cannot be remembered");
            }
        });
    }

    /// Puts a new snapshot in place and tells what changed.
    fn publish(self: &Arc<Self>, config: &mut Config) {
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
        let mut quarantine = HashMap::new();
        for (server, prepared) in &config.prepared {
            for (tool, why) in &prepared.quarantine {
                let held = Quarantined { server: Arc::clone(server), tool: tool.clone(), why };
                quarantine.insert(public_name(server, tool).as_str().to_owned(), held);
            }
        }
        let snapshot = Arc::new(Snapshot {
            catalogue: Arc::clone(&catalogue),
            upstreams: config.upstreams.clone(),
            rules: Arc::clone(&config.rules),
            quarantine,
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
    }
}

/// What the profile changes of single tools.
fn tweaks(config: &Config) -> BTreeMap<String, ToolTweak> {
    let Some(profile) = &config.profile else { return BTreeMap::new() };
    let mut tweaks = BTreeMap::new();
    let mut add = |public: String| {
        let tool = profile.tool(&public);
        let switch = if tool.enabled == Some(false) { Switch::Off } else { Switch::On };
        let tweak = ToolTweak { switch, rename: tool.name, description: tool.description };
        if tweak != ToolTweak::default() {
            tweaks.insert(public, tweak);
        }
    };
    for prepared in config.prepared.values() {
        for (tool, _) in prepared.entries.digests() {
            add(public_name(prepared.entries.server(), tool).as_str().to_owned());
        }
    }
    tweaks
}

/// The digest of a tool's definition, as the approvals keep it.
pub(crate) fn definition_digest(definition: &str) -> Digest {
    // It is one already, only under another name; the digest of nothing is never one of a tool's.
    pins::Digest::of(definition).as_str().parse().unwrap_or_else(|_| Digest::of(b""))
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
