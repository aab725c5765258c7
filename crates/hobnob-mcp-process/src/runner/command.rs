//! One command inside a runner: started, watched, ended with everything below it, reported.
//!
//! [`serve`](super::serve) calls it for one command after the other. Invariant: when it returns,
//! nothing of the command is left, or the runner must end too.

use super::cgroup::KernelLimit;
use super::end_all::{Emptied, Reach};
use super::message::{Afterwards, CommandLine, FromRunner, StartsIn, ToRunner};
use super::own_space::OwnSpace;
use super::sampler::{PERIOD, Sampler};
use super::socket::{Heard, RunnerSocket};
use super::spec::{CommandEnd, CommandReport};
use super::working_folder::FolderEntrance;
use crate::limits::{LimitKind, ProcessLimits};
use crate::supervisor::{ChildWatcher, ChildrenLeft};
use nix::sys::resource::{UsageWho, getrusage};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitStatus, kill_process_group};
use signal_hook::consts::SIGXCPU;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A runner makes way for a new one once it has used 1/2 of its own limit of CPU time.
const OWN_SHARE: u32 = 2;

/// How long a runner waits before it reports that a command runs: a command that ends within this
/// time wakes Hobnob once instead of twice.
const QUICK_END_TIMEOUT: Duration = Duration::from_millis(2);

/// Why a command is over.
enum Over {
    Exited(WaitStatus, ChildrenLeft),
    Limit(LimitKind),
    Killed,
    /// Hobnob no longer listens.
    Abandoned,
}

/// A command as it came over the socket, and the limits of this runner.
pub(super) struct ReceivedCommand<'a> {
    pub(super) line: CommandLine,
    pub(super) descriptors: Vec<OwnedFd>,
    pub(super) limits: ProcessLimits,
    /// The space that belongs to this runner alone, in a full sandbox.
    pub(super) own_space: Option<OwnSpace>,
    /// The cgroup that this runner is in.
    pub(super) kernel_limit: Option<&'a KernelLimit>,
}

/// Runs one command until it and everything below it has ended.
pub(super) fn run(
    socket: &mut RunnerSocket,
    watcher: &mut ChildWatcher,
    reach: &Reach,
    entrance: &mut FolderEntrance,
    command: ReceivedCommand<'_>,
) -> io::Result<Afterwards> {
    let ReceivedCommand { line, descriptors, limits, own_space, kernel_limit } = command;
    let mut sampler = Sampler::new(limits, own_space, kernel_limit)?;
    let start = || start(watcher, line, descriptors, entrance);
    let started = match kernel_limit {
        Some(limit) => limit.start_victim(start),
        None => start(),
    };
    let pid = match started {
        Ok(pid) => pid,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
            socket.say(&FromRunner::Failed(number))?;
            return Ok(Afterwards::Waits);
        }
    };
    let mut over = match quick_end(watcher, pid)? {
        Some((status, left)) => Over::Exited(status, left),
        None => {
            // If Hobnob is gone, `watch` notices it.
            drop(socket.say(&FromRunner::Started));
            watch(socket, watcher, &mut sampler, pid)?
        }
    };
    // The kernel may have killed the command, or a process whose end the command ignored.
    if matches!(over, Over::Exited(..)) && sampler.is_out_of_memory()? {
        over = Over::Limit(LimitKind::Memory);
    }
    let emptied = match over {
        Over::Exited(_, ChildrenLeft::None) => Emptied::Yes,
        Over::Exited(_, ChildrenLeft::Some) => {
            // The command may have failed because it reached the limit: then the limit ended it.
            over = sampler.look()?.map_or(over, Over::Limit);
            reach.end_all(watcher)?
        }
        Over::Limit(_) | Over::Killed | Over::Abandoned => reach.end_all(watcher)?,
    };
    let end = match over {
        Over::Exited(status, _) => end_of(status),
        Over::Limit(kind) => CommandEnd::Limit(kind),
        Over::Killed => CommandEnd::Killed,
        Over::Abandoned => return Ok(Afterwards::Ends),
    };
    let (cpu, peak_memory) = sampler.total()?;
    let afterwards = match emptied {
        Emptied::Yes if is_used_up(limits)? => Afterwards::Ends,
        // The next command must find nothing of this one.
        Emptied::Yes if own_space.map_or(Ok(false), OwnSpace::has_leftovers)? => Afterwards::Ends,
        Emptied::Yes if kernel_limit.map_or(Ok(false), |it| it.is_used_up(limits))? => {
            Afterwards::Ends
        }
        Emptied::Yes => Afterwards::Waits,
        // When this process ends, so does the namespace.
        Emptied::No => Afterwards::Ends,
    };
    socket.say(&FromRunner::Ended(CommandReport { end, cpu, peak_memory }, afterwards))?;
    Ok(afterwards)
}

/// Starts the program and closes our copies of its descriptors.
fn start(
    watcher: &mut ChildWatcher,
    command: CommandLine,
    descriptors: Vec<OwnedFd>,
    entrance: &mut FolderEntrance,
) -> io::Result<Pid> {
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidInput);
    let (stdout, stderr) = (next()?, next()?);
    match command.starts_in {
        // Closed again before the command runs: a path leads from this descriptor out of the root.
        StartsIn::Folder => entrance.enter(&next()?)?,
        StartsIn::Scratch => entrance.enter_scratch()?,
    }
    // A command without an input gets ours, which is empty.
    let stdin = descriptors.next().map_or_else(Stdio::inherit, Stdio::from);
    watcher.spawn(
        Command::new(&command.program)
            .args(&command.arguments)
            .env_clear()
            .envs(command.environment)
            .process_group(0)
            .stdin(stdin)
            .stdout(Stdio::from(stdout))
            .stderr(Stdio::from(stderr)),
    )
}

/// How the command ended within [`QUICK_END_TIMEOUT`], if so, and whether children are left.
fn quick_end(
    watcher: &mut ChildWatcher,
    pid: Pid,
) -> io::Result<Option<(WaitStatus, ChildrenLeft)>> {
    let late = Instant::now() + QUICK_END_TIMEOUT;
    loop {
        if let Some(ended) = watcher.reap(pid) {
            return Ok(Some(ended));
        }
        let left = late.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        watcher.wait(Some(left))?;
    }
}

fn watch(
    socket: &mut RunnerSocket,
    watcher: &mut ChildWatcher,
    sampler: &mut Sampler<'_>,
    pid: Pid,
) -> io::Result<Over> {
    let mut look = Instant::now() + PERIOD;
    loop {
        watcher.wait_or(&*socket, Some(look.saturating_duration_since(Instant::now())))?;
        if let Some((status, left)) = watcher.reap(pid) {
            return Ok(Over::Exited(status, left));
        }
        match socket.hear()? {
            Heard::Nothing => {}
            Heard::Frame(ToRunner::Signal(number)) => {
                if let Some(signal) = Signal::from_named_raw(number) {
                    // The only possible error is that all processes have ended.
                    let _ = kill_process_group(pid, signal);
                }
            }
            Heard::Frame(ToRunner::Kill) => return Ok(Over::Killed),
            // A runner takes one command at a time.
            Heard::Frame(ToRunner::Prepare(_) | ToRunner::Start(_)) | Heard::End => {
                return Ok(Over::Abandoned);
            }
        }
        if look <= Instant::now() {
            if let Some(kind) = sampler.look()? {
                return Ok(Over::Limit(kind));
            }
            look = Instant::now() + PERIOD;
        }
    }
}

fn end_of(status: WaitStatus) -> CommandEnd {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => CommandEnd::Code(code),
        (None, Some(SIGXCPU)) => CommandEnd::Limit(LimitKind::Cpu),
        (None, Some(signal)) => CommandEnd::Signal(signal),
        (None, None) => CommandEnd::Killed,
    }
}

/// The CPU limit holds for the runner too, and the kernel must not kill it in place of a command.
fn is_used_up(limits: ProcessLimits) -> io::Result<bool> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = usage.user_time().tv_sec() + usage.system_time().tv_sec();
    let used = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
    Ok(limits.cpu / OWN_SHARE < used)
}
