//! A hub in this process: servers and services behind a gateway, and the local socket through which
//! this user's commands and other pipes reach it.
//!
//! `serve` opens one, and so does a relay whose hub has ended. It must be ended with
//! [`RunningHub::end`], or servers' processes are killed without a graceful shutdown.

use crate::compose::{self, Composed, Plan, Views};
use crate::control::{ControlSocket, ControlSocketKind, ControlledHub};
use crate::hub_description::{HubFacts, HubKind};
use crate::local_clients::LocalClients;
use crate::page::PageOpener;
use crate::refusal_audit::AuditedRefusals;
use crate::running_program::ProgramFile;
use crate::socket::LocalSocket;
use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::Gateway;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;

/// The extra time that commands get at the end, compared to other clients.
const EXTRA_DRAIN_TIME: Duration = Duration::from_millis(100);

/// A composed hub with its local sockets.
pub struct RunningHub {
    /// The gateway and the servers of its views.
    pub composed: Composed,
    local: JoinSet<()>,
    clients: LocalClients,
    _hangups: JoinSet<()>,
}

impl RunningHub {
    /// Composes the hub and listens on the local socket. Must run inside a runtime.
    pub async fn open(plan: Plan, kind: HubKind) -> anyhow::Result<Self> {
        keep_memory_private();
        let places = plan.places.clone();
        // Other commands need a view of everything.
        let is_whole = !matches!(plan.views, Views::Only { .. });
        let composed = compose::compose(plan).await?;
        let servers: Vec<String> =
            composed.gateway.status().servers.into_iter().map(|server| server.name).collect();
        if !servers.is_empty() {
            tracing::info!(servers = servers.join(", "), "serving");
        }
        let (mut local, clients) = (JoinSet::new(), LocalClients::none());
        let facts = HubFacts {
            kind,
            project: places.project.clone(),
            started: Instant::now(),
            program: ProgramFile::of_this_process(),
            clients: clients.clone(),
        };
        let sockets = LocalSockets {
            page: open_page(&mut local, &composed, &places, &clients),
            composed: &composed,
            places: &places,
            facts: &facts,
        };
        match is_whole {
            true => sockets.open_both(&mut local),
            false => sockets.open_control(&mut local, ControlSocketKind::QuestionsOnly),
        }
        let mut hangups = JoinSet::new();
        // From here on, SIGHUP no longer ends the process.
        let hangup = signal(SignalKind::hangup()).context("cannot listen for signals")?;
        hangups.spawn(reload_on_hangup(hangup, Arc::clone(&composed.gateway)));
        Ok(Self { composed, local, clients, _hangups: hangups })
    }

    /// Waits until there was neither a local client nor a first start under way for this long.
    pub async fn unused_for(&self, linger: Duration) {
        let gateway = &self.composed.gateway;
        loop {
            self.clients.left().await;
            gateway.first_starts_ended().await;
            tokio::select! {
                () = self.clients.came() => {}
                () = gateway.first_start_begun() => {}
                () = tokio::time::sleep(linger) => return,
            }
        }
    }

    /// Stops serving clients, then ends the servers.
    pub async fn end(mut self) {
        self.composed.stop_serving().await;
        // Commands get the drain time of other clients, and a little more.
        let drain = self.composed.server.limits().drain + EXTRA_DRAIN_TIME;
        let ended = async { while self.local.join_next().await.is_some() {} };
        drop(tokio::time::timeout(drain, ended).await);
        self.composed.shut_down().await;
    }
}

/// Keeps what the hub knows, such as tokens and clients' texts, out of core dumps and out of reach
/// of this user's other programs. Programs that it starts can dump as usual.
fn keep_memory_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "a core dump of this process could have secrets in it");
        }
    }
}

/// Starts the task that opens the page for the owner.
fn open_page(
    local: &mut JoinSet<()>,
    composed: &Composed,
    places: &Places,
    clients: &LocalClients,
) -> PageOpener {
    let refusals = AuditedRefusals::new(composed.audit.clone());
    let listener = composed.page.listener(places.clone(), refusals, clients.clone());
    let server = composed.server.clone();
    let (opener, opening) = listener.start(async move { server.stopping().await });
    local.spawn(opening);
    opener
}

/// What the private sockets of a hub are opened with.
struct LocalSockets<'a> {
    composed: &'a Composed,
    places: &'a Places,
    facts: &'a HubFacts,
    page: PageOpener,
}

impl LocalSockets<'_> {
    /// Lets commands of the same user connect. Without the socket, they start servers themselves.
    fn open_both(self, local: &mut JoinSet<()>) {
        match LocalSocket::open(self.places) {
            Ok(socket) => {
                let refusals = AuditedRefusals::new(self.composed.audit.clone());
                let (server, clients) = (self.composed.server.clone(), self.facts.clients.clone());
                local.spawn(socket.serve(server, refusals, clients));
                self.open_control(local, ControlSocketKind::Whole);
            }
            Err(error) => tracing::warn!(
                %error,
                folder = %self.places.runtime_dir.display(),
                "other commands cannot connect to this process"
            ),
        }
    }

    fn open_control(self, local: &mut JoinSet<()>, kind: ControlSocketKind) {
        match ControlSocket::open(self.places, kind) {
            Ok(control) => {
                self.composed.gateway.owner_controls().answers_can_come();
                let hub = ControlledHub {
                    gateway: Arc::clone(&self.composed.gateway),
                    server: self.composed.server.clone(),
                    facts: self.facts.clone(),
                    page: self.page,
                };
                let refusals = AuditedRefusals::new(self.composed.audit.clone());
                local.spawn(control.serve(hub, refusals));
            }
            Err(error) => tracing::warn!(
                %error,
                "the control socket cannot be opened, so commands cannot restart servers, answer \
                 questions or open the page"
            ),
        }
    }
}

/// Reloads the configuration at every SIGHUP.
async fn reload_on_hangup(mut hangup: Signal, gateway: Arc<Gateway>) {
    while hangup.recv().await.is_some() {
        tracing::info!("reloading the configuration");
        gateway.reload();
    }
}
