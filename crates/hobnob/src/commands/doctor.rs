//! `hobnob doctor`: looks at every file, starts every server once, and says what to do.

mod advice;
mod finding;
mod machine;
mod probe;
mod show;
mod store;
#[cfg(test)]
mod tests;

use super::scope::{typed_name, unknown};
use crate::compose;
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render;
use crate::signals::Signals;
use anyhow::Context as _;
use clap::Args;
use finding::{Finding, ServerFinding, Verdict};
use hobnob_config::{Places, ServerName, Servers, Settings, process_environment};
use indicatif::ProgressBar;
use probe::Bench;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Servers that are started at once.
const AT_ONCE: usize = 8;
/// How often the spinner turns.
const TURN: Duration = Duration::from_millis(100);

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Only these servers; all of them if none is named.
    pub(crate) names: Vec<String>,
}

/// Everything that was looked at.
#[derive(Debug, Serialize)]
struct Report {
    /// Whether nothing is broken.
    ok: bool,
    checks: Vec<Finding>,
    servers: Vec<ServerFinding>,
}

/// Does it.
pub(crate) fn run(args: DoctorArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let servers = Servers::load(&places, &process_environment);
    let names: Vec<ServerName> =
        args.names.iter().map(|name| typed_name(name)).collect::<Result<_, _>>()?;
    if let Some(name) = names.iter().find(|name| servers.get(name.as_str()).is_none()) {
        return Err(unknown(&places, name.as_str()));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the runtime cannot be started")?;
    let report = runtime.block_on(examine(places, servers, &names, context.output))?;
    match context.output {
        Output::Json => {
            // People see it in the report itself.
            let broken = report.checks.iter().filter(|check| check.verdict == Verdict::Broken);
            broken.for_each(|check| render::warn(&check.message));
            render::json(&report)?;
        }
        Output::People => show::show(&report)?,
    }
    if report.ok { Ok(()) } else { Err(Ended::quietly(Code::Failed).into()) }
}

async fn examine(
    places: Places,
    servers: Servers,
    names: &[ServerName],
    output: Output,
) -> anyhow::Result<Report> {
    let mut checks = machine::folders(&places);
    checks.extend(machine::server_files(&places, &servers));
    let settings = Settings::load(&places.settings());
    checks.extend(machine::settings(&places, &settings));
    checks.extend(machine::profiles(&places));
    checks.extend(machine::approvals(&places));
    checks.extend(store::store(&places));
    checks.extend(settings.as_ref().ok().map(|settings| store::embeddings(&places, settings)));
    // Without settings servers are still worth a look, with what holds by default.
    let settings = settings.unwrap_or_default();
    let launcher = compose::launcher(&places, &settings)?;
    checks.push(machine::supervisor(launcher.supervision.detect().await));
    let wanted: Vec<ServerName> = servers
        .iter()
        .map(|server| server.name.clone())
        .filter(|name| names.is_empty() || names.contains(name))
        .collect();
    let bench = Arc::new(Bench::new(&places, settings, servers, launcher)?);
    let mut signals = Signals::new()?;
    let servers = tokio::select! {
        servers = start_all(&bench, wanted, output) => servers,
        () = signals.next() => return Err(Ended::quietly(Code::Interrupted).into()),
    };
    let broken = |verdict: Verdict| verdict == Verdict::Broken;
    let ok = !checks.iter().any(|check| broken(check.verdict))
        && !servers.iter().any(|server| broken(server.verdict));
    Ok(Report { ok, checks, servers })
}

/// Starts them in parallel, a few at once, and brings the findings in the order of the names.
async fn start_all(
    bench: &Arc<Bench>,
    names: Vec<ServerName>,
    output: Output,
) -> Vec<ServerFinding> {
    let spinner = match output {
        Output::People => ProgressBar::new_spinner(),
        Output::Json => ProgressBar::hidden(),
    };
    spinner.set_message(format!("starting {} servers", names.len()));
    spinner.enable_steady_tick(TURN);
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut probes = JoinSet::new();
    for name in names {
        let (bench, room) = (Arc::clone(bench), Arc::clone(&room));
        probes.spawn(async move {
            // It is never closed.
            let _place = room.acquire().await.ok();
            bench.examine(&name).await
        });
    }
    let mut findings = Vec::new();
    while let Some(found) = probes.join_next().await {
        match found {
            Ok(found) => findings.extend(found),
            Err(error) => tracing::error!(%error, "an examination failed"),
        }
        spinner.set_message(format!("waiting for {} servers", probes.len()));
    }
    spinner.finish_and_clear();
    findings.sort_by(|one, other| one.name.cmp(&other.name));
    findings
}
