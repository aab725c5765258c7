//! Divides the cgroup of this process, so that runners can have leaves below it.
//! [`leaves`](super::leaves) does that once; `hobnob doctor` asks whether it would work.
//!
//! The kernel lets a cgroup pass on controllers only if no process is in it, so Hobnob moves into a
//! leaf with everything that it has started.

use super::search::{delegated, folder_of, members};
use crate::limits::MemorySupport;
use rustix::io::Errno;
use rustix::process::{Pid, getpid};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The prefix of the name of Hobnob's own leaf, before its process number.
const HUB: &str = "hub-";
/// The prefix of the names of the runners' leaves.
pub(super) const RUNNER: &str = "runner-";

/// How often to look again for processes that were started in the meantime.
const MAX_ROUNDS: usize = 64;

/// Who enforces the memory limit of the commands of a hub: of the hub with this process number, or
/// of this process. Changes nothing.
pub fn memory_support(hub: Option<u32>) -> MemorySupport {
    let pid = hub.and_then(|pid| Pid::from_raw(pid.cast_signed())).unwrap_or_else(getpid);
    match delegated(pid) {
        Ok(_) => MemorySupport::Kernel,
        // The hub has divided its cgroup already.
        Err(_) if folder_of(pid).is_ok_and(|(folder, _)| folder.ends_with(hub_leaf(pid))) => {
            MemorySupport::Kernel
        }
        Err(obstacle) => MemorySupport::Sampled { obstacle },
    }
}

fn hub_leaf(pid: Pid) -> String {
    format!("{HUB}{pid}")
}

/// Divides the cgroup that was delegated to this process; returns its folder, or the obstacle.
pub(super) fn divide() -> Result<PathBuf, String> {
    let pid = getpid();
    let folder = delegated(pid)?;
    remove_leftovers(&folder);
    let own = folder.join(hub_leaf(pid));
    let divided = fs::create_dir(&own)
        .and_then(|()| move_out(&folder, &own, pid))
        .and_then(|()| set(&folder, "cgroup.subtree_control", "+memory"));
    divided.map_err(|error| format!("the cgroup cannot be divided: {error}"))?;
    // Without it, the per-user limit of tasks and the sampler do the same.
    drop(set(&folder, "cgroup.subtree_control", "+pids"));
    Ok(folder)
}

/// Removes the leaves of hubs that were killed. Their runners have ended by themselves.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|it| it.starts_with(HUB) || it.starts_with(RUNNER));
        if is_ours {
            // A leaf that is still in use stays.
            drop(fs::remove_dir(entry.path()));
        }
    }
}

/// Moves a process, and everything that it has started, from one cgroup into another.
fn move_out(from: &Path, to: &Path, owner: Pid) -> io::Result<()> {
    // From here on its new children are born there.
    set(to, "cgroup.procs", &owner.to_string())?;
    for _ in 0..MAX_ROUNDS {
        let found = members(from, owner)?;
        if found.is_empty() {
            return Ok(());
        }
        for pid in found {
            match set(to, "cgroup.procs", &pid.to_string()) {
                // The process has ended.
                Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => {}
                other => other?,
            }
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Writes to a file of a cgroup. The kernel requires each value in a single write.
pub(super) fn set(folder: &Path, name: &str, value: &str) -> io::Result<()> {
    File::options().write(true).open(folder.join(name))?.write_all(value.as_bytes())
}
