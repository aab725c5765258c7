//! How a runner restricts itself before its first command: every command inherits the restrictions,
//! and none can lift them.
//!
//! The safe interfaces of the system change only the calling process, which is why the pool
//! separates runners by their limits and sandboxes.

use super::end_all::Reach;
use super::message::{Preparation, SandboxState};
use crate::limits::{ProcessLimits, TASKS_PER_PROCESS};
use crate::sandbox::enter;
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, getuid, set_dumpable_behavior, setrlimit,
};
use std::fs;
use std::io;

/// After the highest process number, the kernel continues with this one.
const FIRST_REUSED_NUMBER: u64 = 300;

/// Restricts this process. The error is a text for people.
pub(super) fn restrict(preparation: &Preparation, reach: &Reach) -> Result<SandboxState, String> {
    if let Reach::Namespace(_) = reach {
        bound_process_numbers(preparation.limits.processes.into());
    }
    set_limits(preparation, reach).map_err(|error| format!("cannot set the limits: {error}"))?;
    // Otherwise a command could take descriptors from this process, and speak in its name.
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
    // Limits private writable memory. A limit on the whole address space would break Go, Node and
    // Java, which reserve far more than they use.
    limit(Resource::Data, memory)?;
    let tasks = TASKS_PER_PROCESS * u64::from(processes);
    let tasks = if counts_this_tree_only(reach) { tasks } else { tasks + preparation.user_tasks };
    limit(Resource::Nproc, tasks)?;
    // For each process, in whole seconds; the sampler is exact, and adds them up. A command may
    // handle the signal of the soft limit, but one second later the hard limit kills it.
    let seconds = cpu.as_secs() + 1;
    let maximum = getrlimit(Resource::Cpu).maximum;
    let hard = maximum.map_or(seconds + 1, |maximum| maximum.min(seconds + 1));
    let cpu = Rlimit { current: Some(seconds.min(hard)), maximum: Some(hard) };
    Ok(setrlimit(Resource::Cpu, cpu)?)
}

/// Sets the soft and the hard limit, but never above the hard limit we have.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let value = maximum.map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Since Linux 5.14 tasks are counted per user and user namespace, and ours is new.
fn counts_this_tree_only(reach: &Reach) -> bool {
    match reach {
        Reach::Namespace(_) => !getuid().is_root() && (5, 14) <= kernel(),
        Reach::Subreaper => false,
    }
}

/// Since Linux 6.14 each PID namespace has a highest process number. It bounds the tasks of root,
/// for whom no other limit holds.
fn bound_process_numbers(processes: u64) {
    // In older kernels the whole machine shares the file, and another `/proc` has another.
    let own_proc = fs::read_link("/proc/self").is_ok_and(|own| own.as_os_str() == "1");
    if own_proc && (6, 14) <= kernel() {
        let highest = FIRST_REUSED_NUMBER + TASKS_PER_PROCESS * processes;
        // Without it, the limit of tasks and the sampler do the same, except for root.
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
