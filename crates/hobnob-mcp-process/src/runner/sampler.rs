//! Measures what all processes below a runner use together, from `/proc`, while a command runs.
//!
//! Without [cgroups](super::cgroup), no limit of the kernel covers a tree of processes. So the tree
//! is sampled ten times a second, and [`command`](super::command) ends a tree that exceeds a limit.
//! Between two samples a command can use more.

use super::cgroup::{KernelLimit, MemoryJudge};
use super::own_space::OwnSpace;
use crate::limits::{LimitKind, ProcessLimits};
use nix::sys::resource::{UsageWho, getrusage};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

/// The time between two samples.
pub(super) const PERIOD: Duration = Duration::from_millis(100);

/// Adds up what the tree of one command uses.
pub(super) struct Sampler<'a> {
    limits: ProcessLimits,
    own_space: Option<OwnSpace>,
    /// The cgroup of the tree, whose limit the kernel enforces all the time.
    kernel_limit: Option<&'a KernelLimit>,
    /// CPU time of all children that this runner had reaped before the command.
    cpu_before: Duration,
    /// The peak memory of the largest child that this runner had reaped before the command.
    peak_before: u64,
    /// The largest memory of the whole tree in any sample.
    peak_seen: u64,
}

/// One process, from `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProcessSample {
    pub(super) parent: i32,
    /// Clock ticks of CPU time, of the process and of the children it has waited for.
    pub(super) ticks: u64,
    /// Resident pages of memory.
    pub(super) resident: u64,
}

impl<'a> Sampler<'a> {
    /// A sampler for the command that is about to start.
    pub(super) fn new(
        limits: ProcessLimits,
        own_space: Option<OwnSpace>,
        kernel_limit: Option<&'a KernelLimit>,
    ) -> io::Result<Self> {
        let (cpu_before, peak_before) = reaped()?;
        Ok(Self { limits, own_space, kernel_limit, cpu_before, peak_before, peak_seen: 0 })
    }

    /// Whether the kernel has killed a process of the tree because of the memory limit.
    pub(super) fn is_out_of_memory(&self) -> io::Result<bool> {
        self.kernel_limit.map_or(Ok(false), KernelLimit::is_exceeded)
    }

    /// Takes a sample; returns the limit that the tree exceeds now, if any.
    pub(super) fn look(&mut self) -> io::Result<Option<LimitKind>> {
        if self.is_out_of_memory()? {
            return Ok(Some(LimitKind::Memory));
        }
        let tree = tree()?;
        if usize::try_from(self.limits.processes).is_ok_and(|limit| limit < tree.len()) {
            return Ok(Some(LimitKind::Processes));
        }
        let page = rustix::param::page_size() as u64;
        let resident = tree.iter().map(|(_, it)| it.resident * page).sum();
        let in_files = memfd_bytes(&tree) + self.own_space.map_or(Ok(0), OwnSpace::bytes)?;
        self.peak_seen = self.peak_seen.max(resident).max(in_files);
        let is_judged = match self.kernel_limit.map(KernelLimit::judge) {
            Some(MemoryJudge::Kernel) => false,
            Some(MemoryJudge::KernelAndSampler) | None => true,
        };
        // The sum counts shared pages more than once, so measure exactly before deciding.
        if is_judged
            && self.limits.memory < resident + in_files
            && self.limits.memory < proportional(&tree, in_files)
        {
            return Ok(Some(LimitKind::Memory));
        }
        let ticks: u64 = tree.iter().map(|(_, it)| it.ticks).sum();
        let living = Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second());
        let used = reaped()?.0.saturating_sub(self.cpu_before) + living;
        Ok((self.limits.cpu < used).then_some(LimitKind::Cpu))
    }

    /// CPU time and peak memory, once all processes are reaped.
    pub(super) fn total(&self) -> io::Result<(Duration, Option<u64>)> {
        let (cpu, peak) = reaped()?;
        // The system reports only the largest child that was ever reaped, and a process that has
        // just been started still has the memory of this one.
        let own = bytes(getrusage(UsageWho::RUSAGE_SELF)?.max_rss());
        let exact = if self.peak_before.max(own) < peak { peak } else { 0 };
        let peak = exact.max(self.peak_seen);
        Ok((cpu.saturating_sub(self.cpu_before), (0 < peak).then_some(peak)))
    }
}

/// CPU time, and the peak memory of the largest process, over all children that were ever reaped.
fn reaped() -> io::Result<(Duration, u64)> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let time = |it: nix::sys::time::TimeVal| {
        let seconds = u64::try_from(it.tv_sec()).unwrap_or_default();
        let micros = u64::try_from(it.tv_usec()).unwrap_or_default();
        Duration::from_secs(seconds) + Duration::from_micros(micros)
    };
    Ok((time(usage.user_time()) + time(usage.system_time()), bytes(usage.max_rss())))
}

fn bytes(kilobytes: std::ffi::c_long) -> u64 {
    u64::try_from(kilobytes).unwrap_or_default() * 1024
}

/// All processes below this one.
fn tree() -> io::Result<Vec<(i32, ProcessSample)>> {
    let mut children: HashMap<i32, Vec<(i32, ProcessSample)>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        // It may have ended in the meantime.
        let Ok(stat) = fs::read(format!("/proc/{pid}/stat")) else { continue };
        if let Some(sample) = parse(&stat) {
            children.entry(sample.parent).or_default().push((pid, sample));
        }
    }
    // Our own number in this `/proc`, which may belong to an outer namespace.
    let own = fs::read_link("/proc/self")?;
    let own = own.to_str().and_then(|own| own.parse().ok()).unwrap_or_default();
    let mut found = Vec::new();
    let mut next = children.remove(&own).unwrap_or_default();
    while let Some((pid, sample)) = next.pop() {
        next.extend(children.remove(&pid).unwrap_or_default());
        found.push((pid, sample));
    }
    Ok(found)
}

/// Bytes of memory, with shared pages counted once (PSS). Memory of in-memory files counts whether
/// it is mapped or not.
fn proportional(tree: &[(i32, ProcessSample)], in_files: u64) -> u64 {
    let page = rustix::param::page_size() as u64;
    let (mut private, mut shared) = (0, 0);
    for (pid, sample) in tree {
        match share(*pid) {
            Some(share) => {
                private += share.anonymous + share.mapped_files;
                shared += share.shared_memory;
            }
            // If the system does not report PSS, the larger number counts.
            None => private += sample.resident * page,
        }
    }
    private + in_files.max(shared)
}

/// A process's proportional share of the pages that it uses, in bytes.
#[derive(Default)]
struct MemoryShare {
    anonymous: u64,
    mapped_files: u64,
    shared_memory: u64,
}

fn share(pid: i32) -> Option<MemoryShare> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let value = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    };
    Some(MemoryShare {
        anonymous: value("Pss_Anon:")?,
        mapped_files: value("Pss_File:")?,
        shared_memory: value("Pss_Shmem:")?,
    })
}

/// Bytes of the anonymous in-memory files (memfd) that the tree holds open.
fn memfd_bytes(tree: &[(i32, ProcessSample)]) -> u64 {
    let mut seen = HashSet::new();
    let mut bytes = 0;
    for (pid, _) in tree {
        // It may have ended in the meantime.
        let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        for descriptor in descriptors.flatten() {
            let path = descriptor.path();
            let is_memfd = fs::read_link(&path)
                .is_ok_and(|it| it.as_os_str().as_encoded_bytes().starts_with(b"/memfd:"));
            let Some(facts) = is_memfd.then(|| fs::metadata(&path).ok()).flatten() else {
                continue;
            };
            if seen.insert((facts.dev(), facts.ino())) {
                // The unit of `st_blocks` is 512 bytes on every file system.
                bytes += facts.blocks() * 512;
            }
        }
    }
    bytes
}

/// Parses the fields after the name, which is in parentheses and may contain any bytes.
pub(super) fn parse(stat: &[u8]) -> Option<ProcessSample> {
    let name_end = memchr::memrchr(b')', stat)?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    // proc_pid_stat(5) counts from 1, and the state after the name is the third field.
    let field = |number: usize| fields.get(number - 3).and_then(|it| it.parse::<i64>().ok());
    let natural = |number| field(number).and_then(|it| u64::try_from(it).ok());
    let ticks = (14..=17).map(natural).sum::<Option<u64>>()?;
    let parent = i32::try_from(field(4)?).ok()?;
    Some(ProcessSample { parent, ticks, resident: natural(24)? })
}
