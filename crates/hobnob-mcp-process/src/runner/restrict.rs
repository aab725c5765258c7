//! What a runner takes from itself before its first command: every command inherits it, and none
//! can take it back.
//!
//! The safe interfaces of the system change only the process that calls them, which is why runners
//! are kept apart by their limits and sandboxes.

use super::end_all::Reach;
use super::message::{Preparation, SandboxState};
use crate::limits::{ProcessLimits, TASKS_PER_PROCESS};
use crate::sandbox::enter;
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, getuid, set_dumpable_behavior, setrlimit,
};
use std::fs;
use std::io;

/// The kernel starts again at this number when it has given out the highest one.
const FIRST_REUSED_NUMBER: u64 = 300;

/// Restricts this process. An error is for a person to read.
pub(super) fn restrict(preparation: &Preparation, reach: &Reach) -> Result<SandboxState, String> {
    if let Reach::Namespace(_) = reach {
        bound_process_numbers(preparation.limits.processes.into());
    }
    set_limits(preparation, reach).map_err(|error| format!("cannot set the limits: {error}"))?;
    // A command could take descriptors from this process otherwise, and speak to Hobnob in its name.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| format!("cannot protect the runner: {error}"))?;
    let Some(sandbox) = &preparation.sandbox else { return Ok(SandboxState::NotAsked) };
    enter(sandbox, preparation.limits.memory)
        .map_err(|error| format!("cannot enter the sandbox: {error}"))?;
    Ok(SandboxState::On(sandbox.level))
}

fn set_limits(preparation: &Preparation, reach: &Reach) -> io::Result<()> {
    let ProcessLimits { memory, processes, cpu, descriptors } = preparation.limits;
    limit(Resource::Core, 0)?;
    // Message queues would outlive the command.
    limit(Resource::Msgqueue, 0)?;
    limit(Resource::Nofile, descriptors)?;
    // Private writable memory; the whole address space would be the end of Go, Node and Java,
    // which reserve far more than they use.
    limit(Resource::Data, memory)?;
    let tasks = TASKS_PER_PROCESS * u64::from(processes);
    let tasks = if counts_this_tree_only(reach) { tasks } else { tasks + preparation.user_tasks };
    limit(Resource::Nproc, tasks)?;
    // Of each process, in whole seconds; the sampler is exact, and adds them up. One second later
    // nobody can handle the signal any more.
    let seconds = cpu.as_secs() + 1;
    let maximum = getrlimit(Resource::Cpu).maximum;
    let hard = maximum.map_or(seconds + 1, |maximum| maximum.min(seconds + 1));
    let cpu = Rlimit { current: Some(seconds.min(hard)), maximum: Some(hard) };
    Ok(setrlimit(Resource::Cpu, cpu)?)
}

/// Sets both limits, but never above what we may.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let value = maximum.map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Since Linux 5.14 tasks are counted for each user in each namespace of users, and ours is new.
fn counts_this_tree_only(reach: &Reach) -> bool {
    match reach {
        Reach::Namespace(_) => !getuid().is_root() && (5, 14) <= kernel(),
        Reach::Subreaper => false,
    }
}

/// Since Linux 6.14 each namespace has a highest process number. It bounds the tasks of root, whom
/// no other limit binds.
fn bound_process_numbers(processes: u64) {
    // Before, this file was the whole machine's, and another `/proc` is another namespace's.
    let own_proc = fs::read_link("/proc/self").is_ok_and(|own| own.as_os_str() == "1");
    if own_proc && (6, 14) <= kernel() {
        let highest = FIRST_REUSED_NUMBER + TASKS_PER_PROCESS * processes;
        // Without it the limit of tasks and the sampler do the same for everybody but root.
        drop(fs::write("/proc/sys/kernel/pid_max", highest.to_string()));
    }
}

fn kernel() -> (u32, u32) {
    let name = rustix::system::uname();
    let mut numbers =
        name.release().to_str().unwrap_or_default().split(|c: char| !c.is_ascii_digit());
    let mut next = || numbers.next().and_then(|number| number.parse().ok()).unwrap_or_default();
    (next(), next())
}
