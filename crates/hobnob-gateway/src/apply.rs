//! From what the user wrote to upstreams: at the beginning, and whenever it changes.

use crate::gateway::{FirstStarts, Gateway};
use crate::state::{Config, approved, problems, rules};
use crate::upstream::lists::Lists;
use crate::upstream::pool::{Configured, Gate, Upstream};
use crate::view::View;
use hobnob_config::{
    Approvals, ChangeKind, Origin, Server, ServerChange, Servers, Settings, Start, Switch, compare,
};
use hobnob_policy::{RuleError, Rules};
use mcp_engine::Principal;
use std::sync::{Arc, PoisonError};

impl Gateway {
    /// Makes upstreams of the servers that a new view has and no view had before it, from what is
    /// known without starting anything.
    pub(crate) fn install_missing(self: &Arc<Self>, config: &mut Config) -> Vec<Arc<Upstream>> {
        let names: Vec<_> = config.servers.iter().map(|server| server.name.clone()).collect();
        let missing = names.iter().filter(|name| !config.upstreams.contains_key(name.as_str()));
        let missing: Vec<_> = missing.cloned().collect();
        missing.iter().filter_map(|name| self.install(config, name.as_str())).collect()
    }

    /// Starts an upstream that nothing is known of, or that is to start with us.
    pub(crate) fn first_start(self: &Arc<Self>, upstream: &Arc<Upstream>, starts: FirstStarts) {
        let configured = upstream.configured();
        let Ok((_, effective)) = &configured.spec else { return };
        let wanted = effective.start == Start::Eager || upstream.known().lists.is_none();
        if starts == FirstStarts::None || !wanted || configured.gate != Gate::Open {
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
        let wait = self.config().settings.gateway.first_list_wait;
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
            self.publish(&config);
        }
        if !known.problems.is_empty() {
            // Only the whole truth is kept.
            return;
        }
        let (cache, digest) = (self.cache.clone(), upstream.configured().digest);
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
            Ok(settings) => match self.rules_of_views(&settings) {
                Ok(rules) => {
                    self.around
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
        self.read_approvals(&mut config);
        let mut touched = Vec::new();
        for change in changes {
            touched.extend(self.change(&mut config, &change));
        }
        touched.extend(self.reconsider(&mut config));
        self.publish(&config);
        drop(config);
        for upstream in touched {
            self.first_start(&upstream, FirstStarts::Unknown);
        }
    }

    fn rules_of_views(&self, settings: &Settings) -> Result<Vec<Arc<Rules>>, RuleError> {
        let views = self.views();
        let of = |view: &Arc<View>| rules(settings, view.profile.as_ref()).map(Arc::new);
        views.iter().map(of).collect()
    }

    /// What was approved by now. What this process saw first counts even if it could not be
    /// written down.
    fn read_approvals(&self, config: &mut Config) {
        config.approvals = approved(&self.places.approvals());
        if let Ok(approvals) = &mut config.approvals {
            for (key, pins) in &config.first_seen {
                if approvals.pins(key).is_none() {
                    approvals.set_pins(key.clone(), pins.clone());
                }
            }
        }
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

    fn configured(&self, config: &Config, name: &str) -> Option<Configured> {
        let server = config.servers.get(name)?;
        let spec = server.state.as_ref().map_err(ToString::to_string);
        Some(Configured {
            name: server.name.clone(),
            origin: server.origin,
            digest: server.digest,
            gate: self.gate(server, &config.approvals),
            spec: spec.map(|spec| {
                let effective = config.settings.for_server(&server.name, spec);
                (spec.clone(), effective)
            }),
        })
    }

    /// Whether a server may run at all.
    fn gate(&self, server: &Server, approvals: &Result<Approvals, String>) -> Gate {
        if server.switch == Switch::Off {
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
}

/// Takes an upstream out; the calls on it may end.
fn uninstall(config: &mut Config, name: &str) {
    if let Some(old) = config.upstreams.remove(name) {
        old.retire_gently();
    }
    config.prepared.remove(name);
}
