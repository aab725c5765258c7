//! `hobnob doctor`: checks every file, starts every server once, and says how to fix problems.
//!
//! What must stay true: the user's approvals and pins do not change.

mod advice;
mod finding;
mod machine;
mod models;
pub(super) mod probe;
mod show;
mod store;
#[cfg(test)]
mod tests;
mod unmatched;

use super::scope::{typed_name, unknown};
use crate::context::CommandContext;
use crate::logs::TraceArgs;
use crate::runtime;
use clap::Args;
use finding::{Report, ServerFinding};
use hobnob_config::{Places, ServerName, Servers, Settings, process_environment};
use hobnob_hub::compose;
use hobnob_hub::file_checks::file_checks;
use hobnob_hub::finding::Verdict;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::signals::Signals;
use indicatif::ProgressBar;
use probe::Prober;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use unmatched::UnmatchedEntries;

/// How many servers are started at the same time.
const MAX_CONCURRENT_STARTS: usize = 8;
/// How often the spinner turns.
const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The servers to check; all of them by default.
    #[arg(add = super::completions::servers())]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) trace: TraceArgs,
}

pub(crate) fn run(args: DoctorArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let servers = Servers::load(&places, &process_environment);
    let names: Vec<ServerName> =
        args.names.iter().map(|name| typed_name(name)).collect::<Result<_, _>>()?;
    if let Some(name) = names.iter().find(|name| servers.get(name.as_str()).is_none()) {
        return Err(unknown(&places, name.as_str()));
    }
    let runtime = runtime::multi_thread()?;
    let report = runtime.block_on(examine(places, servers, &names, context.output))?;
    match context.output {
        Output::Json => {
            // Text output shows them in the report itself.
            let broken = report.checks.iter().filter(|check| check.verdict == Verdict::Broken);
            broken.for_each(|check| render::warn(&check.message));
            render::json(&report)?;
        }
        Output::People => show::show(&report)?,
    }
    if report.ok { Ok(()) } else { Err(Ended::silently(Code::Failed).into()) }
}

async fn examine(
    places: Places,
    servers: Servers,
    names: &[ServerName],
    output: Output,
) -> anyhow::Result<Report> {
    let mut checks: Vec<_> = machine::missing_folders(&places).into_iter().collect();
    let settings = Settings::load(&places.settings());
    checks.extend(file_checks(&places, &servers, &settings));
    checks.extend(store::store(&places));
    checks.extend(settings.as_ref().ok().map(|settings| store::embeddings(&places, settings)));
    checks.extend(match &settings {
        Ok(settings) => models::providers(settings).await,
        Err(_) => Vec::new(),
    });
    // Servers are checked even without valid settings, with the defaults.
    let settings = settings.unwrap_or_default();
    let launcher = compose::launcher(&places, &settings)?;
    checks.push(machine::supervisor(launcher.supervision.detect().await));
    checks.push(machine::sandbox().await);
    checks.push(machine::memory_limit(&places).await);
    checks.extend(machine::running_hub(&places).await);
    let wanted: Vec<ServerName> = servers
        .iter()
        .map(|server| server.name.clone())
        .filter(|name| names.is_empty() || names.contains(name))
        .collect();
    let unmatched = UnmatchedEntries::new(&places, &settings);
    let prober = Arc::new(Prober::new(&places, settings, servers, launcher)?);
    let mut signals = Signals::new()?;
    let servers = tokio::select! {
        servers = start_all(&prober, wanted, output) => servers,
        () = signals.next() => return Err(Ended::silently(Code::Interrupted).into()),
    };
    // The servers have just been started, so their tools are known.
    checks.extend(unmatched.find());
    let broken = |verdict: Verdict| verdict == Verdict::Broken;
    let ok = !checks.iter().any(|check| broken(check.verdict))
        && !servers.iter().any(|server| broken(server.verdict));
    Ok(Report { ok, checks, servers })
}

/// Starts a few servers at a time, and returns the findings in the order of their names.
async fn start_all(
    prober: &Arc<Prober>,
    names: Vec<ServerName>,
    output: Output,
) -> Vec<ServerFinding> {
    let spinner = match output {
        Output::People => ProgressBar::new_spinner(),
        Output::Json => ProgressBar::hidden(),
    };
    spinner.set_message(format!("starting {}", render::counted(names.len(), "server")));
    spinner.enable_steady_tick(SPINNER_INTERVAL);
    let slots = Arc::new(Semaphore::new(MAX_CONCURRENT_STARTS));
    let mut probes = JoinSet::new();
    for name in names {
        let (prober, slots) = (Arc::clone(prober), Arc::clone(&slots));
        probes.spawn(async move {
            // The semaphore is never closed.
            let _slot = slots.acquire().await.ok();
            prober.examine(&name).await
        });
    }
    let mut findings = Vec::new();
    while let Some(found) = probes.join_next().await {
        match found {
            Ok(found) => findings.extend(found),
            Err(error) => tracing::error!(%error, "cannot check a server"),
        }
        spinner.set_message(format!("waiting for {}", render::counted(probes.len(), "server")));
    }
    spinner.finish_and_clear();
    findings.sort_by(|one, other| one.name.cmp(&other.name));
    findings
}
