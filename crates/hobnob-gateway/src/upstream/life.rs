//! The life of one connection: launched, then supervised by its own task, then shut down in order.
//!
//! `start` calls `launch`. The task owns the process and reads the server's lists again when they
//! change, or when a reading failed. When the connection ends for any reason, the task closes it and
//! stops the process.

use crate::upstream::configured::{Configured, Unavailable};
use crate::upstream::connection_state::{ConnectionState, ResourceEvents};
use crate::upstream::host::ConnectionCallers;
use crate::upstream::launch::{Greeting, LaunchOwner, Launched};
use crate::upstream::lists::{Lists, Unfinished};
use crate::upstream::observed_connection::{ConnectionEnd, ObservedConnection};
use crate::upstream::reflection::{Reflection, find_ourselves};
use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::status::Phase;
use hobnob_config::IdleStop;
use hobnob_mcp_auth::OAuthAuthorizer;
use hobnob_mcp_client::{EventHandler, ServerEvent};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_process::child::{Child, StopGrace};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often idleness is checked within the time that a connection may be idle.
const IDLE_CHECKS: u32 = 4;

/// Debounce: changes of a list within this time are read together.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// The shortest time between two readings of the lists.
const MIN_REFRESH_INTERVAL: Duration = Duration::from_secs(1);

/// Backoff before a list that could not be read is requested again; it doubles up to the maximum.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// How long a new connection waits for each list other than tools, so that its caller gets on.
const LAUNCH_WAIT: Duration = Duration::from_secs(3);

/// How long the task of a connection waits for them.
const TASK_WAIT: Duration = Duration::from_secs(60);

/// How long the output of a process that has exited is still read.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);

impl Upstream {
    /// Starts and greets the server, reads its lists, and spawns a task for the connection.
    pub(crate) async fn launch(
        self: &Arc<Self>,
        key: &ConnectionKey,
    ) -> Result<Arc<Running>, Unavailable> {
        let configured = self.configured();
        let (spec, effective) = configured.spec.as_ref().map_err(|why| Unavailable(why.clone()))?;
        let callers = match key.client {
            Some(_) => ConnectionCallers::One,
            None => ConnectionCallers::Many,
        };
        let authorizer = self.logins.authorizer(spec, &key.principal);
        let authorizer = authorizer.map_err(|error| Unavailable(error.to_string()))?;
        let Launched { remote, child, state } = tokio::select! {
            biased;
            () = self.context.tasks.stop.cancelled() => {
                return Err(Unavailable("Hobnob is stopping".into()));
            }
            launched = self.greet(&configured, &key.principal, callers, authorizer) => launched?,
        };
        let running = Running::new(Arc::clone(&configured), remote, state, child.as_ref());
        self.write_log(match running.pid {
            Some(pid) => format!("started, process {pid}"),
            None => "connected".into(),
        });
        running.watch(&self.watched.lock());
        // Before the first call: a tool that has changed must not be called even once.
        let unfinished = tokio::select! {
            unfinished = self.refresh(&running, LAUNCH_WAIT) => unfinished,
            () = self.context.tasks.stop.cancelled() => Unfinished::No,
        };
        let observed = ObservedConnection::new(&configured, &running);
        self.context.events.on_connected(&observed);
        let task = ConnectionTask {
            observed,
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

    /// Starts the server or connects to it, and makes the MCP handshake.
    pub(super) async fn greet(
        &self,
        configured: &Configured,
        principal: &Principal,
        callers: ConnectionCallers,
        authorizer: Option<Arc<OAuthAuthorizer>>,
    ) -> Result<Launched, Unavailable> {
        let (spec, effective) = configured.spec.as_ref().map_err(|why| Unavailable(why.clone()))?;
        let log = self.log();
        let tasks = &self.context.tasks.tracker;
        let owner = LaunchOwner { tasks, log: &log, callers, authorizer };
        let new_state = || {
            let events = Arc::clone(&self.context.events) as Arc<dyn ResourceEvents>;
            ConnectionState::new(self.name(), principal, events)
        };
        let launcher = self.context.launcher.read().clone();
        // A program that has to be downloaded gets longer.
        let time = match self.may_be_downloading() {
            true => launcher.install.max(launcher.handshake),
            false => launcher.handshake,
        };
        let greeting = Greeting { era: self.lists.era(), time };
        let launched = launcher.launch(spec, effective, greeting, &owner, new_state).await;
        launched.map_err(|why| Unavailable(configured.conceal(&why)))
    }

    /// Reads the running server's lists and publishes them if they differ, over any principal's
    /// connection: what a server offers must not depend on the caller.
    async fn refresh(self: &Arc<Self>, running: &Running, max_wait: Duration) -> Unfinished {
        let known = self.lists.get();
        let mut reading = Lists::read(&running.remote, known.lists.as_deref(), max_wait).await;
        let identity = Arc::clone(&self.context.launcher.read().identity);
        let found = find_ourselves(&running.remote, &reading.lists, &identity, max_wait).await;
        let unfinished = match found {
            Reflection::None => reading.unfinished,
            Reflection::Unread => Unfinished::Yes,
            Reflection::Ourselves(why) => {
                running.state.on_event(ServerEvent::Ended(why.into()));
                return Unfinished::No;
            }
        };
        let configured = self.configured();
        for problem in &mut reading.problems {
            *problem = configured.conceal(problem);
        }
        let tools_failed = reading.tools_failed;
        for problem in reading.problems.iter().filter(|problem| !known.problems.contains(problem)) {
            tracing::warn!(server = self.name(), problem, "a list cannot be had");
        }
        if running.is_usable()
            && let Some(publication) = self.lists.update(reading)
        {
            let upstream = Arc::clone(self);
            // A separate task: this connection may end while the disk is written.
            self.context.tasks.tracker.spawn(async move {
                upstream.context.events.store_lists(&upstream).await;
                upstream.context.events.on_lists_changed(&upstream);
                drop(publication);
            });
        }
        if !tools_failed {
            self.failures.forget(configured);
        }
        // Includes what another connection has read: the caller looks tools up at once.
        self.lists.published().await;
        unfinished
    }
}

/// Owns the process of one connection and stops it.
struct ConnectionTask {
    observed: ObservedConnection,
    upstream: Arc<Upstream>,
    key: ConnectionKey,
    running: Arc<Running>,
    idle: Option<Duration>,
}

impl ConnectionTask {
    async fn run(self, mut child: Option<Child>, unfinished: Unfinished) {
        self.watch(&mut child, unfinished).await;
        let was_stopped = self.running.stop.is_cancelled();
        self.upstream.connections.discard(&self.key, &self.running);
        self.note_end(was_stopped);
        let duration = self.running.started.elapsed();
        let end = ConnectionEnd { duration, was_lost: !was_stopped };
        self.upstream.context.events.on_disconnected(&self.observed, end);
        self.running.remote.close();
        if let Some(child) = child {
            // A server with a closed pipe gets a shorter grace period.
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

    /// Adds the end of the connection to the server's history. A server with others stays ready.
    fn note_end(&self, was_stopped: bool) {
        let reason = (!was_stopped).then(|| self.running.end_reason());
        let phase = match was_stopped {
            _ if !self.upstream.connections.all().is_empty() => Phase::Ready,
            true => Phase::Sleeping,
            false => Phase::Failed,
        };
        let (upstream, reason) = (&self.upstream, reason.as_deref());
        upstream.context.histories.note(&upstream.configured(), phase, reason);
    }

    /// Supervises the connection; returns when it has to be closed.
    async fn watch(&self, child: &mut Option<Child>, mut unfinished: Unfinished) {
        let mut stale = unfinished == Unfinished::Yes;
        let mut refreshed = Instant::now();
        let mut backoff = MIN_BACKOFF;
        loop {
            if stale {
                refreshed = Instant::now();
                tokio::select! {
                    now = self.upstream.refresh(&self.running, TASK_WAIT) => unfinished = now,
                    () = self.running.stop.cancelled() => return,
                    () = self.running.state.ended.cancelled() => return,
                }
            }
            stale = false;
            let retry = async {
                let known = self.upstream.lists.get();
                match known.problems.is_empty() && unfinished == Unfinished::No {
                    true => std::future::pending().await,
                    false => tokio::time::sleep_until(refreshed + backoff).await,
                }
            };
            let check_interval = self.idle.map(|idle| idle / IDLE_CHECKS);
            let idle_check = async {
                match check_interval {
                    Some(check_interval) => tokio::time::sleep(check_interval).await,
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
                    drop(tokio::time::timeout(OUTPUT_TIMEOUT, ended).await);
                    return;
                }
                () = self.running.state.list_changed.notified() => {
                    // A server that changes its lists constantly is read only at intervals.
                    let delay = DEBOUNCE.max(MIN_REFRESH_INTERVAL.saturating_sub(refreshed.elapsed()));
                    tokio::select! {
                        () = self.running.stop.cancelled() => return,
                        () = tokio::time::sleep(delay) => {}
                    }
                    stale = self.running.state.take_stale();
                }
                () = retry => {
                    backoff = (backoff * 2).min(MAX_BACKOFF);
                    stale = true;
                }
                () = idle_check => {
                    let max_idle = self.idle.unwrap_or(Duration::MAX);
                    if self.upstream.connections.end_idle(&self.key, &self.running, max_idle) {
                        tracing::info!(server = self.upstream.name(), "stopped: idle");
                        return;
                    }
                }
            }
        }
    }
}
