//! A supervisor that adopts every orphaned descendant, and ends them all at the end.
//!
//! It finds them in `/proc` by their parents, so a process that has left its session is found too.
//! The fallback where [`namespace`](super::namespace) cannot work: it needs no permission.
//! Processes are stopped before any of them is killed, so that none can fork away from the kill.

use super::program::{KILLED, SupervisedProgram, start};
use super::watch::{ChildWatcher, Ending};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::time::Duration;

/// Starts the program, waits until it ends or we must, and leaves no descendant.
pub(super) fn supervise(mut watcher: ChildWatcher, program: SupervisedProgram) -> io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    program.lifeline.seal()?;
    if let Err(code) = program.confine()? {
        return Ok(code);
    }
    let pid = match start(&mut watcher, &mut program.command(), &program.program)? {
        Ok(pid) => pid,
        Err(code) => return Ok(code),
    };
    let ending = watcher.until_end(pid, &program.lifeline)?;
    end_descendants(&mut watcher)?;
    Ok(match ending {
        Ending::Exited(code) => code,
        Ending::Released => KILLED,
    })
}

fn end_descendants(watcher: &mut ChildWatcher) -> io::Result<()> {
    let mut wait = Duration::from_millis(1);
    while stop_and_kill()? == Remaining::Some {
        watcher.pause(wait);
        // A process may be blocked in the kernel and take its time.
        wait = (2 * wait).min(Duration::from_millis(500));
    }
    Ok(())
}

/// Whether there were processes left to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remaining {
    Some,
    /// None, or only processes of other users.
    None,
}

/// Stops every descendant and then kills them all, once.
pub(crate) fn stop_and_kill() -> io::Result<Remaining> {
    // All are stopped, so no parent reaps its child, and no number can be reused here.
    let found = stop_all()?;
    let mut remaining = Remaining::None;
    for pid in found {
        // A process of another user is out of our reach, now and later.
        if kill_process(pid, Signal::KILL) != Err(Errno::PERM) {
            remaining = Remaining::Some;
        }
    }
    Ok(remaining)
}

/// Stops every descendant, including those that are born in the meantime.
fn stop_all() -> io::Result<HashSet<Pid>> {
    let mut stopped = HashSet::new();
    loop {
        let new: Vec<_> = descendants()?.into_iter().filter(|it| stopped.insert(*it)).collect();
        if new.is_empty() {
            return Ok(stopped);
        }
        for pid in new {
            // A process that has ended needs no stopping.
            let _ = kill_process(pid, Signal::STOP);
        }
    }
}

/// All living descendants of this process, as `/proc` shows them now.
pub(super) fn descendants() -> io::Result<Vec<Pid>> {
    let mut children: HashMap<Pid, Vec<(Pid, ProcessState)>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else { continue };
        // It may have ended in the meantime.
        let Ok(stat) = fs::read(format!("/proc/{pid}/stat")) else { continue };
        if let Some((state, parent)) = state_and_parent(&stat) {
            children.entry(parent).or_default().push((pid, state));
        }
    }
    let mut found = Vec::new();
    let mut next = children.remove(&getpid()).unwrap_or_default();
    while let Some((pid, state)) = next.pop() {
        if state == ProcessState::Living {
            found.push(pid);
        }
        next.extend(children.remove(&pid).unwrap_or_default());
    }
    Ok(found)
}

/// The parent of a process; `None` if it has none, or none in this namespace.
pub(crate) fn parent_of(pid: Pid) -> io::Result<Option<Pid>> {
    let stat = fs::read(format!("/proc/{pid}/stat"))?;
    Ok(state_and_parent(&stat).map(|(_, parent)| parent))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessState {
    Living,
    /// A zombie: it has ended, and waits for its parent to reap it.
    Ended,
}

/// Parses the two fields after the name in `/proc/PID/stat`; the name is in parentheses and may
/// contain any bytes.
pub(super) fn state_and_parent(stat: &[u8]) -> Option<(ProcessState, Pid)> {
    let name_end = memchr::memrchr(b')', stat)?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = if matches!(fields.next()?, "Z" | "X") {
        ProcessState::Ended
    } else {
        ProcessState::Living
    };
    Some((state, Pid::from_raw(fields.next()?.parse().ok()?)?))
}
