//! Load generator for MCP servers, mostly with an `echo {message}` tool; it contains no MCP SDK.
//! `cargo xtask bench` runs it once for each figure; it starts the server, measures, and ends it.
//! One line of JSON on success, a reason on standard error otherwise.
//! A run in which one answer is not what was asked for is a failed run.

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
const WHOLE_RUN: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(std::io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> anyhow::Result<()> {
    // One thread: the other cores stay with the server.
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

/// Dropping the measurement ends its server, so an interrupt leaves nothing behind.
async fn bounded(
    measurement: impl Future<Output = anyhow::Result<Report>>,
) -> anyhow::Result<Report> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = tokio::time::timeout(WHOLE_RUN, measurement) => ended.context("the measurement took too long")?,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminated.recv() => bail!("terminated"),
    }
}
