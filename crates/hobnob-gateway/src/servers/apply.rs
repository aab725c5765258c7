//! From what the user wrote to upstreams: at the beginning, and whenever it changes.

use crate::gateway::Gateway;
use crate::servers::config::{Config, problems, rules};
use crate::upstream::configured::{Configured, Gate};
use crate::upstream::lists::Lists;
use crate::upstream::server::Upstream;
use crate::view::View;
use hobnob_config::{
    Approvals, ChangeKind, ConfiguredServer, Origin, ServerChange, Servers, Settings, Switch,
    compare,
};
use hobnob_policy::{RuleError, RuleSet};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How long the lists of a server wait for the disk before they are published all the same.
const MAX_STORE_WAIT: Duration = Duration::from_secs(5);

impl Gateway {
    /// Makes upstreams of the servers that a new view has and no view had before it, from what is
    /// known without starting anything.
    pub(crate) fn install_missing(self: &Arc<Self>, config: &mut Config) -> Vec<Arc<Upstream>> {
        let names: Vec<_> = config.servers.iter().map(|server| server.name.clone()).collect();
        let missing = names.iter().filter(|name| !config.upstreams.contains_key(name.as_str()));
        let missing: Vec<_> = missing.cloned().collect();
        missing.iter().filter_map(|name| self.install(config, name.as_str())).collect()
    }

    /// An upstream has new lists.
    pub(crate) fn on_lists_changed(self: &Arc<Self>, upstream: &Arc<Upstream>) {
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
            self.publish(&config);
        }
    }

    /// Writes an upstream's lists to the disk: `hobnob approve`, which a client may be told to run
    /// as soon as they are published, reads them there. A disk that hangs is not waited for.
    pub(crate) fn store_lists(&self, upstream: &Upstream) -> impl Future<Output = ()> + use<> {
        let known = upstream.known();
        // Only the whole truth is kept.
        let lists = known.lists.filter(|_| known.problems.is_empty());
        let (cache, digest) = (self.cache.clone(), upstream.configured().identity);
        let stored = lists.map(|lists| {
            self.tasks.spawn_blocking(move || {
                if let Err(error) = cache.store(&digest, &lists.to_json()) {
                    tracing::warn!(%error, "a catalogue cannot be stored");
                }
            })
        });
        async {
            if let Some(stored) = stored {
                drop(tokio::time::timeout(MAX_STORE_WAIT, stored).await);
            }
        }
    }

    /// Takes the configuration as it is now; what it was stays if a file cannot be used.
    pub(crate) fn apply(self: &Arc<Self>, settings: Result<Settings, String>, servers: Servers) {
        let mut config = self.config();
        let mut problems = problems(&servers);
        match settings {
            Ok(settings) => match self.rules_of_views(&settings) {
                Ok(rules) => {
                    self.upstream_context
                        .launcher
                        .write()
                        .unwrap_or_else(PoisonError::into_inner)
                        .adopt(&settings);
                    config.settings = Arc::new(settings);
                    config.rules = rules;
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
        let mut touched = Vec::new();
        for change in changes {
            touched.extend(self.change(&mut config, &change));
        }
        touched.extend(self.reconsider(&mut config));
        self.publish(&config);
        drop(config);
        for upstream in touched {
            self.first_start(&upstream, &self.first_starts);
        }
    }

    fn rules_of_views(&self, settings: &Settings) -> Result<Vec<Arc<RuleSet>>, RuleError> {
        let views = self.views();
        let of = |view: &Arc<View>| rules(settings, view.profile.as_ref()).map(Arc::new);
        views.iter().map(of).collect()
    }

    fn change(
        self: &Arc<Self>,
        config: &mut Config,
        change: &ServerChange,
    ) -> Option<Arc<Upstream>> {
        match change {
            ServerChange::Added(name) => self.install(config, name.as_str()),
            ServerChange::Removed(name) => {
                uninstall(config, name.as_str());
                None
            }
            // The connection goes on; `reconsider` takes the new settings over.
            ServerChange::Changed { kind: ChangeKind::Settings, .. } => None,
            ServerChange::Changed { name, kind: ChangeKind::Restart } => {
                tracing::info!(server = name.as_str(), "changed, so it is started anew");
                uninstall(config, name.as_str());
                self.install(config, name.as_str())
            }
        }
    }

    /// An approval, a rule or a setting may have changed without any change of the server itself.
    fn reconsider(self: &Arc<Self>, config: &mut Config) -> Vec<Arc<Upstream>> {
        let mut touched = Vec::new();
        let all: Vec<_> = config.upstreams.values().cloned().collect();
        for upstream in all {
            let Some(now) = self.configured(config, upstream.name()) else { continue };
            let before = upstream.configured();
            if now.gate != before.gate || now.spec.is_ok() != before.spec.is_ok() {
                uninstall(config, upstream.name());
                touched.extend(self.install(config, upstream.name()));
                continue;
            }
            upstream.reconfigure(now);
            if let Some(lists) = upstream.known().lists {
                let prepared = self.prepare(config, &upstream, &lists);
                config.prepared.insert(upstream.name().into(), prepared);
            }
        }
        touched
    }

    /// Makes an upstream of a server, with the lists that were kept of it.
    fn install(self: &Arc<Self>, config: &mut Config, name: &str) -> Option<Arc<Upstream>> {
        if !self.views().iter().any(|view| view.includes_server(name)) {
            return None;
        }
        let configured = self.configured(config, name)?;
        let usable = configured.gate == Gate::Open && configured.spec.is_ok();
        let kept = usable.then(|| self.cache.load(&configured.identity)).flatten();
        let lists = kept.as_deref().and_then(Lists::from_json);
        let upstream = Upstream::new(configured, Arc::clone(&self.upstream_context), lists);
        let name: Arc<str> = name.into();
        if let Some(lists) = upstream.known().lists {
            let prepared = self.prepare(config, &upstream, &lists);
            config.prepared.insert(Arc::clone(&name), prepared);
        }
        config.upstreams.insert(name, Arc::clone(&upstream));
        Some(upstream)
    }

    fn configured(&self, config: &Config, name: &str) -> Option<Configured> {
        let server = config.servers.get(name)?;
        let spec = server.state.as_ref().map_err(ToString::to_string);
        Some(Configured {
            name: server.name.clone(),
            origin: server.origin,
            identity: server.identity,
            waiting: server.waiting.is_some(),
            gate: self.gate(server, &config.approvals),
            spec: spec.map(|spec| {
                let effective = config.settings.for_server(&server.name, spec);
                (spec.clone(), effective)
            }),
        })
    }

    /// Whether a server may run at all.
    fn gate(&self, server: &ConfiguredServer, approvals: &Result<Approvals, String>) -> Gate {
        if server.switch == Switch::Off {
            return Gate::Disabled;
        }
        if server.state.as_ref().is_ok_and(|spec| self.identity.is_started_by(&spec.target)) {
            return Gate::Ourselves;
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
}

/// Takes an upstream out; the calls on it may end.
fn uninstall(config: &mut Config, name: &str) {
    if let Some(old) = config.upstreams.remove(name) {
        old.retire_gently();
    }
    config.prepared.remove(name);
}
