//! Runs a program to its end repeatedly, for comparison with calls that do the same work.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::accounting::{Usage, children_cpu};
use crate::options::{Limit, Options};
use crate::report::{Report, Tally};

pub(crate) fn measure(options: &Options) -> anyhow::Result<Report> {
    let run = |limit: Limit| -> anyhow::Result<Tally> {
        let mut latencies: Vec<Duration> = Vec::new();
        let begin = Instant::now();
        while limit.allows(latencies.len(), begin.elapsed()) {
            latencies.push(once(options)?);
        }
        Ok(Tally { latencies, elapsed: begin.elapsed() })
    };
    run(options.warmup()?).context("warm-up")?;
    let before = usage()?;
    let tally = run(options.limit()?)?;
    let after = usage()?;
    Ok(tally.report(before, after))
}

/// Of the programs that have ended; their memory cannot be read any more.
fn usage() -> anyhow::Result<Usage> {
    Ok(Usage { cpu: children_cpu()?, rss_kib: 0 })
}

/// The time from the start of the program until its output is read and it has ended.
fn once(options: &Options) -> anyhow::Result<Duration> {
    let (program, arguments) = options.command.split_first().context("no program")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    // Uses `fork` and `exec`, as most programs do to start others. The standard library does so
    // only if it must, for example to change the user, even to the same one.
    command.uid(rustix::process::getuid().as_raw());
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {program}"))?;
    let mut printed = Vec::new();
    let read = child.stdout.take().context("no output")?.read_to_end(&mut printed);
    let status = child.wait()?;
    let took = begun.elapsed();
    read?;
    ensure!(status.success(), "{program} ended: {status}");
    let contains = |text: &String| memchr::memmem::find(&printed, text.as_bytes()).is_some();
    ensure!(options.contains.as_ref().is_none_or(contains), "{program} did not print it");
    Ok(took)
}
