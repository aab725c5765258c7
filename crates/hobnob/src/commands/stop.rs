//! `hobnob stop`: ends running hubs, with their servers. `main` runs it.
//!
//! What must stay true: it ends only hubs, each through its own socket, and reports one that stays.

use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::Places;
use hobnob_hub::control::WhichHubs;
use hobnob_hub::running_hubs::{running_hubs, stop};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Output};
use rustix::process::{Pid, test_kill_process};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a hub may take to end: calls that run may finish, then servers are asked to go.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// How often the command checks whether the hub has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Stop the hub with this process id, as `hobnob hubs` shows it, instead of those of this
    /// project.
    pid: Vec<u32>,

    /// Stop all hubs of all projects.
    #[arg(long, conflicts_with = "pid")]
    all: bool,
}

pub(crate) fn run(args: StopArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let stopped = runtime::current_thread()?.block_on(stop_all(&places, args))?;
    match context.output {
        Output::Json => render::json(&json!({ "stopped": stopped })),
        Output::People => {
            stopped.iter().try_for_each(|pid| render::line(&format!("stopped hub {pid}")))
        }
    }
}

async fn stop_all(places: &Places, args: StopArgs) -> anyhow::Result<Vec<u32>> {
    let which = if args.all || !args.pid.is_empty() { WhichHubs::All } else { WhichHubs::Ours };
    let running: Vec<u32> =
        running_hubs(places, which).await.into_iter().map(|hub| hub.pid).collect();
    if let Some(unknown) = args.pid.iter().find(|pid| !running.contains(pid)) {
        let message = format!("no hub has the process id {unknown}; `hobnob hubs` shows all");
        return Err(Ended::usage(message).into());
    }
    let meant = if args.pid.is_empty() { running } else { args.pid };
    if meant.is_empty() {
        let message = match which {
            WhichHubs::All => "no hub runs".to_owned(),
            WhichHubs::Ours => format!(
                "no hub runs for {}; `hobnob hubs` shows those of other projects",
                places.project.display()
            ),
        };
        return Err(Ended::new(Code::Failed, message).into());
    }
    for pid in &meant {
        // A hub that has ended meanwhile is stopped as well.
        stop(places, *pid).await;
        until_ended(*pid).await?;
    }
    Ok(meant)
}

async fn until_ended(pid: u32) -> anyhow::Result<()> {
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let process = process.context("this is no process id")?;
    let deadline = Instant::now() + STOP_TIMEOUT;
    while test_kill_process(process).is_ok() {
        if deadline < Instant::now() {
            let message = format!("hub {pid} does not end; to end it at once: kill -9 {pid}");
            return Err(Ended::new(Code::Failed, message).into());
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}
