//! One command as its caller sees it: its end, its sandbox, and the way to end it with everything
//! it has started.

use super::exchange::RunnerProcess;
use super::group::GroupCommand;
use super::message::{Afterwards, FromRunner, SandboxState, ToRunner};
use super::spec::{CommandEnd, CommandReport};
use super::waiting::WaitingRunners;
use crate::limits::LimitKind;
use rustix::process::Signal;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

/// How long a runner may take to end everything.
const KILL_LIMIT: Duration = Duration::from_secs(5);

/// A command and everything it has started. Dropping it ends them all at once.
#[derive(Debug)]
pub struct ProcessTree {
    state: TreeState,
    sandbox: SandboxState,
    /// Its place among the commands that may run at the same time, until it has ended.
    permit: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
enum TreeState {
    InRunner {
        runner: Box<RunnerProcess>,
        waiting: Arc<WaitingRunners>,
        /// The deadline for a runner that was asked to end everything.
        deadline: Option<Instant>,
    },
    InGroup(GroupCommand),
    Over(CommandReport),
}

impl ProcessTree {
    /// A command that runs in a runner.
    pub(super) fn in_runner(
        runner: RunnerProcess,
        waiting: Arc<WaitingRunners>,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let sandbox = runner.sandbox();
        let runner = Box::new(runner);
        Self {
            state: TreeState::InRunner { runner, waiting, deadline: None },
            sandbox,
            permit: Some(permit),
        }
    }

    /// A command that ended before its runner reported that it runs.
    pub(super) fn already_over(sandbox: SandboxState, report: CommandReport) -> Self {
        Self { state: TreeState::Over(report), sandbox, permit: None }
    }

    pub(super) fn in_group(group: GroupCommand, permit: OwnedSemaphorePermit) -> Self {
        let sandbox = group.sandbox();
        Self { state: TreeState::InGroup(group), sandbox, permit: Some(permit) }
    }

    /// Whether the command is in the sandbox that was asked for.
    pub fn sandbox(&self) -> SandboxState {
        self.sandbox
    }

    /// The process that the command runs under: its runner, or the command itself if it has none.
    /// `None` once it has ended.
    pub fn runner_pid(&self) -> Option<u32> {
        match &self.state {
            TreeState::InRunner { runner, .. } => Some(runner.pid()),
            TreeState::InGroup(group) => Some(group.pid()),
            TreeState::Over(_) => None,
        }
    }

    /// How the command ended; `None` until [`ended`](Self::ended) has found out.
    pub fn report(&self) -> Option<CommandReport> {
        match &self.state {
            TreeState::Over(report) => Some(*report),
            TreeState::InRunner { .. } | TreeState::InGroup(_) => None,
        }
    }

    /// Waits for the command to end. Then everything it has started has ended too, so its pipes
    /// reach their end. Cancel safe: the future may be dropped and the method called again.
    pub async fn ended(&mut self) -> CommandReport {
        let report = match &mut self.state {
            TreeState::Over(report) => return *report,
            TreeState::InGroup(group) => group.ended().await,
            TreeState::InRunner { runner, deadline, .. } => match next(runner, *deadline).await {
                Ok(FromRunner::Ended(report, next)) => return self.over(report, next),
                Ok(_) | Err(_) => {
                    tracing::warn!("a runner ended before it reported its command's end");
                    runner.kill_runner();
                    lost(runner)
                }
            },
        };
        self.over(report, Afterwards::Ends)
    }

    fn over(&mut self, report: CommandReport, next: Afterwards) -> CommandReport {
        let before = std::mem::replace(&mut self.state, TreeState::Over(report));
        self.permit = None;
        if let (TreeState::InRunner { runner, waiting, .. }, Afterwards::Waits) = (before, next) {
            waiting.put_back(*runner);
        }
        report
    }

    /// Sends SIGTERM to the command and its process group, which asks them to end.
    pub fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Sends SIGINT to the command and its process group, as control-C does in a terminal.
    pub fn interrupt(&mut self) {
        self.signal(Signal::INT);
    }

    /// Ends the command and everything it has started, at once; [`ended`](Self::ended) returns when
    /// that is done.
    pub fn kill(&mut self) {
        match &mut self.state {
            TreeState::InRunner { runner, deadline, .. } => {
                runner.send_now(&ToRunner::Kill);
                runner.wake();
                deadline.get_or_insert_with(|| Instant::now() + KILL_LIMIT);
            }
            TreeState::InGroup(group) => group.kill(),
            TreeState::Over(_) => {}
        }
    }

    fn signal(&mut self, signal: Signal) {
        match &mut self.state {
            TreeState::InRunner { runner, .. } => {
                runner.send_now(&ToRunner::Signal(signal.as_raw()));
            }
            TreeState::InGroup(group) => group.signal(signal),
            TreeState::Over(_) => {}
        }
    }
}

/// The report about a command whose runner is gone.
fn lost(runner: &RunnerProcess) -> CommandReport {
    let end = match runner.is_out_of_memory() {
        true => CommandEnd::Limit(LimitKind::Memory),
        false => CommandEnd::Killed,
    };
    CommandReport { end, cpu: Duration::ZERO, peak_memory: None }
}

async fn next(runner: &mut RunnerProcess, limit: Option<Instant>) -> io::Result<FromRunner> {
    match limit {
        None => runner.next().await,
        Some(limit) => timeout_at(limit, runner.next()).await?,
    }
}
