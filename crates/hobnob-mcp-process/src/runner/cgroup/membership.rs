//! A runner's side of its cgroup: it moves itself into the leaf before it restricts itself, and keeps
//! open what it needs of it. Afterwards neither it nor a command can reach the leaf.
//!
//! Commands are in the same leaf as their runner, because moving a process takes the kernel longer
//! than a small command does.

use super::division::set;
use super::leaves::oom_kills;
use crate::limits::ProcessLimits;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// More bytes than the files have that are read.
const MAX_FILE: usize = 1024;

/// The part of the limit that may still be taken when the next command starts.
const LEFTOVER_SHARE: u64 = 4;

/// The kernel ends processes with this score first.
const FIRST_VICTIM: &str = "1000";

/// Who judges whether a command has too much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::runner) enum MemoryJudge {
    /// Only the kernel: it knows better than samples what can be given back.
    Kernel,
    /// Also the sampler: the command could leave its cgroup.
    KernelAndSampler,
}

/// The leaf that this process and its commands are in.
#[derive(Debug)]
pub(in crate::runner) struct KernelLimit {
    events: File,
    current: File,
    /// How early the kernel ends this process: its own `oom_score_adj`.
    score: File,
    usual_score: String,
    judge: MemoryJudge,
}

impl KernelLimit {
    /// Moves this process into a leaf. Nothing has happened if that fails.
    pub(in crate::runner) fn join(leaf: &Path, judge: MemoryJudge) -> io::Result<Self> {
        let events = File::open(leaf.join("memory.events"))?;
        let current = File::open(leaf.join("memory.current"))?;
        let mut score = File::options().read(true).write(true).open("/proc/self/oom_score_adj")?;
        let mut usual_score = String::new();
        score.read_to_string(&mut usual_score)?;
        // 0 is the process that writes, in whichever namespace it is.
        set(leaf, "cgroup.procs", "0")?;
        Ok(Self { events, current, score, usual_score, judge })
    }

    pub(in crate::runner) fn judge(&self) -> MemoryJudge {
        self.judge
    }

    /// Whether the kernel has ended a process of it for want of memory.
    pub(in crate::runner) fn is_exceeded(&self) -> io::Result<bool> {
        Ok(0 < oom_kills(&read(&self.events)?))
    }

    /// Whether the next command would notice that there was one before: the kernel has ended some of it,
    /// or much of it is left, such as files in memory that it has written to a granted folder.
    pub(in crate::runner) fn is_used_up(&self, limits: ProcessLimits) -> io::Result<bool> {
        let bytes: u64 = read(&self.current)?.trim().parse().unwrap_or(u64::MAX);
        Ok(limits.memory / LEFTOVER_SHARE < bytes || self.is_exceeded()?)
    }

    /// Starts a process that the kernel ends before this one.
    pub(in crate::runner) fn start_victim<T>(&self, start: impl FnOnce() -> T) -> T {
        // It inherits the score. Should either fail, Hobnob sees why this process has ended.
        drop(self.score.write_all_at(FIRST_VICTIM.as_bytes(), 0));
        let started = start();
        drop(self.score.write_all_at(self.usual_score.trim_end().as_bytes(), 0));
        started
    }
}

/// What a file of the kernel says now.
fn read(file: &File) -> io::Result<String> {
    let mut bytes = [0; MAX_FILE];
    let length = file.read_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
}
