//! The server under test: it starts in a process group of its own, and is always ended, with every
//! process that it started.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::accounting::{
    Usage, birth, members_of_group, proportional_kib_of_group, usage_of_group,
};

/// How long a server may take to answer its first request, even under an emulator.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(100);
/// How long a server may take to exit after its pipe broke.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// How long a server may take to exit after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Server {
    child: Child,
    group: Pid,
    started: Instant,
    /// Its descendants at the time of SIGTERM: upstreams may outlive a gateway.
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

    /// Starts a server on a port, which replaces `{PORT}` in its command.
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

    /// The memory of the server and all its descendants; a page that several processes share is
    /// divided among them.
    pub(crate) fn proportional_kib(&self) -> anyhow::Result<u64> {
        proportional_kib_of_group(self.group.as_raw_nonzero().get())
    }

    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        usage_of_group(self.group.as_raw_nonzero().get())
    }

    /// Fails if the process has ended, so that the caller stops waiting for it.
    pub(crate) fn check_alive(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("the server ended: {status}"),
            None => Ok(()),
        }
    }

    /// Replaces an error of a pipe by the server's exit status, which explains more.
    pub(crate) async fn explain(&mut self, error: anyhow::Error) -> anyhow::Error {
        match tokio::time::timeout(EXIT_GRACE, self.child.wait()).await {
            Ok(Ok(status)) => anyhow!("the server ended: {status}"),
            _ => error,
        }
    }

    /// Asks the server to exit and waits for it; the drop kills what remains.
    pub(crate) async fn end(mut self) {
        self.started_by_it = self.others();
        // Fails if all processes have exited already.
        let _ = kill_process_group(self.group, Signal::TERM);
        drop(tokio::time::timeout(STOP_TIMEOUT, self.child.wait()).await);
    }

    /// Descendants in other groups; they can be found only while their parents live.
    fn others(&self) -> Vec<(i32, u64)> {
        let members = members_of_group(self.group.as_raw_nonzero().get()).unwrap_or_default();
        members.into_iter().filter_map(|process| Some((process, birth(process)?))).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut others = self.others();
        others.append(&mut self.started_by_it);
        // Fails if all processes have exited already.
        let _ = kill_process_group(self.group, Signal::KILL);
        for (process, born) in others {
            let still_it = birth(process) == Some(born);
            if let Some(process) = Pid::from_raw(process).filter(|_| still_it) {
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }
}
