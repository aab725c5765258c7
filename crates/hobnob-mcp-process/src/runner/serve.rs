//! The life of a runner, in its own process. `supervisor::run` calls it for the roles of a runner.
//!
//! Invariant: it has one thread, restricts itself before the first command, runs one command at a
//! time, and ends with Hobnob, because the socket between them is its lifeline.

use super::cgroup::{KernelLimit, MemoryJudge};
use super::command::{ReceivedCommand, run};
use super::end_all::{NamespaceInit, Reach};
use super::message::{Afterwards, CgroupState, FromRunner, Preparation, SandboxState, ToRunner};
use super::own_space::OwnSpace;
use super::restrict::restrict;
use super::socket::{Heard, RunnerSocket, inherited};
use super::working_folder::FolderEntrance;
use crate::limits::ProcessLimits;
use crate::sandbox::SandboxLevel;
use crate::supervisor::{
    ChildWatcher, Proc, enter, enter_confined, ourselves, settle, settle_confined,
};
use rustix::event::{PollFd, PollFlags, poll};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

/// How the first process of a runner's namespace prepares itself.
pub(crate) enum InitKind {
    /// For a runner without a root of its own, which sees this `/proc`.
    Open(Proc),
    /// For a runner that builds a root of its own.
    Confined,
}

/// The process that Hobnob starts: a runner itself, or a supervisor outside of the runner's
/// namespace. The arguments name the level of supervision, and the sandbox the runner will enter.
pub(crate) fn serve_runner(level: Option<OsString>, sandbox: Option<OsString>) -> io::Result<u8> {
    let socket = inherited()?;
    let mut watcher = ChildWatcher::install()?;
    let words = [&level, &sandbox].map(|it| it.as_ref().and_then(|it| it.to_str()));
    let role = match words {
        [Some("namespace"), Some("full")] => {
            enter_confined()?;
            "runner-init-confined"
        }
        [Some("namespace"), Some(_)] => match enter() {
            Ok(Proc::Fresh) => "runner-init-proc",
            Ok(Proc::Inherited) => "runner-init",
            Err(_) => return serve(socket, watcher, Reach::subreaper()?),
        },
        [Some("subreaper"), Some(_)] => return serve(socket, watcher, Reach::subreaper()?),
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "unknown kind of runner")),
    };
    let mut command = ourselves(role);
    let init = watcher.spawn(command.stdin(Stdio::from(socket)))?;
    // It holds the socket.
    drop(command);
    watcher.until_exit(init)
}

/// Serves as the first process of a PID namespace, which ends with this process.
pub(crate) fn serve_as_init(kind: InitKind) -> io::Result<u8> {
    let init = NamespaceInit::claim()
        .ok_or_else(|| io::Error::other("this process is not the first of its namespace"))?;
    let socket = inherited()?;
    let watcher = ChildWatcher::install()?;
    match kind {
        InitKind::Open(proc) => settle(proc)?,
        InitKind::Confined => settle_confined()?,
    }
    serve(socket, watcher, Reach::Namespace(init))
}

fn serve(socket: OwnedFd, mut watcher: ChildWatcher, reach: Reach) -> io::Result<u8> {
    let mut socket = RunnerSocket::new(socket)?;
    let Some(Prepared { limits, own_space, kernel_limit }) = prepare(&mut socket, &reach)? else {
        return Ok(0);
    };
    let mut entrance = FolderEntrance::default();
    loop {
        let frame = match next_frame(&mut socket)? {
            Some(frame) => frame,
            None => return Ok(0),
        };
        match frame {
            ToRunner::Start(line) => {
                let descriptors = socket.take_descriptors();
                let kernel_limit = kernel_limit.as_ref();
                let command =
                    ReceivedCommand { line, descriptors, limits, own_space, kernel_limit };
                let done = run(&mut socket, &mut watcher, &reach, &mut entrance, command)?;
                entrance.leave()?;
                if done == Afterwards::Ends {
                    return Ok(0);
                }
            }
            // It came too late for a command that had just ended.
            ToRunner::Signal(_) | ToRunner::Kill => {}
            ToRunner::Prepare(_) => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The state that is the same for each command once this process has restricted itself.
struct Prepared {
    limits: ProcessLimits,
    own_space: Option<OwnSpace>,
    kernel_limit: Option<KernelLimit>,
}

/// Restricts this process as Hobnob asks; `None` if it cannot, or Hobnob is gone.
fn prepare(socket: &mut RunnerSocket, reach: &Reach) -> io::Result<Option<Prepared>> {
    let preparation = loop {
        wait(socket)?;
        match socket.hear()? {
            Heard::Frame(ToRunner::Prepare(preparation)) => break preparation,
            Heard::Frame(_) => return Err(io::ErrorKind::InvalidData.into()),
            Heard::Nothing => {}
            Heard::End => return Ok(None),
        }
    };
    // Afterwards the cgroup is out of reach for this process too.
    let kernel_limit = join_cgroup(&preparation);
    match restrict(&preparation, reach) {
        Ok(state) => {
            let own_space = match state {
                SandboxState::On(SandboxLevel::Full) => Some(OwnSpace::measure()?),
                SandboxState::On(_) | SandboxState::NotAsked => None,
            };
            let cgroup = match kernel_limit {
                Some(_) => CgroupState::Inside,
                None => CgroupState::Outside,
            };
            socket.say(&FromRunner::Ready(state, cgroup))?;
            Ok(Some(Prepared { limits: preparation.limits, own_space, kernel_limit }))
        }
        Err(why) => socket.say(&FromRunner::Refused(why)).map(|()| None),
    }
}

/// Moves this process into its cgroup; `None` if it has none or cannot enter it.
fn join_cgroup(preparation: &Preparation) -> Option<KernelLimit> {
    let folder = preparation.cgroup.as_deref()?;
    let judge = match preparation.sandbox.as_ref().map(|sandbox| sandbox.level) {
        Some(SandboxLevel::Full | SandboxLevel::Partial) => MemoryJudge::Kernel,
        Some(SandboxLevel::Weak) | None => MemoryJudge::KernelAndSampler,
    };
    KernelLimit::join(folder, judge).ok()
}

/// The next frame; `None` once Hobnob has closed the socket. No child is left that could end.
fn next_frame(socket: &mut RunnerSocket) -> io::Result<Option<ToRunner>> {
    loop {
        match socket.hear()? {
            Heard::Frame(frame) => return Ok(Some(frame)),
            Heard::End => return Ok(None),
            Heard::Nothing => wait(socket)?,
        }
    }
}

fn wait(socket: &RunnerSocket) -> io::Result<()> {
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
