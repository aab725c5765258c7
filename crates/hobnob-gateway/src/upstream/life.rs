//! The life of one connection: launched, looked after by a task of its own, ended in good order.
//!
//! `start` launches. The task owns the process and reads the lists again when they change; whatever
//! ends the connection, the task closes it and stops the process.

use crate::upstream::configured::Unavailable;
use crate::upstream::connection_state::{ConnectionState, ResourceEvents};
use crate::upstream::host::ConnectionCallers;
use crate::upstream::launch::{Greeting, LaunchOwner, Launched, Launcher};
use crate::upstream::lists::{Lists, Unfinished};
use crate::upstream::reflection::find_ourselves;
use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use hobnob_config::IdleStop;
use hobnob_mcp_client::{EventHandler, ServerEvent};
use hobnob_mcp_process::child::{Child, StopGrace};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often it is checked whether a connection is idle, within the time it may idle.
const IDLE_CHECKS: u32 = 4;

/// Changes of a list that come together are read together.
const SETTLE: Duration = Duration::from_millis(50);

/// The least time between two readings of its lists.
const MIN_REFRESH_INTERVAL: Duration = Duration::from_secs(1);

/// How soon a list that could not be had is asked for again; the wait doubles each time.
const RETRY: Duration = Duration::from_secs(1);
const MAX_RETRY: Duration = Duration::from_secs(300);

/// A process that has left but whose output is still open gets this long to be read to the end.
const READ_TO_END: Duration = Duration::from_millis(500);

impl Upstream {
    /// Starts, greets, reads the lists, and leaves a task behind that looks after the connection.
    pub(crate) async fn launch(
        self: &Arc<Self>,
        key: &ConnectionKey,
    ) -> Result<Arc<Running>, Unavailable> {
        let configured = self.configured();
        let (spec, effective) = configured.spec.as_ref().map_err(|why| Unavailable(why.clone()))?;
        let new_state = || {
            ConnectionState::new(
                self.name(),
                &key.principal,
                Arc::clone(&self.context.events) as Arc<dyn ResourceEvents>,
            )
        };
        let log = self.log();
        let callers = match key.client {
            Some(_) => ConnectionCallers::One,
            None => ConnectionCallers::Many,
        };
        let authorizer = self.logins.authorizer(spec, &key.principal);
        let authorizer = authorizer.map_err(|error| Unavailable(error.to_string()))?;
        let tasks = &self.context.tasks.tracker;
        let owner = LaunchOwner { tasks, log: &log, callers, authorizer };
        let launcher = self.context.launcher.read().unwrap_or_else(PoisonError::into_inner).clone();
        let greeting = Greeting { era: self.era(), time: self.greeting_time(&launcher) };
        let launching = launcher.launch(spec, effective, greeting, &owner, new_state);
        let launched = tokio::select! {
            biased;
            () = self.context.tasks.stop.cancelled() => {
                return Err(Unavailable("Hobnob is stopping".into()));
            }
            launched = launching => {
                launched.map_err(|why| Unavailable(configured.conceal(&why)))?
            }
        };
        let Launched { remote, child, state } = launched;
        let (pid, stderr) = (child.as_ref().map(Child::pid), child.as_ref().map(Child::stderr));
        let running = Running::new(self.name(), remote, state, pid, stderr);
        self.write_log(match pid {
            Some(pid) => format!("started, process {pid}"),
            None => "connected".into(),
        });
        self.hand_watched(&running);
        // Before anybody may use it: a tool that is not what it was must not be called once.
        let unfinished = tokio::select! {
            unfinished = self.refresh(&running) => unfinished,
            () = self.context.tasks.stop.cancelled() => Unfinished::No,
        };
        let task = ConnectionTask {
            upstream: Arc::clone(self),
            key: key.clone(),
            running: Arc::clone(&running),
            idle: match effective.idle_stop {
                IdleStop::After(idle) => Some(idle),
                IdleStop::Never => None,
            },
        };
        self.context.tasks.tracker.spawn(task.run(child, unfinished));
        Ok(running)
    }

    /// Asks the running server for its lists and publishes them if they differ. Whoever's
    /// connection it is: what a server offers must not depend on who asks.
    pub(crate) async fn refresh(self: &Arc<Self>, running: &Running) -> Unfinished {
        let known = self.known();
        let mut reading = Lists::read(&running.remote, known.lists.as_deref()).await;
        let identity = self.context.identity();
        if let Some(why) = find_ourselves(&running.remote, &reading.lists, &identity).await {
            running.state.on_event(ServerEvent::Ended(why.into()));
            return Unfinished::No;
        }
        let configured = self.configured();
        for problem in &mut reading.problems {
            *problem = configured.conceal(problem);
        }
        let unfinished = reading.unfinished;
        let tools_failed = reading.tools_failed;
        for problem in reading.problems.iter().filter(|problem| !known.problems.contains(problem)) {
            tracing::warn!(server = self.name(), problem, "a list cannot be had");
        }
        if running.is_usable()
            && let Some(publication) = self.lists.update(reading)
        {
            let upstream = Arc::clone(self);
            // A task of its own: this connection may end while the disk is written.
            self.context.tasks.tracker.spawn(async move {
                upstream.context.events.store_lists(&upstream).await;
                upstream.context.events.on_lists_changed(&upstream);
                drop(publication);
            });
        }
        if !tools_failed {
            self.forget_failure(&mut self.state());
        }
        // Also what another connection has learned: whoever gets this one looks it up at once.
        self.lists.published().await;
        unfinished
    }

    /// A program that has to be downloaded may take its time.
    fn greeting_time(&self, launcher: &Launcher) -> Duration {
        if self.may_be_downloading() {
            launcher.install.max(launcher.handshake)
        } else {
            launcher.handshake
        }
    }
}

/// Owns the process of one connection and ends it.
struct ConnectionTask {
    upstream: Arc<Upstream>,
    key: ConnectionKey,
    running: Arc<Running>,
    idle: Option<Duration>,
}

impl ConnectionTask {
    async fn run(self, mut child: Option<Child>, unfinished: Unfinished) {
        self.watch(&mut child, unfinished).await;
        self.upstream.discard(&self.key, &self.running);
        self.running.remote.close();
        if let Some(child) = child {
            // A server that is asked to go gets its time; one whose pipe is gone does not.
            let gone = self.running.state.ended.is_cancelled();
            let grace = if gone {
                StopGrace { eof: Duration::from_millis(200), term: Duration::from_millis(500) }
            } else {
                StopGrace::default()
            };
            let exit = child.stop(grace).await;
            tracing::debug!(server = self.upstream.name(), %exit, "ended");
            self.upstream.write_log(format!("ended: the program {exit}"));
        } else {
            self.upstream.write_log("disconnected".into());
        }
        self.running.closed.cancel();
        self.upstream.context.events.on_connection_changed(&self.upstream);
    }

    /// Returns when the connection is to be ended, for whatever reason.
    async fn watch(&self, child: &mut Option<Child>, unfinished: Unfinished) {
        let mut stale = unfinished == Unfinished::Yes;
        let mut refreshed = Instant::now();
        let mut pause = RETRY;
        loop {
            if stale {
                refreshed = Instant::now();
                tokio::select! {
                    _ = self.upstream.refresh(&self.running) => {}
                    () = self.running.stop.cancelled() => return,
                    () = self.running.state.ended.cancelled() => return,
                }
            }
            stale = false;
            let asking_again = async {
                match self.upstream.known().problems.is_empty() {
                    true => std::future::pending().await,
                    false => tokio::time::sleep_until(refreshed + pause).await,
                }
            };
            let look = self.idle.map(|idle| idle / IDLE_CHECKS);
            let looking = async {
                match look {
                    Some(look) => tokio::time::sleep(look).await,
                    None => std::future::pending().await,
                }
            };
            let exited = async {
                match child {
                    Some(child) => child.exited().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.running.stop.cancelled() => return,
                () = self.upstream.context.tasks.stop.cancelled() => {
                    self.running.stop.cancel();
                    return;
                }
                () = self.running.state.ended.cancelled() => return,
                exit = exited => {
                    tracing::info!(server = self.upstream.name(), %exit, "the program has left");
                    let ended = self.running.state.ended.cancelled();
                    drop(tokio::time::timeout(READ_TO_END, ended).await);
                    return;
                }
                () = self.running.state.list_changed.notified() => {
                    // One that changes its lists all the time is not listened to all the time.
                    let settle = SETTLE.max(MIN_REFRESH_INTERVAL.saturating_sub(refreshed.elapsed()));
                    tokio::select! {
                        () = self.running.stop.cancelled() => return,
                        () = tokio::time::sleep(settle) => {}
                    }
                    stale = self.running.state.take_stale();
                }
                () = asking_again => {
                    pause = (pause * 2).min(MAX_RETRY);
                    stale = true;
                }
                () = looking => {
                    let longest = self.idle.unwrap_or(Duration::MAX);
                    if self.upstream.retire_idle(&self.key, &self.running, longest) {
                        tracing::info!(server = self.upstream.name(), "stopped: idle");
                        return;
                    }
                }
            }
        }
    }
}
