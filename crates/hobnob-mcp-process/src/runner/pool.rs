//! Runners that wait for the next command, and the bound on how many commands run at once.
//!
//! Whoever runs commands has one [`RunnerPool`]. A runner serves only commands of an equal
//! [`RunnerSpec`]; one that nobody needs for a while ends.

use super::exchange::{CommandStart, RunnerProcess};
use super::group::GroupCommand;
use super::lookup::find;
use super::message::{Afterwards, CommandLine};
use super::process_tree::{ProcessPipes, ProcessTree, pipes};
use super::scratch::{ScratchFolder, remove_left_over};
use super::spec::{ProgramStart, RunnerSpec, StartError};
use super::waiting::{WaitingRunners, sweep};
use crate::landlock_support;
use crate::sandbox::{LandlockSupport, NO_SANDBOX, Sandbox, SandboxNeed};
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

/// Where a runner comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It has run commands before, or not, and waited since.
    Waiting,
    New,
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
        match spec.level {
            // Only where nothing better can be had: falling back to it when a runner fails to start
            // would let a command choose to survive.
            Level::Group => self.start_group(spec, command, &program.folder, permit),
            Level::Namespace | Level::Subreaper => {
                self.start_in_runner(spec, command, program.folder, permit).await
            }
        }
    }

    /// The processes of runners that wait for a command now.
    pub fn waiting_runners(&self) -> Vec<u32> {
        self.waiting.pids()
    }

    async fn runner(&self, spec: &RunnerSpec) -> Result<(RunnerProcess, Origin), StartError> {
        while let Some(runner) = self.waiting.take(spec) {
            if runner.is_waiting() && cleared(&runner) {
                return Ok((runner, Origin::Waiting));
            }
        }
        let scratch = self.scratch(spec)?;
        let runner = RunnerProcess::start(&self.options.program, spec, scratch).await?;
        Ok((runner, Origin::New))
    }

    /// A folder for temporary files, where no other can be written to.
    fn scratch(&self, spec: &RunnerSpec) -> Result<Option<ScratchFolder>, StartError> {
        let make = |_: &Sandbox| ScratchFolder::make(&self.options.scratch);
        spec.sandbox.as_ref().map(make).transpose().map_err(StartError::Runner)
    }

    async fn start_in_runner(
        &self,
        spec: &RunnerSpec,
        mut command: CommandLine,
        folder: OwnedFd,
        permit: OwnedSemaphorePermit,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        let (runner, started, ours) = loop {
            let (mut runner, origin) = self.runner(spec).await?;
            let (ours, theirs) = pipes().map_err(StartError::Runner)?;
            let [stdin, stdout, stderr] = &theirs;
            let descriptors = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd(), folder.as_fd()];
            command.use_scratch(runner.scratch().map(ScratchFolder::path));
            match (runner.start_command(&command, &descriptors).await, origin) {
                // Somebody has just killed it. Try the next one; a new one is the last.
                (Ok(CommandStart::NotHeard), Origin::Waiting) => {}
                (started, _) => break (runner, started.map_err(StartError::Runner)?, ours),
            }
        };
        // Only the command may hold it.
        drop(folder);
        match started {
            CommandStart::Runs => {
                Ok((ProcessTree::in_runner(runner, Arc::clone(&self.waiting), permit), ours))
            }
            CommandStart::Over(report, next) => {
                let tree = ProcessTree::already_over(runner.sandbox(), report);
                if next == Afterwards::Waits {
                    self.waiting.put_back(runner);
                }
                Ok((tree, ours))
            }
            CommandStart::Failed(error) => {
                self.waiting.put_back(runner);
                let message = format!("cannot start `{}`: {error}", command.program.display());
                Err(StartError::Program(io::Error::new(error.kind(), message)))
            }
            CommandStart::NotHeard => {
                Err(StartError::Runner(io::ErrorKind::ConnectionReset.into()))
            }
        }
    }

    /// Without a runner: only a process group, whose members restrict themselves where they can.
    fn start_group(
        &self,
        spec: &RunnerSpec,
        mut command: CommandLine,
        folder: &OwnedFd,
        permit: OwnedSemaphorePermit,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        let required = |sandbox: &Sandbox| sandbox.need == SandboxNeed::Required;
        if spec.sandbox.as_ref().is_some_and(required)
            && landlock_support() == LandlockSupport::Missing
        {
            return Err(StartError::Restriction(NO_SANDBOX.into()));
        }
        let scratch = self.scratch(spec)?;
        command.use_scratch(scratch.as_ref().map(ScratchFolder::path));
        let (ours, theirs) = pipes().map_err(StartError::Runner)?;
        let program = &self.options.program;
        let group = GroupCommand::start(program, spec, command, folder, scratch, theirs)?;
        Ok((ProcessTree::in_group(group, permit), ours))
    }
}

/// Between two commands, temporary files go too. A runner whose files stay is of no use.
fn cleared(runner: &RunnerProcess) -> bool {
    runner.scratch().is_none_or(|scratch| !scratch.is_used() || scratch.clear().is_ok())
}
