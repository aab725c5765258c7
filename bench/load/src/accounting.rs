//! Processor time and memory of a server, read from `/proc`.
//! A server is its whole process group, so a server behind a launcher is counted in full.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};

#[derive(Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    pub(crate) rss_kib: u64,
}

/// What the processes of a group have used so far.
pub(crate) fn usage_of_group(group: i32) -> anyhow::Result<Usage> {
    let (mut nanoseconds, mut rss_kib, mut processes) = (0, 0, 0);
    for entry in std::fs::read_dir("/proc")? {
        let process = entry?.path();
        if group_of(&process) == Some(group) {
            nanoseconds += cpu_nanoseconds(&process)?;
            rss_kib += resident_kib(&process)?;
            processes += 1;
        }
    }
    ensure!(processes > 0, "the server has ended");
    Ok(Usage { cpu: Duration::from_nanos(nanoseconds), rss_kib })
}

/// Nothing for entries that are not processes, or no longer.
fn group_of(process: &Path) -> Option<i32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    // The name in parentheses may contain anything; state, parent and group come after it.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(2)?.parse().ok()
}

/// `stat` counts in hundredths of a second, which is too coarse here; `schedstat` does not.
fn cpu_nanoseconds(process: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    for thread in std::fs::read_dir(process.join("task"))? {
        let path = thread?.path().join("schedstat");
        // A thread may end between being listed and being read.
        let Ok(schedstat) = std::fs::read_to_string(&path) else { continue };
        let on_cpu = schedstat.split_whitespace().next().context("schedstat is empty")?;
        total += on_cpu.parse::<u64>()?;
    }
    Ok(total)
}

fn resident_kib(process: &Path) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(process.join("status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next());
    Ok(kib.unwrap_or("0").parse()?)
}
