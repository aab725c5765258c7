//! A runner's side of its cgroup: it moves itself into the leaf before it restricts itself, and
//! keeps the files open that it needs. Afterwards neither it nor a command can reach the leaf.
//!
//! Commands are in the same leaf as their runner, because moving a process takes the kernel longer
//! than a small command runs.

use super::division::set;
use super::leaves::oom_kills;
use crate::limits::ProcessLimits;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// How many bytes of a file are read; the files are shorter.
const MAX_FILE: usize = 1024;

/// The next command starts in a new runner if more than 1/4 of the limit is still in use.
const LEFTOVER_SHARE: u64 = 4;

/// The score of processes that the kernel kills first.
const FIRST_VICTIM: &str = "1000";

/// Who decides whether a command uses too much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::runner) enum MemoryJudge {
    /// Only the kernel: it knows better than a sample which memory can be reclaimed.
    Kernel,
    /// The sampler too: the command could leave its cgroup.
    KernelAndSampler,
}

/// The leaf that holds this process and its commands.
#[derive(Debug)]
pub(in crate::runner) struct KernelLimit {
    events: File,
    current: File,
    /// How early the kernel kills this process: its own `oom_score_adj`.
    score: File,
    usual_score: String,
    judge: MemoryJudge,
}

impl KernelLimit {
    /// Moves this process into a leaf. If that fails, nothing has changed.
    pub(in crate::runner) fn join(leaf: &Path, judge: MemoryJudge) -> io::Result<Self> {
        let events = File::open(leaf.join("memory.events"))?;
        let current = File::open(leaf.join("memory.current"))?;
        let mut score = File::options().read(true).write(true).open("/proc/self/oom_score_adj")?;
        let mut usual_score = String::new();
        score.read_to_string(&mut usual_score)?;
        // 0 is the process that writes, in every PID namespace.
        set(leaf, "cgroup.procs", "0")?;
        Ok(Self { events, current, score, usual_score, judge })
    }

    pub(in crate::runner) fn judge(&self) -> MemoryJudge {
        self.judge
    }

    /// Whether the kernel has killed one of its processes because of the memory limit.
    pub(in crate::runner) fn is_exceeded(&self) -> io::Result<bool> {
        Ok(0 < oom_kills(&read(&self.events)?))
    }

    /// Whether the next command would notice the previous one: the kernel has killed some of it, or
    /// much memory is still in use, such as cached files that it has written to a granted folder.
    pub(in crate::runner) fn is_used_up(&self, limits: ProcessLimits) -> io::Result<bool> {
        let bytes: u64 = read(&self.current)?.trim().parse().unwrap_or(u64::MAX);
        Ok(limits.memory / LEFTOVER_SHARE < bytes || self.is_exceeded()?)
    }

    /// Starts a process that the kernel kills before this one.
    pub(in crate::runner) fn start_victim<T>(&self, start: impl FnOnce() -> T) -> T {
        // The process inherits the score. If a write fails, Hobnob sees why this process ended.
        drop(self.score.write_all_at(FIRST_VICTIM.as_bytes(), 0));
        let started = start();
        drop(self.score.write_all_at(self.usual_score.trim_end().as_bytes(), 0));
        started
    }
}

/// The current content of a file of the kernel.
fn read(file: &File) -> io::Result<String> {
    let mut bytes = [0; MAX_FILE];
    let length = file.read_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
}
