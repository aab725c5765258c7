//! Runners that wait for the next command, and the bound on how many commands run at once.
//!
//! Whoever runs commands has one [`RunnerPool`]. A runner serves only commands of an equal
//! [`RunnerSpec`]; one that nobody needs for a while ends.

use super::exchange::{CommandStart, RunnerProcess};
use super::group::GroupCommand;
use super::lookup::find;
use super::message::CommandLine;
use super::process_tree::{ProcessPipes, ProcessTree, pipes};
use super::scratch::{ScratchFolder, remove_left_over};
use super::spec::{ProgramStart, RunnerSpec, StartError};
use super::waiting::{WaitingRunners, sweep};
use crate::sandbox::SandboxNeed;
use crate::supervisor::Level;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// What a pool needs to know.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    /// A program that is a runner when started with its argument: usually our own, as
    /// `/proc/self/exe`.
    pub program: PathBuf,
    /// Commands that may run at the same time.
    pub parallel: usize,
    /// How long a command may wait for another to end.
    pub wait: Duration,
    /// Runners that may wait for a command.
    pub idle: usize,
    /// How long each of them waits.
    pub idle_time: Duration,
    /// Where folders for temporary files are made; theirs alone.
    pub scratch: PathBuf,
}

impl PoolOptions {
    /// The bounds that suit one person and several assistants.
    pub fn new(program: PathBuf, scratch: PathBuf) -> Self {
        Self {
            program,
            parallel: 16,
            wait: Duration::from_secs(10),
            idle: 4,
            idle_time: Duration::from_secs(60),
            scratch,
        }
    }
}

/// Starts commands. Dropping it ends the runners that wait; each command ends with its own
/// [`ProcessTree`].
#[derive(Debug)]
pub struct RunnerPool {
    options: PoolOptions,
    free: Arc<Semaphore>,
    waiting: Arc<WaitingRunners>,
    /// Ends those who have waited long enough.
    _sweeping: JoinSet<()>,
}

impl RunnerPool {
    /// A pool without any runner yet. Must be called within the runtime.
    pub fn new(options: PoolOptions) -> Self {
        remove_left_over(&options.scratch);
        let waiting = Arc::new(WaitingRunners::new(options.idle, options.idle_time));
        let mut sweeping = JoinSet::new();
        sweeping.spawn(sweep(Arc::clone(&waiting)));
        let free = Arc::new(Semaphore::new(options.parallel));
        Self { options, free, waiting, _sweeping: sweeping }
    }

    /// Starts a command, in a runner that waits or in a new one.
    pub async fn start(
        &self,
        spec: &RunnerSpec,
        program: ProgramStart,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        let free = timeout(self.options.wait, Arc::clone(&self.free).acquire_owned()).await;
        let Ok(Ok(permit)) = free else { return Err(StartError::Busy(self.options.parallel)) };
        let file = find(&program).map_err(StartError::Program)?;
        let command = CommandLine {
            program: file.into(),
            arguments: program.arguments,
            environment: program.environment,
        };
        match self.runner(spec).await {
            Ok(runner) => self.start_in(runner, command, program.folder, permit).await,
            Err(StartError::Runner(error)) => {
                if spec.level != Level::Group {
                    tracing::warn!(%error, "no runner can be started: process groups take their place");
                }
                self.start_group(spec, command, &program.folder, permit)
            }
            Err(error) => Err(error),
        }
    }

    /// The processes of runners that wait for a command now.
    pub fn waiting_runners(&self) -> Vec<u32> {
        self.waiting.pids()
    }

    async fn runner(&self, spec: &RunnerSpec) -> Result<RunnerProcess, StartError> {
        if spec.level == Level::Group {
            return Err(StartError::Runner(io::ErrorKind::Unsupported.into()));
        }
        while let Some(runner) = self.waiting.take(spec) {
            if runner.is_waiting() && cleared(&runner) {
                return Ok(runner);
            }
        }
        let scratch = match &spec.sandbox {
            Some(_) => {
                Some(ScratchFolder::make(&self.options.scratch).map_err(StartError::Runner)?)
            }
            None => None,
        };
        RunnerProcess::start(&self.options.program, spec, scratch).await
    }

    async fn start_in(
        &self,
        mut runner: RunnerProcess,
        mut command: CommandLine,
        folder: OwnedFd,
        permit: OwnedSemaphorePermit,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        if let Some(scratch) = runner.scratch() {
            command.environment.retain(|(name, _)| name != "TMPDIR");
            command.environment.push(("TMPDIR".into(), scratch.path().into()));
        }
        let (ours, theirs) = pipes().map_err(StartError::Runner)?;
        let name = command.program.clone();
        let [stdin, stdout, stderr] = &theirs;
        let descriptors = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd(), folder.as_fd()];
        let started = runner.start_command(command, &descriptors).await;
        // Both hold ends that only the command may have.
        drop((theirs, folder));
        match started.map_err(StartError::Runner)? {
            CommandStart::Runs => {
                Ok((ProcessTree::in_runner(runner, Arc::clone(&self.waiting), permit), ours))
            }
            CommandStart::Failed(error) => {
                self.waiting.put_back(runner);
                let message = format!("cannot start `{}`: {error}", name.display());
                Err(StartError::Program(io::Error::new(error.kind(), message)))
            }
        }
    }

    /// Without a runner: only a process group, whose members restrict themselves where they can.
    fn start_group(
        &self,
        spec: &RunnerSpec,
        command: CommandLine,
        folder: &OwnedFd,
        permit: OwnedSemaphorePermit,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        if spec.sandbox.as_ref().is_some_and(|sandbox| sandbox.need == SandboxNeed::Required) {
            let message = "the command needs a sandbox, and none can be had without a runner: allow \
                           it to run without one, or see what `hobnob doctor` says";
            return Err(StartError::Restriction(message.into()));
        }
        let (ours, theirs) = pipes().map_err(StartError::Runner)?;
        let group = GroupCommand::start(&self.options.program, spec, command, folder, theirs)?;
        Ok((ProcessTree::in_group(group, permit), ours))
    }
}

/// Between two commands, temporary files go too. A runner whose files stay is of no use.
fn cleared(runner: &RunnerProcess) -> bool {
    runner.scratch().is_none_or(|scratch| !scratch.is_used() || scratch.clear().is_ok())
}
