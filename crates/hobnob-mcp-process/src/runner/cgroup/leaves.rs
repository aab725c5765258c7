//! The leaves of a divided cgroup: one per runner, with the limits of its commands.
//!
//! [`RunnerPool`](crate::runner::RunnerPool) has the cgroup divided and removes leaves; Hobnob's
//! end of a runner holds the leaf.

use super::division::{RUNNER, divide, set};
use crate::limits::{ProcessLimits, TASKS_PER_PROCESS};
use parking_lot::{Mutex, MutexGuard};
use rustix::process::getpid;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// Bytes for the runner itself, and for what the kernel stores about it. Scratch space is as large
/// as the limit: a command that fills it leaves these bytes to the runner, which must survive.
const RUNNER_MEMORY: u64 = 8 << 20;

/// The pauses between attempts to remove a leaf that still has processes in it.
const REMOVAL_PAUSES: [Duration; 5] = [
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(4),
];

/// The pause between killing the last processes in a leaf and removing it.
const KILL_PAUSE: Duration = Duration::from_millis(100);

/// The divided cgroup of this process.
#[derive(Debug)]
pub(in crate::runner) struct RunnerCgroups {
    folder: PathBuf,
    next: AtomicU64,
    /// Leaves whose runners were asked to end.
    to_remove: Mutex<Vec<PathBuf>>,
    /// Notified when a leaf is added to them.
    changed: Notify,
}

impl RunnerCgroups {
    /// Divides the cgroup of this process, once; `None` if none was delegated to it.
    pub(in crate::runner) fn of_this_process() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<RunnerCgroups>> = OnceLock::new();
        let find = || match divide() {
            Ok(folder) => {
                let (next, to_remove) = (AtomicU64::new(1), Mutex::default());
                Some(Self { folder, next, to_remove, changed: Notify::new() })
            }
            Err(reason) => {
                tracing::debug!(%reason, "the memory of commands is sampled");
                None
            }
        };
        FOUND.get_or_init(find).as_ref()
    }

    /// An empty leaf with these limits; `None` if the kernel refuses it.
    pub(in crate::runner) fn leaf(&'static self, limits: &ProcessLimits) -> Option<RunnerLeaf> {
        match self.make(limits) {
            Ok(leaf) => Some(leaf),
            Err(error) => {
                tracing::debug!(%error, "no cgroup for a runner: memory is sampled");
                None
            }
        }
    }

    fn make(&'static self, limits: &ProcessLimits) -> io::Result<RunnerLeaf> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("{RUNNER}{}-{number}", getpid()));
        fs::create_dir(&folder)?;
        let leaf = RunnerLeaf { folder, cgroups: self };
        let memory = limits.memory.saturating_add(RUNNER_MEMORY);
        set(&leaf.folder, "memory.max", &memory.to_string())?;
        let tasks = TASKS_PER_PROCESS * u64::from(limits.processes) + 1;
        for (name, value) in [("memory.swap.max", 0), ("pids.max", tasks)] {
            if leaf.folder.join(name).exists() {
                set(&leaf.folder, name, &value.to_string())?;
            }
        }
        Ok(leaf)
    }

    fn to_remove(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        // A panic under the lock would at worst have lost a folder.
        self.to_remove.lock()
    }
}

/// The leaf of one runner. Dropping it schedules its removal, after the runner has ended.
#[derive(Debug)]
pub(in crate::runner) struct RunnerLeaf {
    folder: PathBuf,
    cgroups: &'static RunnerCgroups,
}

impl RunnerLeaf {
    pub(in crate::runner) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the kernel has killed a process in it because of the memory limit.
    pub(in crate::runner) fn is_exceeded(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events"));
        events.is_ok_and(|events| 0 < oom_kills(&events))
    }

    /// Kills every process in it.
    pub(in crate::runner) fn kill_all(&self) {
        // Before Linux 5.14 this file does not exist, and the other ways to end a runner must do.
        drop(set(&self.folder, "cgroup.kill", "1"));
    }
}

impl Drop for RunnerLeaf {
    fn drop(&mut self) {
        self.cgroups.to_remove().push(std::mem::take(&mut self.folder));
        self.cgroups.changed.notify_one();
    }
}

/// Removes the leaves of runners that have ended. Never returns.
pub(in crate::runner) async fn remove_leaves(cgroups: &'static RunnerCgroups) {
    loop {
        // The leaf stays in the list until it is removed: a pool may end while its task waits.
        let next = cgroups.to_remove().first().cloned();
        let Some(folder) = next else {
            cgroups.changed.notified().await;
            continue;
        };
        if let Err(error) = remove(&folder).await {
            tracing::debug!(%error, "the cgroup of a runner cannot be removed");
        }
        cgroups.to_remove().retain(|to_remove| *to_remove != folder);
    }
}

async fn remove(folder: &Path) -> io::Result<()> {
    for pause in REMOVAL_PAUSES {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => sleep(pause).await,
            other => return other,
        }
    }
    // The runner has had enough time to end its command.
    set(folder, "cgroup.kill", "1")?;
    sleep(KILL_PAUSE).await;
    fs::remove_dir(folder)
}

/// How many processes the kernel has killed, from the text of `memory.events`.
pub(super) fn oom_kills(events: &str) -> u64 {
    let count = |line: &str| line.strip_prefix("oom_kill ")?.trim().parse().ok();
    events.lines().find_map(count).unwrap_or_default()
}
