//! Runners that wait for the next command, and the bound on how many commands run at once.
//!
//! Whoever runs commands has one [`RunnerPool`]. A runner serves only commands of an equal
//! [`RunnerSpec`]; one that nobody needs for a while ends.

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
}

impl PoolOptions {
    /// The bounds that suit one person and several assistants.
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

/// Starts commands. Dropping it ends the runners that wait; each command ends with its own
/// [`ProcessTree`].
#[derive(Debug)]
pub struct RunnerPool {
    options: PoolOptions,
    free: Arc<Semaphore>,
    waiting: Arc<WaitingRunners>,
    /// Where runners have cgroups, if the kernel is to hold the limit of memory.
    cgroups: Option<&'static RunnerCgroups>,
    /// Ends those who have waited long enough, and removes cgroups of those who have ended.
    _sweeping: JoinSet<()>,
}

/// A command whose program was found.
struct FoundCommand {
    line: CommandLine,
    folder: StartFolder,
    input: CommandInput,
}

/// Where a runner comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It has run commands before, or not, and waited since.
    Waiting,
    New,
}

impl RunnerPool {
    /// A pool without any runner yet. Must be called within the runtime. A cgroup that was delegated to
    /// this process is divided with the first pool.
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

    /// Starts a command, in a runner that waits or in a new one.
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
            // Only where nothing better can be had: falling back to it when a runner fails to start
            // would let a command choose to survive.
            Level::Group => self.start_group(spec, command, permit),
            Level::Namespace | Level::Subreaper => {
                self.start_in_runner(spec, command, permit).await
            }
        }
    }

    /// The processes of runners that wait for a command now.
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
                // Somebody has just killed it. Try the next one; a new one is the last.
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

    /// Without a runner: only a process group, whose members restrict themselves where they can.
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
