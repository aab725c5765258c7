//! The status of one upstream: its phase and the reason, what it offers, and warnings.
//!
//! `reader` asks for each server it reports. Nothing is remembered here.

use crate::identity::is_refusal;
use crate::upstream::configured::Gate;
use crate::upstream::connections::ConnectionsSummary;
use crate::upstream::failures::StartFailure;
use crate::upstream::lists::Lists;
use crate::upstream::logins::{is_login_needed, login_command};
use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::shown_connections::{FAILED_FOR_ANOTHER, ShownConnections};
use crate::upstream::status::{LoginReport, Phase, UpstreamStatus};
use hobnob_config::{HttpKind, Origin, STARTS_OURSELVES, Target};
use hobnob_mcp_engine::{Principal, timestamp};
use hobnob_mcp_process::SandboxLevel;
use hobnob_policy::audit::without_secrets;
use hobnob_text::shell_word;
use std::sync::Arc;

/// The status of one upstream. `rest` is the phase of a known server that is not running.
pub(super) fn upstream_status(
    upstream: &Upstream,
    shown: &ShownConnections,
    rest: Phase,
    mut quarantined: Vec<String>,
) -> UpstreamStatus {
    let configured = upstream.configured();
    let summary = upstream.connections.summary(shown);
    let remembered = upstream.failures.shown(shown);
    let known = upstream.lists.get();
    let first = summary.running.first();
    let (phase, reason, hint) = phase(upstream, shown, rest, &summary, remembered.as_ref());
    let count = |pick: fn(&Lists) -> usize| known.lists.as_deref().map_or(0, pick);
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
            shell_word(upstream.name())
        ));
    }
    warnings.extend(of_connections(&summary.running));
    quarantined.sort_unstable();
    UpstreamStatus {
        name: upstream.name().to_owned(),
        phase,
        reason,
        hint,
        login: login_report(upstream, &shown.principal()),
        failed_at: remembered.map(|failure| timestamp(failure.at())),
        first_start: None,
        origin: match configured.origin {
            Origin::User => "user",
            Origin::Own => "hobnob",
            Origin::Project => "project",
        }
        .into(),
        transport,
        target,
        sandbox: configured
            .sandbox()
            .map(|_| upstream.sandbox_level().map_or("configured", SandboxLevel::name)),
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

/// The login of this principal; the owner's is the one that the gateway itself uses.
fn login_report(upstream: &Upstream, principal: &Principal) -> Option<LoginReport> {
    let configured = upstream.configured();
    let (spec, _) = configured.spec.as_ref().ok()?;
    upstream.logins.report(spec, principal)
}

/// Warnings about connections that are up.
fn of_connections(running: &[Arc<Running>]) -> Vec<String> {
    let mut warnings = Vec::new();
    let invalid: u64 = running.iter().map(|running| running.state.invalid_messages()).sum();
    match invalid {
        0 => {}
        1 => warnings.push("1 line on standard output was no message".into()),
        _ => warnings.push(format!("{invalid} lines on standard output were no messages")),
    }
    match running.iter().map(|running| running.timeouts()).max().unwrap_or(0) {
        0 => {}
        1 => warnings.push("the last call got no answer in time".into()),
        late => warnings.push(format!("the last {late} calls got no answer in time")),
    }
    warnings
}

/// The command or URL without anything that may be secret: arguments, user and query are left out,
/// since every client may read this.
fn in_short(target: &Target) -> String {
    match target {
        Target::Command { program, args, .. } => match args.len() {
            0 => program.written().to_owned(),
            1 => format!("{} … (1 argument)", program.written()),
            count => format!("{} … ({count} arguments)", program.written()),
        },
        Target::Url { url, .. } => without_secrets(url.written()),
    }
}

/// The phase, its reason and a command that helps. `rest` is the phase of a known server at rest.
fn phase(
    upstream: &Upstream,
    shown: &ShownConnections,
    rest: Phase,
    summary: &ConnectionsSummary,
    remembered: Option<&StartFailure>,
) -> (Phase, Option<String>, Option<String>) {
    let name = shell_word(upstream.name());
    let approve = || Some(format!("hobnob approve {name}"));
    let configured = upstream.configured();
    match (&configured.gate, &configured.spec) {
        (Gate::Disabled, _) => {
            return (Phase::Disabled, None, Some(format!("hobnob enable {name}")));
        }
        (Gate::Ourselves, _) => {
            // A project's file may list this server for other clients.
            let theirs = configured.origin == Origin::Project;
            let hint = (!theirs).then(|| format!("hobnob remove {name}"));
            return (Phase::Refused, Some(STARTS_OURSELVES.into()), hint);
        }
        // An approval would not help before the entry is corrected.
        (Gate::NeedsApproval | Gate::Open, Err(why)) => {
            return (Phase::Misconfigured, Some(why.clone()), None);
        }
        (Gate::NeedsApproval, Ok(_)) => {
            let why = "it comes from the project and was never approved";
            return (Phase::NeedsApproval, Some(why.into()), approve());
        }
        (Gate::ApprovalsBroken(why), _) => {
            return (Phase::NeedsApproval, Some(why.clone()), None);
        }
        (Gate::Open, Ok(_)) => {}
    }
    let examine = || Some(format!("hobnob doctor {name}"));
    let failed = || summary.last_failure.clone().unwrap_or_else(|| FAILED_FOR_ANOTHER.to_owned());
    let principal = shown.principal();
    let remembered = remembered.map(|failure| &failure.why);
    let log_in = upstream.logins.needed(&principal);
    let log_in = log_in.or_else(|| remembered.filter(|why| is_login_needed(why)).cloned());
    if let Some(why) = log_in.filter(|_| !summary.starting) {
        let command = login_command(upstream.name(), &principal);
        (Phase::NeedsLogin, Some(why), Some(command))
    } else if !summary.running.is_empty() {
        (Phase::Ready, None, None)
    } else if summary.starting {
        let downloading = upstream.may_be_downloading();
        // The reason of the last failure stays readable while it is tried again.
        let before = (summary.failures > 0).then(|| format!("tried again after: {}", failed()));
        (if downloading { Phase::Installing } else { Phase::Starting }, before, None)
    } else if summary.last_failure.as_deref().is_some_and(is_refusal) {
        (Phase::Refused, Some(failed()), None)
    } else if summary.resting {
        (Phase::Resting, Some(failed()), examine())
    } else if summary.failures > 0 {
        (Phase::Failed, Some(failed()), examine())
    } else if let Some(why) = remembered {
        (Phase::Failed, Some(why.clone()), examine())
    } else if upstream.lists.is_unknown() {
        (Phase::Unknown, Some("it was never started".into()), None)
    } else if rest == Phase::Stopped {
        (rest, Some("it was ready when it last ran".into()), None)
    } else {
        (rest, None, None)
    }
}
