//! Load generator for MCP servers, mostly with an `echo {message}` tool; it contains no MCP SDK.
//! `cargo xtask bench` runs it once for each figure; it starts the server, measures, and ends it.
//! On success it prints one line of JSON, otherwise a reason on standard error. Any wrong answer
//! fails the whole run.

mod accounting;
mod answer;
mod calls;
mod catalogue;
mod connection;
mod disk;
mod event_reader;
mod events;
mod http;
mod idle;
mod options;
mod program;
mod report;
mod request;
mod server;
mod startup;
mod stdio;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Parser as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::options::{Mode, Options};
use crate::report::Report;

/// No measurement takes longer, not even under an emulator.
const RUN_TIMEOUT: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, the reason cannot be reported.
            let _ = writeln!(std::io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> anyhow::Result<()> {
    // One thread: all other cores are left to the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(bounded(measure(options)))?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&report)?)?;
    Ok(())
}

async fn measure(options: Options) -> anyhow::Result<Report> {
    match options.mode {
        Mode::Stdio => stdio::measure(&options).await,
        Mode::Http => http::measure(&options).await,
        Mode::Program => program::measure(&options),
        Mode::Events => events::measure(&options).await,
        Mode::Idle => idle::measure(&options).await,
        Mode::Startup => startup::measure(&options).await,
        Mode::Catalogue => catalogue::measure(&options).await,
    }
}

/// Dropping the measurement ends its server, so an interrupt leaves no process behind.
async fn bounded(
    measurement: impl Future<Output = anyhow::Result<Report>>,
) -> anyhow::Result<Report> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = tokio::time::timeout(RUN_TIMEOUT, measurement) => ended.context("the measurement took too long")?,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminated.recv() => bail!("terminated"),
    }
}
