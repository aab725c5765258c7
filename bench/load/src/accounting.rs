//! Processor time and memory of a server, read from `/proc`. A server is its process group and all
//! descendants of it, so the processes that a launcher or a gateway starts count in full, even in
//! groups of their own.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};

#[derive(Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    pub(crate) rss_kib: u64,
}

/// What the server with this process group has used so far.
pub(crate) fn usage_of_group(group: i32) -> anyhow::Result<Usage> {
    let (mut nanoseconds, mut rss_kib) = (0, 0);
    let members = members_of_group(group)?;
    ensure!(!members.is_empty(), "the server has ended");
    for process in members {
        let folder = PathBuf::from(format!("/proc/{process}"));
        nanoseconds += cpu_nanoseconds(&folder)?;
        rss_kib += resident_kib(&folder)?;
    }
    Ok(Usage { cpu: Duration::from_nanos(nanoseconds), rss_kib })
}

/// Processor time of all our ended children, with a resolution of 10 ms.
pub(crate) fn children_cpu() -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    cpu_of_children(&stat).context("`/proc/self/stat` cannot be read")
}

fn cpu_of_children(stat: &str) -> Option<Duration> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut ticks = after_name.split_whitespace().skip(13).map(str::parse::<u64>);
    let (user, system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

/// The proportional set size of all processes of a server.
pub(crate) fn proportional_kib_of_group(group: i32) -> anyhow::Result<u64> {
    let members = members_of_group(group)?.into_iter();
    members.map(|process| proportional_kib(&PathBuf::from(format!("/proc/{process}")))).sum()
}

/// The processes of a group and all their descendants.
pub(crate) fn members_of_group(group: i32) -> anyhow::Result<HashSet<i32>> {
    let mut kin = HashMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let process = entry?;
        let number = process.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        if let Some((number, found)) = number.zip(kin_of(&process.path())) {
            kin.insert(number, found);
        }
    }
    Ok(descendants(&kin, group))
}

/// The parent of a process, and its group.
#[derive(Clone, Copy)]
struct Kin {
    parent: i32,
    group: i32,
}

/// `None` for an entry of `/proc` that is not a process, or no longer one.
fn kin_of(process: &Path) -> Option<Kin> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    // The name in parentheses may contain anything; state, parent and group follow it.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    Some(Kin { parent, group: fields.next()?.parse().ok()? })
}

/// The start time of a process in ticks since boot. Together with the process id, which may be
/// reused, it identifies a process.
pub(crate) fn birth(process: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

fn descendants(kin: &HashMap<i32, Kin>, group: i32) -> HashSet<i32> {
    let in_group = kin.iter().filter(|(_, kin)| kin.group == group);
    let mut members: HashSet<i32> = in_group.map(|(process, _)| *process).collect();
    loop {
        let children = kin.iter().filter(|(_, kin)| members.contains(&kin.parent));
        let grown: HashSet<i32> = children.map(|(process, _)| *process).collect();
        let before = members.len();
        members.extend(grown);
        if members.len() == before {
            return members;
        }
    }
}

/// `stat` has a resolution of 10 ms, which is too coarse here; `schedstat` counts nanoseconds.
fn cpu_nanoseconds(process: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    // A process or thread may end between being listed and being read.
    let Ok(threads) = std::fs::read_dir(process.join("task")) else { return Ok(0) };
    for thread in threads.flatten() {
        let Ok(schedstat) = std::fs::read_to_string(thread.path().join("schedstat")) else {
            continue;
        };
        let on_cpu = schedstat.split_whitespace().next().context("schedstat is empty")?;
        total += on_cpu.parse::<u64>()?;
    }
    Ok(total)
}

fn resident_kib(process: &Path) -> anyhow::Result<u64> {
    let Ok(status) = std::fs::read_to_string(process.join("status")) else { return Ok(0) };
    kib_after(&status, "VmRSS:")
}

/// Zero for a process that has just ended.
fn proportional_kib(process: &Path) -> anyhow::Result<u64> {
    let Ok(rollup) = std::fs::read_to_string(process.join("smaps_rollup")) else { return Ok(0) };
    kib_after(&rollup, "Pss:")
}

fn kib_after(text: &str, name: &str) -> anyhow::Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|rest| rest.split_whitespace().next());
    Ok(kib.unwrap_or("0").parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_kibibytes() {
        let rollup = "5581-7fff ---p 00000000 00:00 0 [rollup]\nRss:   9000 kB\nPss:    812 kB\nPss_Anon: 5 kB\n";
        assert_eq!(kib_after(rollup, "Pss:").unwrap(), 812);
        assert_eq!(kib_after("Name: zombie\n", "VmRSS:").unwrap(), 0);
    }

    #[test]
    fn time_of_children_is_read_in_hundredths_of_a_second() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 1 2 3 4 50 60 70 80 20 0 1 0 99";
        assert_eq!(cpu_of_children(stat), Some(Duration::from_millis(1500)));
        assert_eq!(cpu_of_children("7 (a"), None);
    }

    #[test]
    fn a_server_is_its_group_and_all_that_descends_from_it() {
        let process = |number, parent, group| (number, Kin { parent, group });
        let kin = HashMap::from([
            process(10, 1, 10),
            process(11, 10, 10),
            // A child in a group of its own, and its child.
            process(12, 11, 12),
            process(13, 12, 12),
            // An unrelated process group.
            process(20, 1, 20),
            process(21, 20, 20),
        ]);
        assert_eq!(descendants(&kin, 10), HashSet::from([10, 11, 12, 13]));
        assert!(descendants(&kin, 99).is_empty());
    }
}
