//! A command without a runner: in a process group of its own, which ends with its leader or when we
//! end it. The fallback where no runner is available.
//!
//! On Linux our own program restricts itself in the group and then becomes the command. Invariant:
//! the number of the group is used for signals only while its leader is not reaped.

#[cfg(target_os = "linux")]
use super::confine::encode;
#[cfg(target_os = "linux")]
use super::message::Preparation;
use super::message::{CommandLine, SandboxState};
use super::pipes::CommandPipes;
use super::spec::{CommandEnd, CommandReport, RunnerSpec, StartError};
#[cfg(target_os = "linux")]
use crate::supervisor::ARGUMENT;
use rustix::fs::{Access, AtFlags, FileType, accessat, statat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

/// The command and its group. Dropping it ends the group.
#[derive(Debug)]
pub(super) struct GroupCommand {
    process: Child,
    group: Pid,
    /// `SIGCHLD`, which arrives whenever one of our children has ended.
    child_ended: tokio::signal::unix::Signal,
    stage: Stage,
    sandbox: SandboxState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    Killed,
    Reaped,
}

impl GroupCommand {
    /// Starts the command. `program` is the program that restricts itself and becomes the command.
    pub(super) fn start(
        program: &Path,
        spec: &RunnerSpec,
        command: CommandLine,
        folder: &OwnedFd,
        pipes: CommandPipes,
    ) -> Result<Self, StartError> {
        let failed = |error: io::Error| {
            let message = format!("cannot start `{}`: {error}", command.program.display());
            StartError::Program(io::Error::new(error.kind(), message))
        };
        let child_ended = signal(SignalKind::child()).map_err(StartError::Runner)?;
        // The process that restricts itself could report this only as an exit code.
        check_program(folder, &command.program).map_err(failed)?;
        let mut starting = restricted(program, spec, &command.program);
        let CommandPipes { stdin, stdout, stderr } = pipes;
        starting
            .args(&command.arguments)
            .env_clear()
            .envs(command.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(path_of(folder).map_err(StartError::Runner)?)
            .process_group(0)
            .stdin(stdin.map_or_else(Stdio::null, Stdio::from))
            .stdout(stdout)
            .stderr(stderr);
        let process = starting.spawn().map_err(failed)?;
        let group = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let group = group.ok_or_else(|| StartError::Runner(io::ErrorKind::NotFound.into()))?;
        // If the sandbox cannot be entered, the process itself says so and ends.
        let sandbox = spec
            .sandbox
            .as_ref()
            .map_or(SandboxState::NotAsked, |sandbox| SandboxState::On(sandbox.level));
        Ok(Self { process, group, child_ended, stage: Stage::Running, sandbox })
    }

    pub(super) fn sandbox(&self) -> SandboxState {
        self.sandbox
    }

    pub(super) fn pid(&self) -> u32 {
        self.group.as_raw_nonzero().get().cast_unsigned()
    }

    /// Waits for the leader, and ends the rest of its group.
    pub(super) async fn ended(&mut self) -> CommandReport {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that the process no longer exists.
        while let Ok(None) = waitid(WaitId::Pid(self.group), look) {
            if self.child_ended.recv().await.is_none() {
                break;
            }
        }
        let killed = self.stage == Stage::Killed;
        self.signal(Signal::KILL);
        let status = self.process.wait().await;
        self.stage = Stage::Reaped;
        let end = match status {
            Ok(_) if killed => CommandEnd::Killed,
            Ok(status) => status
                .code()
                .map(CommandEnd::Code)
                .unwrap_or_else(|| status.signal().map_or(CommandEnd::Killed, CommandEnd::Signal)),
            Err(error) => {
                tracing::warn!(%error, "the end of a command cannot be seen");
                CommandEnd::Killed
            }
        };
        // The system sums up usage only over all children together.
        CommandReport { end, cpu: Duration::ZERO, peak_memory: None }
    }

    pub(super) fn kill(&mut self) {
        if self.stage == Stage::Running {
            self.stage = Stage::Killed;
            self.signal(Signal::KILL);
        }
    }

    pub(super) fn signal(&self, signal: Signal) {
        if self.stage != Stage::Reaped {
            // The only possible error is that all processes have ended.
            let _ = kill_process_group(self.group, signal);
        }
    }
}

impl Drop for GroupCommand {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Our own program, which restricts itself and then becomes the command.
#[cfg(target_os = "linux")]
fn restricted(program: &Path, spec: &RunnerSpec, command: &OsStr) -> Command {
    let preparation = Preparation::new(spec, None);
    let mut starting = Command::new(program);
    starting.args([ARGUMENT, "confine", &encode(preparation)]).arg(command);
    starting
}

/// On other systems only the user's rights restrict a command.
#[cfg(not(target_os = "linux"))]
fn restricted(_program: &Path, _spec: &RunnerSpec, command: &OsStr) -> Command {
    Command::new(command)
}

/// Whether a program exists and is executable, seen from the folder that it will run in.
fn check_program(folder: &OwnedFd, program: &OsStr) -> io::Result<()> {
    let found = statat(folder, program, AtFlags::empty())?;
    if !FileType::from_raw_mode(found.st_mode).is_file() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(accessat(folder, program, Access::EXEC_OK, AtFlags::empty())?)
}

/// A path to a folder that is already open.
#[cfg(target_os = "linux")]
fn path_of(folder: &OwnedFd) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    Ok(format!("/proc/self/fd/{}", folder.as_raw_fd()).into())
}

/// The current path of a folder.
#[cfg(target_vendor = "apple")]
fn path_of(folder: &OwnedFd) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let path = rustix::fs::getpath(folder)?;
    Ok(std::ffi::OsString::from_vec(path.into_bytes()).into())
}

/// Other systems cannot tell the path of an open folder.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn path_of(_folder: &OwnedFd) -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}
