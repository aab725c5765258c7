//! Hobnob's end of the socket, and the runner's process behind it.
//!
//! [`pool`](super::pool) starts runners, and a [`ProcessTree`](super::ProcessTree) talks to one.
//! Dropping a [`RunnerProcess`] closes the socket; the runner then ends everything below it, and
//! itself.

use super::cgroup::RunnerLeaf;
use super::descriptors::send;
use super::message::{
    Afterwards, CgroupState, CommandLine, FromRunner, HEAD, MAX_FRAME_BYTES, Preparation,
    SandboxState, ToRunner, encode_start, length,
};
use super::pipes::CommandPipes;
use super::spec::{CommandReport, RunnerSpec, StartError};
use crate::supervisor::{ARGUMENT, Level, UNCONFINED};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long a runner may take to become ready.
const START_LIMIT: Duration = Duration::from_secs(10);

/// How long a thread blocks for the first report about a command: a little longer than the runner
/// delays that report for a command that may end at once.
const START_WAIT: Duration = Duration::from_millis(4);

/// How long a runner can stay stopped.
const WAKE_PERIOD: Duration = Duration::from_millis(500);

/// Bytes per read: answers are short.
const CHUNK: usize = 1024;

/// A runner that waits for a command, or runs one.
#[derive(Debug)]
pub(super) struct RunnerProcess {
    spec: RunnerSpec,
    /// A socket, registered for reading only. A notification that the runner has read its frame
    /// would wake a thread for nothing, at the moment when the runner needs the processor.
    stream: pipe::Receiver,
    /// The bytes received of the next frame.
    received: Vec<u8>,
    /// The runtime reaps it, once this is dropped and the runner has ended.
    _process: Child,
    group: Pid,
    sandbox: SandboxState,
    /// The cgroup that holds it and its commands, if there is one.
    leaf: Option<RunnerLeaf>,
}

/// The outcome of sending a command to a runner.
#[derive(Debug)]
pub(super) enum CommandStart {
    Runs,
    /// It has ended already, together with everything that it had started.
    Over(CommandReport, Afterwards),
    /// Its program cannot be run.
    Failed(io::Error),
    /// The runner ended before it had read all of the frame, so nothing was started.
    NotHeard,
}

impl RunnerProcess {
    /// Starts a runner, and waits until it has restricted itself.
    pub(super) async fn start(
        program: &Path,
        spec: &RunnerSpec,
        leaf: Option<RunnerLeaf>,
    ) -> Result<Self, StartError> {
        let (stream, process) = spawn(program, spec).map_err(StartError::Runner)?;
        let group = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let group = group.ok_or_else(|| StartError::Runner(io::ErrorKind::NotFound.into()))?;
        let mut runner = Self {
            spec: spec.clone(),
            stream,
            received: Vec::new(),
            _process: process,
            group,
            sandbox: SandboxState::NotAsked,
            leaf,
        };
        let ready = timeout(START_LIMIT, runner.prepare()).await;
        ready.unwrap_or_else(|_| Err(StartError::Runner(io::ErrorKind::TimedOut.into())))?;
        Ok(runner)
    }

    async fn prepare(&mut self) -> Result<(), StartError> {
        let folder = self.leaf.as_ref().map(RunnerLeaf::folder);
        let prepare = ToRunner::Prepare(Preparation::new(&self.spec, folder));
        self.send_all(&prepare.encode(), &[]).await.map_err(StartError::Runner)?;
        match self.next().await.map_err(StartError::Runner)? {
            FromRunner::Ready(state, cgroup) => {
                self.sandbox = state;
                if cgroup == CgroupState::Outside && self.leaf.take().is_some() {
                    tracing::debug!("a runner cannot enter its cgroup: memory is sampled");
                }
                Ok(())
            }
            FromRunner::Refused(why) => Err(StartError::Restriction(why)),
            FromRunner::Started | FromRunner::Failed(_) | FromRunner::Ended(..) => {
                Err(StartError::Runner(io::ErrorKind::InvalidData.into()))
            }
        }
    }

    pub(super) fn spec(&self) -> &RunnerSpec {
        &self.spec
    }

    pub(super) fn sandbox(&self) -> SandboxState {
        self.sandbox
    }

    /// The process that we started: the runner, or the supervisor outside of its namespace.
    pub(super) fn pid(&self) -> u32 {
        self.group.as_raw_nonzero().get().cast_unsigned()
    }

    /// Sends all of a frame, with descriptors.
    async fn send_all(&self, frame: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let (mut sent, mut descriptors) = (0, descriptors);
        while sent < frame.len() {
            match send(&self.stream, &frame[sent..], descriptors) {
                Ok(count) => {
                    sent += count;
                    descriptors = &[];
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.writable().await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until a slow runner has read some of a long frame.
    async fn writable(&self) -> io::Result<()> {
        let stream = self.stream.as_fd().try_clone_to_owned()?;
        pipe::Sender::from_owned_fd_unchecked(stream)?.writable().await
    }

    /// Sends a short frame without waiting. A runner that cannot take it is about to end anyway.
    pub(super) fn send_now(&self, frame: &ToRunner) {
        let frame = frame.encode();
        if let Err(error) = send(&self.stream, &frame, &[]) {
            tracing::debug!(%error, "a runner does not listen any more");
        }
    }

    /// Starts a command with these ends of its pipes. After an error, the runner must not be used
    /// again.
    pub(super) async fn start_command(
        &mut self,
        command: &CommandLine,
        pipes: CommandPipes,
        folder: Option<BorrowedFd<'_>>,
    ) -> io::Result<CommandStart> {
        let frame = encode_start(command);
        if MAX_FRAME_BYTES < frame.len() - HEAD {
            return Ok(CommandStart::Failed(Errno::TOOBIG.into()));
        }
        let starting = async {
            let mut descriptors = vec![pipes.stdout.as_fd(), pipes.stderr.as_fd()];
            descriptors.extend(folder);
            descriptors.extend(pipes.stdin.as_ref().map(OwnedFd::as_fd));
            self.send_all(&frame, &descriptors).await?;
            // Only the command may hold them.
            drop(pipes);
            self.wait_on_this_thread();
            match self.next().await? {
                FromRunner::Started => Ok(CommandStart::Runs),
                FromRunner::Failed(number) => {
                    Ok(CommandStart::Failed(io::Error::from_raw_os_error(number)))
                }
                FromRunner::Ended(report, next) => Ok(CommandStart::Over(report, next)),
                FromRunner::Ready(..) | FromRunner::Refused(_) => {
                    Err(io::ErrorKind::InvalidData.into())
                }
            }
        };
        match timeout(START_LIMIT, starting).await? {
            // The socket fails in this way only if the runner ended before it had read everything.
            Err(error) if is_unread(&error) => Ok(CommandStart::NotHeard),
            other => other,
        }
    }

    /// The next frame from the runner. Cancel safe: the method may be dropped and called again.
    pub(super) async fn next(&mut self) -> io::Result<FromRunner> {
        loop {
            if let Some(frame) = self.take()? {
                return Ok(frame);
            }
            let mut chunk = [0; CHUNK];
            // Read from the system directly: the runtime may not know yet that there are bytes.
            let read = match recv(&self.stream, &mut chunk, RecvFlags::DONTWAIT) {
                Ok((count, _)) => Ok(count),
                Err(Errno::AGAIN) => {
                    self.readable().await?;
                    self.stream.try_read(&mut chunk)
                }
                Err(error) => Err(error.into()),
            };
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.received.extend(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Blocks until a quick command has ended, unless this thread runs tasks of the runtime: it
    /// then delays no other task, and no thread of the runtime is woken to wait in its place.
    fn wait_on_this_thread(&self) {
        if tokio::task::try_id().is_none() {
            let mut watched = [PollFd::new(&self.stream, PollFlags::IN)];
            let limit = Timespec { tv_sec: 0, tv_nsec: START_WAIT.subsec_nanos().into() };
            // The socket is read next in every case.
            let _ = poll(&mut watched, Some(&limit));
        }
    }

    /// Waits for something to read. A command may stop a runner that has no namespace of its own,
    /// which would then notice neither a limit nor an end; so it is woken periodically.
    async fn readable(&self) -> io::Result<()> {
        match self.spec.level {
            Level::Namespace | Level::Group => self.stream.readable().await,
            Level::Subreaper => loop {
                match timeout(WAKE_PERIOD, self.stream.readable()).await {
                    Ok(done) => return done,
                    Err(_) => self.wake(),
                }
            },
        }
    }

    fn take(&mut self) -> io::Result<Option<FromRunner>> {
        let Some((head, rest)) = self.received.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = length(*head)?;
        let Some(frame) = rest.get(..length) else { return Ok(None) };
        let frame = FromRunner::decode(frame)?;
        self.received.drain(..HEAD + length);
        Ok(Some(frame))
    }

    /// Wakes a runner that a command has stopped, so that it can do its work.
    pub(super) fn wake(&self) {
        self.signal(Signal::CONT);
    }

    /// The last resort: a namespace or cgroup ends with the runner, else a process may survive.
    pub(super) fn kill_runner(&self) {
        self.signal(Signal::KILL);
        if let Some(leaf) = &self.leaf {
            leaf.kill_all();
        }
    }

    /// Whether the kernel has killed the runner or a process of it because of the memory limit.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.leaf.as_ref().is_some_and(RunnerLeaf::is_exceeded)
    }

    fn signal(&self, signal: Signal) {
        // The process is not reaped yet, so the number is still its own.
        let _ = kill_process_group(self.group, signal);
    }
}

impl Drop for RunnerProcess {
    fn drop(&mut self) {
        self.wake();
    }
}

fn is_unread(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}

fn spawn(program: &Path, spec: &RunnerSpec) -> io::Result<(pipe::Receiver, Child)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut command = Command::new(program);
    command
        .arg0("hobnob-runner")
        .args([ARGUMENT, "runner", spec.level.argument(), sandbox_argument(spec)])
        .env_clear()
        // mimalloc's reserve would count as used, and the limit holds for the runner too.
        .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
        .process_group(0)
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let process = command.spawn()?;
    // It holds the runner's end of the socket.
    drop(command);
    Ok((pipe::Receiver::from_owned_fd_unchecked(ours.into())?, process))
}

/// The sandbox that a runner will enter. It is an argument so that other processes can see it: a
/// private socket refuses descendants of a confined runner.
fn sandbox_argument(spec: &RunnerSpec) -> &'static str {
    spec.sandbox.as_ref().map_or(UNCONFINED, |sandbox| sandbox.level.name())
}
