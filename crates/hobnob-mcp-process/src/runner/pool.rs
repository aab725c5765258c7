//! The pool of runners that wait for a command, and the bound on how many commands run at once.
//!
//! Every service that runs commands has one [`RunnerPool`]. A runner serves only commands with an
//! equal [`RunnerSpec`]; a runner that stays idle for a while ends.

use super::cgroup::{RunnerCgroups, remove_leaves};
use super::exchange::{CommandStart, RunnerProcess};
use super::group::GroupCommand;
use super::lookup::find;
use super::message::{Afterwards, CommandLine, StartsIn};
use super::pipes::{ProcessPipes, pipes};
use super::process_tree::ProcessTree;
use super::spec::{CommandInput, ProgramStart, RunnerSpec, StartError, StartFolder};
use super::waiting::{WaitingRunners, sweep};
use crate::supervisor::Level;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The settings of a pool.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    /// A program that acts as a runner when started with its argument: usually our own, as
    /// `/proc/self/exe`.
    pub program: PathBuf,
    /// The maximum number of commands that run at the same time.
    pub parallel: usize,
    /// How long a command may wait for another one to end.
    pub wait: Duration,
    /// The maximum number of runners that wait for a command.
    pub idle: usize,
    /// How long each of them waits.
    pub idle_time: Duration,
}

impl PoolOptions {
    /// Bounds that suit one person with several assistants.
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            parallel: 16,
            wait: Duration::from_secs(10),
            idle: 4,
            idle_time: Duration::from_secs(60),
        }
    }
}

/// Starts commands. Dropping it ends the runners that wait; a running command ends with its own
/// [`ProcessTree`].
#[derive(Debug)]
pub struct RunnerPool {
    options: PoolOptions,
    free: Arc<Semaphore>,
    waiting: Arc<WaitingRunners>,
    /// Makes the runners' cgroups; `None` if the kernel cannot enforce the memory limit.
    cgroups: Option<&'static RunnerCgroups>,
    /// Ends runners that have waited long enough, and removes the cgroups of ended runners.
    _sweeping: JoinSet<()>,
}

/// A command whose program has been found.
struct FoundCommand {
    line: CommandLine,
    folder: StartFolder,
    input: CommandInput,
}

/// Where a runner comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// From the pool, where it may have run commands before.
    Waiting,
    New,
}

impl RunnerPool {
    /// A pool without any runner yet. Must be called within the runtime. The first pool divides the
    /// cgroup that was delegated to this process.
    pub fn new(options: PoolOptions) -> Self {
        let waiting = Arc::new(WaitingRunners::new(options.idle, options.idle_time));
        let mut sweeping = JoinSet::new();
        sweeping.spawn(sweep(Arc::clone(&waiting)));
        let cgroups = RunnerCgroups::of_this_process();
        if let Some(cgroups) = cgroups {
            sweeping.spawn(remove_leaves(cgroups));
        }
        let free = Arc::new(Semaphore::new(options.parallel));
        Self { options, free, waiting, cgroups, _sweeping: sweeping }
    }

    /// Starts a command in a waiting runner or in a new one.
    pub async fn start(
        &self,
        spec: &RunnerSpec,
        program: ProgramStart,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        let free = timeout(self.options.wait, Arc::clone(&self.free).acquire_owned()).await;
        let Ok(Ok(permit)) = free else { return Err(StartError::Busy(self.options.parallel)) };
        let file = find(&program).map_err(StartError::Program)?;
        let starts_in = match &program.folder {
            StartFolder::Opened(_) => StartsIn::Folder,
            StartFolder::Scratch => StartsIn::Scratch,
        };
        let line = CommandLine {
            starts_in,
            program: file.into(),
            arguments: program.arguments,
            environment: program.environment,
        };
        let command = FoundCommand { line, folder: program.folder, input: program.input };
        match spec.level {
            // Only where no runner is available: a fallback after a runner has failed to start
            // would let a command choose to survive.
            Level::Group => self.start_group(spec, command, permit),
            Level::Namespace | Level::Subreaper => {
                self.start_in_runner(spec, command, permit).await
            }
        }
    }

    /// The process numbers of the runners that wait for a command now.
    pub fn waiting_runners(&self) -> Vec<u32> {
        self.waiting.pids()
    }

    async fn runner(&self, spec: &RunnerSpec) -> Result<(RunnerProcess, Origin), StartError> {
        if let Some(runner) = self.waiting.take(spec) {
            return Ok((runner, Origin::Waiting));
        }
        let leaf = self.cgroups.and_then(|cgroups| cgroups.leaf(&spec.limits));
        let runner = RunnerProcess::start(&self.options.program, spec, leaf).await?;
        Ok((runner, Origin::New))
    }

    async fn start_in_runner(
        &self,
        spec: &RunnerSpec,
        command: FoundCommand,
        permit: OwnedSemaphorePermit,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        let FoundCommand { line, folder, input } = command;
        let folder = match &folder {
            StartFolder::Opened(folder) => Some(folder.as_fd()),
            StartFolder::Scratch => None,
        };
        let (runner, started, ours) = loop {
            let (mut runner, origin) = self.runner(spec).await?;
            let (ours, theirs) = pipes(input).map_err(StartError::Runner)?;
            match (runner.start_command(&line, theirs, folder).await, origin) {
                // The runner has just been killed. Try the next one; a new one is the last try.
                (Ok(CommandStart::NotHeard), Origin::Waiting) => {}
                (started, _) => break (runner, started.map_err(StartError::Runner)?, ours),
            }
        };
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
                let message = format!("cannot start `{}`: {error}", line.program.display());
                Err(StartError::Program(io::Error::new(error.kind(), message)))
            }
            CommandStart::NotHeard => {
                Err(StartError::Runner(io::ErrorKind::ConnectionReset.into()))
            }
        }
    }

    /// Starts a command in a process group only; its members restrict themselves where they can.
    fn start_group(
        &self,
        spec: &RunnerSpec,
        command: FoundCommand,
        permit: OwnedSemaphorePermit,
    ) -> Result<(ProcessTree, ProcessPipes), StartError> {
        let FoundCommand { line, folder, input } = command;
        let StartFolder::Opened(folder) = folder else {
            return Err(StartError::Restriction("only a full sandbox has scratch space".into()));
        };
        let (ours, theirs) = pipes(input).map_err(StartError::Runner)?;
        let group = GroupCommand::start(&self.options.program, spec, line, &folder, theirs)?;
        Ok((ProcessTree::in_group(group, permit), ours))
    }
}
