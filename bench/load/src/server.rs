//! The server under test: started in a process group of its own, and always ended, as is what it
//! started itself.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::accounting::{
    Usage, birth, members_of_group, proportional_kib_of_group, usage_of_group,
};

/// How long a server may take to answer its first request, even under an emulator.
pub(crate) const START: Duration = Duration::from_secs(100);
/// How long after its pipe a server may end.
const LAST_BREATH: Duration = Duration::from_millis(500);
/// How long a server may take to leave when asked to.
const FAREWELL: Duration = Duration::from_secs(5);

pub(crate) struct Server {
    child: Child,
    group: Pid,
    started: Instant,
    /// Its descendants when it was asked to leave: upstreams may outlive a gateway.
    started_by_it: Vec<(i32, u64)>,
}

impl Server {
    /// Starts a server that speaks over its standard input and output.
    pub(crate) fn with_pipes(
        command: &[String],
    ) -> anyhow::Result<(Self, ChildStdin, ChildStdout)> {
        let mut server = Self::start(command, Stdio::piped(), Stdio::piped())?;
        let input = server.child.stdin.take().context("no standard input")?;
        let output = server.child.stdout.take().context("no standard output")?;
        Ok((server, input, output))
    }

    /// Starts a server that listens on the port which takes the place of `{PORT}`.
    pub(crate) fn on_port(command: &[String], port: u16) -> anyhow::Result<Self> {
        let fill = |word: &String| word.replace("{PORT}", &port.to_string());
        let command: Vec<String> = command.iter().map(fill).collect();
        Self::start(&command, Stdio::null(), Stdio::null())
    }

    fn start(words: &[String], input: Stdio, output: Stdio) -> anyhow::Result<Self> {
        let (program, arguments) = words.split_first().context("no server was named")?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0).stdin(input).stdout(output);
        let started = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {program}"))?;
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let group = id.context("the server ended at once")?;
        Ok(Self { group, child, started, started_by_it: Vec::new() })
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// The memory of it and of everything that it started; a page that several processes share is
    /// divided among them.
    pub(crate) fn proportional_kib(&self) -> anyhow::Result<u64> {
        proportional_kib_of_group(self.group.as_raw_nonzero().get())
    }

    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        usage_of_group(self.group.as_raw_nonzero().get())
    }

    /// Fails when the process has ended, so that nobody waits for it in vain.
    pub(crate) fn check_alive(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("the server ended: {status}"),
            None => Ok(()),
        }
    }

    /// How a server ended says more than that its pipe broke.
    pub(crate) async fn explain(&mut self, error: anyhow::Error) -> anyhow::Error {
        match tokio::time::timeout(LAST_BREATH, self.child.wait()).await {
            Ok(Ok(status)) => anyhow!("the server ended: {status}"),
            _ => error,
        }
    }

    /// Asks the server to leave and waits for it; what stays is ended by the drop.
    pub(crate) async fn end(mut self) {
        self.started_by_it = self.others();
        // It fails when all have left already.
        let _ = kill_process_group(self.group, Signal::TERM);
        drop(tokio::time::timeout(FAREWELL, self.child.wait()).await);
    }

    /// Descendants in other groups; they are found only while their parents live.
    fn others(&self) -> Vec<(i32, u64)> {
        let members = members_of_group(self.group.as_raw_nonzero().get()).unwrap_or_default();
        members.into_iter().filter_map(|process| Some((process, birth(process)?))).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut others = self.others();
        others.append(&mut self.started_by_it);
        // It fails when all have left, which is what is wanted.
        let _ = kill_process_group(self.group, Signal::KILL);
        for (process, born) in others {
            let still_it = birth(process) == Some(born);
            if let Some(process) = Pid::from_raw(process).filter(|_| still_it) {
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }
}
