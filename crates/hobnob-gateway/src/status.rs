//! The truth about every server: its state, why, and what to do.

use crate::catalog::Catalogue;
use crate::dispatch::service::GatewayService;
use crate::gateway::{FirstStarts, Gateway};
use crate::identity::is_refusal;
use crate::upstream::configured::Gate;
use crate::upstream::server::{Upstream, UpstreamSummary};
use crate::upstream::status::{Phase, UpstreamStatus};
use hobnob_config::{HttpKind, Origin, STARTS_OURSELVES, Target};
use hobnob_mcp_engine::timestamp;
use hobnob_policy::audit::without_secrets;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Lines of standard error that are shown.
const TAIL: usize = 200;

/// Everything there is to tell.
#[derive(Debug, Clone, Serialize)]
pub struct GatewayStatus {
    /// The version of this Hobnob.
    pub version: &'static str,
    /// The id of the process that answers.
    pub pid: u32,
    /// An id that no other process has, on this machine or elsewhere.
    pub instance: String,
    /// The folder of the project it serves.
    pub project: String,
    /// What is wrong with the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Every configured server, by name.
    pub servers: Vec<UpstreamStatus>,
}

impl Gateway {
    /// How everything is right now.
    pub fn status(&self) -> GatewayStatus {
        let (mut problems, prepared, upstreams) = {
            let config = self.config();
            (config.all_problems(), config.prepared.clone(), config.upstreams.clone())
        };
        // Much of what is wrong is the same in every view.
        let mut told = BTreeSet::new();
        for view in self.views().iter() {
            for flaw in flaws(&view.snapshot().catalogue) {
                if told.insert(flaw.clone()) {
                    problems.push(match &view.name {
                        Some(name) => format!("profile `{name}`: {flaw}"),
                        None => flaw,
                    });
                }
            }
        }
        let rejected = prepared.values().flat_map(|prepared| prepared.entries.rejected());
        problems.extend(rejected.map(ToString::to_string));
        let held = |name: &str| {
            let held = prepared.get(name).map(|prepared| prepared.quarantine.as_slice());
            held.unwrap_or_default().iter().map(|(tool, _)| tool.clone()).collect()
        };
        let servers = upstreams.values().map(|it| self.upstream_status(it, held(it.name())));
        self.assemble(problems, servers.collect())
    }

    fn assemble(&self, mut problems: Vec<String>, servers: Vec<UpstreamStatus>) -> GatewayStatus {
        if let Some(source) = self.service_problems.get() {
            problems.extend(source());
        }
        GatewayStatus {
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            instance: self.identity.instance().to_owned(),
            project: self.places.project.display().to_string(),
            problems,
            servers,
        }
    }
}

impl GatewayService {
    /// How everything is that this view shows.
    pub(crate) fn status(&self) -> GatewayStatus {
        let snapshot = self.view.snapshot();
        let mut problems = snapshot.problems.clone();
        problems.extend(flaws(&snapshot.catalogue));
        problems.extend(snapshot.catalogue.rejected().iter().map(ToString::to_string));
        let held = |name: &str| {
            let held = snapshot.quarantine.values().filter(|held| *held.server == *name);
            held.map(|held| held.tool.clone()).collect()
        };
        let status = |it: &Arc<Upstream>| self.gateway.upstream_status(it, held(it.name()));
        let servers = snapshot.upstreams.values().map(status);
        self.gateway.assemble(problems, servers.collect())
    }

    /// The last a server wrote to standard error.
    pub(crate) fn log_of(&self, server: &str) -> Option<String> {
        let snapshot = self.view.snapshot();
        let upstream = snapshot.upstreams.get(server)?;
        let summary = upstream.summary();
        let logs = summary.running.iter().filter_map(|running| running.stderr.as_ref());
        let text = logs.map(|log| log.tail(TAIL)).collect::<Vec<_>>().join("\n");
        Some(upstream.configured().conceal(&text))
    }
}

/// What a view wants and cannot have.
fn flaws(catalogue: &Catalogue) -> Vec<String> {
    let conflicts = catalogue.conflicts().iter().map(|conflict| {
        format!(
            "`{}` is taken by {}, so {} does not have it",
            conflict.key, conflict.kept, conflict.dropped
        )
    });
    conflicts.chain(catalogue.invalid_overrides().iter().map(ToString::to_string)).collect()
}

impl Gateway {
    fn upstream_status(&self, upstream: &Upstream, quarantined: Vec<String>) -> UpstreamStatus {
        // Without a hub nothing is kept that could sleep.
        let rest = match self.first_starts {
            FirstStarts::Unknown => Phase::Sleeping,
            FirstStarts::UnknownOnce | FirstStarts::Only(_) | FirstStarts::None => Phase::Stopped,
        };
        let awaited = self.awaited.contains(upstream.name());
        UpstreamStatus { awaited, ..upstream_status(upstream, rest, quarantined) }
    }
}

fn upstream_status(
    upstream: &Upstream,
    rest: Phase,
    mut quarantined: Vec<String>,
) -> UpstreamStatus {
    let configured = upstream.configured();
    let summary = upstream.summary();
    let known = upstream.known();
    let first = summary.running.first();
    let (phase, reason, hint) = phase(upstream, rest, &summary);
    let count =
        |pick: fn(&crate::upstream::lists::Lists) -> usize| known.lists.as_deref().map_or(0, pick);
    let (transport, target) = match &configured.spec {
        Ok((spec, _)) => {
            let transport = match &spec.target {
                Target::Command { .. } => "stdio",
                Target::Url { kind: HttpKind::Sse, .. } => "sse",
                Target::Url { .. } => "http",
            };
            (transport, in_short(&spec.target))
        }
        Err(_) => ("unknown", String::new()),
    };
    let mut warnings = known.problems.clone();
    if configured.waiting {
        warnings.push(format!(
            "the project's entry of this name waits for an approval (hobnob approve {}); until \
             then yours is used",
            upstream.name()
        ));
    }
    let invalid: u64 = summary.running.iter().map(|running| running.state.invalid_messages()).sum();
    if invalid > 0 {
        warnings.push(format!("{invalid} lines on standard output were no messages"));
    }
    let late = summary.running.iter().map(|running| running.timeouts()).max().unwrap_or(0);
    if late > 0 {
        warnings.push(format!("the last {late} calls got no answer in time"));
    }
    quarantined.sort_unstable();
    UpstreamStatus {
        name: upstream.name().to_owned(),
        phase,
        reason,
        hint,
        failed_at: summary.remembered.as_ref().map(|failure| timestamp(failure.at())),
        awaited: false,
        origin: match configured.origin {
            Origin::User => "user",
            Origin::Own => "hobnob",
            Origin::Project => "project",
        }
        .into(),
        transport,
        target,
        server: known.lists.as_ref().map(|lists| lists.about.server.clone()),
        revision: known.lists.as_ref().map(|lists| lists.about.revision.clone()),
        pid: first.and_then(|running| running.pid),
        uptime_seconds: first.map(|running| running.started.elapsed().as_secs()),
        connections: summary.running.len(),
        in_flight: summary.running.iter().map(|running| running.in_flight()).sum(),
        starts: summary.starts,
        tools: count(|lists| lists.tools.len()),
        resources: count(|lists| lists.resources.len()),
        templates: count(|lists| lists.templates.len()),
        prompts: count(|lists| lists.prompts.len()),
        quarantined,
        warnings,
    }
}

/// What is started or reached, without what may be secret: arguments, user and query stay out,
/// since every client may read this.
fn in_short(target: &Target) -> String {
    match target {
        Target::Command { program, args, .. } => match args.len() {
            0 => program.written().to_owned(),
            count => format!("{} … ({count} arguments)", program.written()),
        },
        Target::Url { url, .. } => without_secrets(url.written()),
    }
}

/// Where an upstream is, why, and what to do. `rest` is where one is that is known and does not run.
fn phase(
    upstream: &Upstream,
    rest: Phase,
    summary: &UpstreamSummary,
) -> (Phase, Option<String>, Option<String>) {
    let name = upstream.name();
    let approve = || Some(format!("hobnob approve {name}"));
    let configured = upstream.configured();
    match (&configured.gate, &configured.spec) {
        (Gate::Disabled, _) => {
            return (Phase::Disabled, None, Some(format!("hobnob enable {name}")));
        }
        (Gate::Ourselves, _) => {
            // A project's file may have it for other clients.
            let theirs = configured.origin == Origin::Project;
            let hint = (!theirs).then(|| format!("hobnob remove {name}"));
            return (Phase::Refused, Some(STARTS_OURSELVES.into()), hint);
        }
        (Gate::NeedsApproval, _) => {
            let why = "it comes from the project and was never approved";
            return (Phase::NeedsApproval, Some(why.into()), approve());
        }
        (Gate::ApprovalsBroken(why), _) => {
            return (Phase::NeedsApproval, Some(why.clone()), None);
        }
        (Gate::Open, Err(why)) => return (Phase::Misconfigured, Some(why.clone()), None),
        (Gate::Open, Ok(_)) => {}
    }
    let examine = || Some(format!("hobnob doctor {name}"));
    let failure = summary.last_failure.clone();
    if !summary.running.is_empty() {
        (Phase::Ready, None, None)
    } else if summary.starting {
        let downloading = upstream.may_be_downloading();
        (if downloading { Phase::Installing } else { Phase::Starting }, None, None)
    } else if failure.as_deref().is_some_and(is_refusal) {
        (Phase::Refused, failure, None)
    } else if summary.resting {
        (Phase::Resting, failure, examine())
    } else if summary.failures > 0 {
        (Phase::Failed, failure, examine())
    } else if let Some(failure) = &summary.remembered {
        (Phase::Failed, Some(failure.why.clone()), examine())
    } else if upstream.is_unknown() {
        (Phase::Unknown, Some("it was never started".into()), None)
    } else if rest == Phase::Stopped {
        (rest, Some("it was ready when it last ran".into()), None)
    } else {
        (rest, None, None)
    }
}
