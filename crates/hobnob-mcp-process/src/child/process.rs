//! One child process: started with its pipes, watched, and ended with its process group or, under a
//! supervisor, with everything it has started.
//!
//! Invariant: the number of its process group is used for signals only while the leader is not
//! reaped; afterwards another process may get the number.

use super::spec::{ChildSpec, Exit, StopGrace, Supervision};
use super::stderr::{StderrLog, drain};
use crate::descriptor_limit;
use crate::supervisor::Level;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a supervisor may take to end everything, and the system to report that it has.
const KILL_LIMIT: Duration = Duration::from_secs(5);

/// A child process. Dropping it ends it at once, with all that its [`Supervision`] reaches.
#[derive(Debug)]
pub struct Child {
    process: tokio::process::Child,
    group: Pid,
    /// `SIGCHLD`, which arrives whenever one of our children has ended.
    child_ended: tokio::signal::unix::Signal,
    hold: Hold,
    stderr: Arc<StderrLog>,
    draining: JoinSet<()>,
    gone: CancellationToken,
    exit: Option<Exit>,
}

/// The two pipes a child talks through. Dropping `stdin` is the end of its input.
#[derive(Debug)]
pub struct ChildPipes {
    /// The writing end of its standard input.
    pub stdin: pipe::Sender,
    /// The reading end of its standard output.
    pub stdout: pipe::Receiver,
}

/// Bytes a pipe should hold, so that a large message needs few context switches.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 256 * 1024;

/// Enlarges a pipe. A refusal does not matter: the pipe works as well without.
#[cfg(target_os = "linux")]
fn widen(pipe: &impl std::os::fd::AsFd) {
    let _refused = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
}

/// Other systems cannot resize a pipe.
#[cfg(not(target_os = "linux"))]
fn widen(_pipe: &impl std::os::fd::AsFd) {}

/// The means to end the child and what it has started.
#[derive(Debug)]
enum Hold {
    /// A signal to its process group.
    Group,
    /// The lifeline of its supervisor; `None` once we have let go of it.
    Lifeline(Option<OwnedFd>),
}

impl Child {
    /// Starts a program in a process group of its own.
    pub fn spawn(spec: &ChildSpec) -> io::Result<(Self, ChildPipes)> {
        let program = spec.find_program()?;
        let (stdin, their_stdin) = pipe::pipe()?;
        let (their_stdout, stdout) = pipe::pipe()?;
        let (their_stderr, stderr) = pipe::pipe()?;
        widen(&stdin);
        widen(&stdout);
        let (mut command, hold, lifeline) = command(spec, &program)?;
        command
            .env_clear()
            .envs(spec.env.iter().map(|(name, value)| (name, value)))
            .process_group(0)
            .stdin(their_stdin.into_blocking_fd()?)
            .stdout(their_stdout.into_blocking_fd()?)
            .stderr(their_stderr.into_blocking_fd()?);
        if let Some(cwd) = &spec.cwd {
            command.current_dir(cwd);
        }
        // Register before the child can end, so that no signal is missed.
        let child_ended = signal(SignalKind::child())?;
        let process = command.spawn().map_err(|error| {
            let message = format!("cannot start `{}`: {error}", program.display());
            io::Error::new(error.kind(), message)
        })?;
        // Both hold pipe ends that only the child may have.
        drop((command, lifeline));
        let group = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let group = group.ok_or_else(|| io::Error::other("the child has no process id"))?;
        if matches!(hold, Hold::Group) {
            descriptor_limit::restore(group);
        }
        let log = Arc::new(StderrLog::default());
        let gone = CancellationToken::new();
        let mut draining = JoinSet::new();
        draining.spawn(drain(stderr, Arc::clone(&log), gone.clone()));
        let child =
            Self { process, group, child_ended, hold, stderr: log, draining, gone, exit: None };
        Ok((child, ChildPipes { stdin, stdout }))
    }

    /// The number of the process we started (the program or its supervisor), and of its group.
    pub fn pid(&self) -> u32 {
        self.group.as_raw_nonzero().get().cast_unsigned()
    }

    /// The log of its standard error.
    pub fn stderr(&self) -> Arc<StderrLog> {
        Arc::clone(&self.stderr)
    }

    /// Waits for it to end. Then its standard error is complete, and its group has ended too.
    ///
    /// Cancel safe: the future may be dropped and the method called again.
    pub async fn exited(&mut self) -> Exit {
        if self.exit.is_none() {
            self.leader_ended().await;
            let status = self.process.wait().await;
            self.exit = Some(match (status, &self.hold) {
                (Ok(status), Hold::Group) => Exit::of_program(status),
                (Ok(status), Hold::Lifeline(_)) => Exit::of_supervisor(status),
                (Err(error), _) => {
                    tracing::warn!(%error, "the end of a child process cannot be seen");
                    Exit::Unknown
                }
            });
        }
        self.gone.cancel();
        while self.draining.join_next().await.is_some() {}
        self.exit.unwrap_or(Exit::Unknown)
    }

    /// Ends it gracefully: the caller has dropped its input, so it gets a while to end by itself,
    /// then SIGTERM, then SIGKILL, both for its whole group.
    pub async fn stop(mut self, grace: StopGrace) -> Exit {
        if let Ok(exit) = timeout(grace.eof, self.exited()).await {
            return exit;
        }
        self.signal(Signal::TERM);
        if let Ok(exit) = timeout(grace.term, self.exited()).await {
            return exit;
        }
        self.kill();
        if let Ok(exit) = timeout(KILL_LIMIT, self.exited()).await {
            return exit;
        }
        // A supervisor that does not react must go too.
        self.signal(Signal::KILL);
        let last = timeout(KILL_LIMIT, self.exited()).await;
        last.unwrap_or_else(|_| {
            tracing::error!(pid = self.pid(), "a child process cannot be killed");
            Exit::Unknown
        })
    }

    /// Waits until the leader has ended, and ends the rest of its group while the number of the
    /// group cannot belong to other processes yet.
    async fn leader_ended(&mut self) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that the process no longer exists.
        while let Ok(None) = waitid(WaitId::Pid(self.group), look) {
            if self.child_ended.recv().await.is_none() {
                return;
            }
        }
        self.signal(Signal::KILL);
    }

    /// Ends everything at once.
    fn kill(&mut self) {
        match &mut self.hold {
            Hold::Group => self.signal(Signal::KILL),
            Hold::Lifeline(lifeline) => {
                // SIGKILL for the group would end the supervisor before processes that left it.
                lifeline.take();
                // The supervisor cannot act if another process has stopped it.
                self.signal(Signal::CONT);
            }
        }
    }

    fn signal(&self, signal: Signal) {
        // The only possible error is that all processes have ended, which is what we want.
        let _ = kill_process_group(self.group, signal);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.exit.is_none() {
            self.kill();
        }
        // The runtime reaps the process once it has ended.
    }
}

/// The command, the hold on it, and the end of the lifeline that only it may have.
type CommandParts = (Command, Hold, Option<OwnedFd>);

fn command(spec: &ChildSpec, program: &Path) -> io::Result<CommandParts> {
    match &spec.supervision {
        Supervision::Group | Supervision::Supervisor { level: Level::Group, .. } => {
            let mut command = Command::new(program);
            command.args(&spec.args);
            Ok((command, Hold::Group, None))
        }
        #[cfg(target_os = "linux")]
        Supervision::Supervisor { program: supervisor, level } => {
            let (mut command, hold, lifeline) =
                supervised_command(supervisor, &[level.argument()])?;
            command.arg(program).args(&spec.args);
            Ok((command, hold, Some(lifeline)))
        }
        #[cfg(target_os = "linux")]
        Supervision::Confined { program: supervisor, level, sandbox } => {
            let roles = [crate::supervisor::CONFINED, level.argument()];
            let (mut command, hold, lifeline) = supervised_command(supervisor, &roles)?;
            command.args(crate::sandbox::to_arguments(sandbox)).arg(program).args(&spec.args);
            Ok((command, hold, Some(lifeline)))
        }
        #[cfg(not(target_os = "linux"))]
        Supervision::Supervisor { .. } | Supervision::Confined { .. } => {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

#[cfg(target_os = "linux")]
fn supervised_command(supervisor: &Path, roles: &[&str]) -> io::Result<(Command, Hold, OwnedFd)> {
    use rustix::io::{FdFlags, fcntl_setfd};
    use rustix::pipe::{PipeFlags, pipe_with};
    use std::os::fd::AsRawFd;

    let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
    // Any child started at this moment inherits this end too, which is harmless: it is the reading
    // end, so it keeps no lifeline alive.
    fcntl_setfd(&theirs, FdFlags::empty())?;
    let mut command = Command::new(supervisor);
    command.arg0("hobnob-supervisor").arg(crate::supervisor::ARGUMENT).args(roles);
    let number = theirs.as_raw_fd();
    command.arg(match descriptor_limit::of_children() {
        Some(soft) => format!("{number}:{soft}"),
        None => number.to_string(),
    });
    Ok((command, Hold::Lifeline(Some(ours)), theirs))
}
