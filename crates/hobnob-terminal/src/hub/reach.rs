//! The connection to the hub, from opening to closing: to a running `hobnob serve`, or to a gateway
//! in this process.
//!
//! `with_hub` calls it. What must stay true: after `close`, no process of ours is left.

use crate::hub::native::NativeClient;
use crate::hub::updated_resources::UpdatedResources;
use crate::render;
use crate::terminal::Terminal;
use anyhow::Context as _;
use hobnob_config::{NativeCallAccess, Places};
use hobnob_gateway::{FirstStarts, Reload, RestartError};
use hobnob_hub::compose::{self, Callers, Composed, Plan, Views};
use hobnob_hub::control::{self, ControlAnswer, ControlRequest};
use hobnob_hub::names::Names;
use hobnob_hub::running_hubs::{hub_of_process, hub_process};
use hobnob_hub::running_program::build;
use hobnob_hub::socket;
use hobnob_mcp_client::{
    Client, ClientOptions, Connection, EventHandler, Host, ServerEvent, Timeouts, connect_lines,
};
use hobnob_mcp_engine::Principal;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::{Mutex, mpsc};
use tokio_util::task::TaskTracker;

/// If this variable is set, a running `hobnob serve` is not used.
pub const NO_REUSE: &str = "HOBNOB_NO_REUSE";

/// Events that may wait until the command reads them.
const QUEUE_LENGTH: usize = 256;

/// How long a running `hobnob serve` may take for the handshake before the command goes on
/// without it: long enough for one on a busy machine that starts many servers.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(20);

/// Practically no limit: the gateway limits its servers, and the user can press Ctrl-C.
const UNLIMITED: Duration = Duration::from_secs(24 * 3600);

/// What a command needs to know of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Only what is cached: Hobnob starts no server that the command does not name.
    Knowledge,
    /// Everything that servers offer: Hobnob starts servers that it has never seen.
    Catalogue,
    /// The same for a long-running command: changes of configuration files apply at once, and an
    /// answer that holds until Hobnob restarts holds until the command ends.
    Lasting,
}

/// How the command reaches the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Through a running `hobnob serve`.
    Running,
    /// Through a gateway in this process.
    Own,
}

/// Events that the hub sends unasked.
pub struct HubEvents {
    queue: Mutex<mpsc::Receiver<ServerEvent>>,
    /// The changed resources among the client's subscriptions.
    pub updated: UpdatedResources,
}

impl HubEvents {
    /// The next event; `None` once the connection is closed.
    pub async fn next(&self) -> Option<ServerEvent> {
        self.queue.lock().await.recv().await
    }
}

/// A connection to all servers.
pub struct Hub {
    client: Client,
    pub(super) places: Places,
    /// Changes and updates that arrive while commands run.
    pub events: HubEvents,
    own: Option<Composed>,
    /// The build of the program that serves, if it is known.
    pub(super) build: Option<String>,
    tasks: TaskTracker,
}

impl Hub {
    /// Connects to the hub. Questions of servers go to this terminal.
    pub async fn open(
        places: Places,
        needs: Needs,
        terminal: &Arc<Terminal>,
    ) -> anyhow::Result<Self> {
        let reuse = std::env::var_os(NO_REUSE).is_none_or(|it| it.is_empty());
        if reuse {
            for stream in socket::find(&places).await {
                let tasks = TaskTracker::new();
                let process = hub_process(&stream);
                match connect(stream, terminal, &tasks, HANDSHAKE_TIMEOUT).await {
                    Ok((client, events)) => {
                        let build = build_of(&places, process).await;
                        return Ok(Self { client, places, events, own: None, build, tasks });
                    }
                    Err(error) => tracing::debug!("not using a running serve: {error:#}"),
                }
            }
        }
        Self::compose(places, needs, terminal).await
    }

    async fn compose(
        places: Places,
        needs: Needs,
        terminal: &Arc<Terminal>,
    ) -> anyhow::Result<Self> {
        let composed = compose::compose(Plan {
            places: places.clone(),
            views: Views::Plain,
            first_starts: match needs {
                Needs::Knowledge => FirstStarts::None,
                Needs::Catalogue | Needs::Lasting => FirstStarts::UnknownOnce,
            },
            reload: match needs {
                Needs::Knowledge | Needs::Catalogue => Reload::OnDemand,
                Needs::Lasting => Reload::Watch,
            },
            native_calls: NativeCallAccess::AnyTime,
            callers: Callers::Local,
        })
        .await?;
        let tasks = TaskTracker::new();
        let stream = connection_to(&composed, &tasks)?;
        match connect(stream, terminal, &tasks, UNLIMITED).await {
            Ok((client, events)) => {
                let (own, build) = (Some(composed), Some(build().to_owned()));
                Ok(Self { client, places, events, own, build, tasks })
            }
            Err(error) => {
                composed.shut_down().await;
                Err(error)
            }
        }
    }

    /// The client that makes the calls.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Another connection, for the native RPC.
    pub async fn native(&self) -> anyhow::Result<NativeClient> {
        let stream = match &self.own {
            Some(own) => connection_to(own, &self.tasks)?,
            None => {
                let found = socket::find(&self.places).await.into_iter().next();
                found.context("the running `hobnob serve` has ended; try again")?
            }
        };
        Ok(NativeClient::new(stream))
    }

    /// How this command reaches the servers.
    pub fn reached(&self) -> Reached {
        if self.own.is_some() { Reached::Own } else { Reached::Running }
    }

    /// Restarts a server, in this process or in a running `hobnob serve`; or says why that failed.
    pub async fn restart(&self, server: &str) -> anyhow::Result<Result<(), String>> {
        let answer = match &self.own {
            Some(own) => match own.gateway.restart(server, &Principal::anonymous()).await {
                Ok(()) => ControlAnswer::Done,
                Err(RestartError::Unknown(server)) => ControlAnswer::Unknown(server),
                Err(RestartError::Unavailable(why)) => ControlAnswer::Failed(why),
            },
            None => {
                let request =
                    ControlRequest::Restart { server: server.to_owned(), principal: None };
                let answer = control::ask(&self.places, &request).await?;
                answer.context("the running `hobnob serve` has ended; try again")?
            }
        };
        Ok(match answer {
            ControlAnswer::Done => Ok(()),
            ControlAnswer::Unknown(server) => Err(format!("the hub has no server `{server}`")),
            ControlAnswer::Failed(why) => Err(why),
        })
    }

    /// Starts servers that Hobnob has never seen: the named one, or all of them. A running
    /// `hobnob serve` does that by itself.
    pub(super) fn learn(&self, servers: Option<&str>) {
        let Some(own) = &self.own else { return };
        own.gateway.start_servers(&match servers {
            Some(server) => FirstStarts::Only(vec![server.to_owned()]),
            None => FirstStarts::UnknownOnce,
        });
    }

    /// Reads the configured servers and their cached names from disk.
    pub fn names(&self) -> Names {
        Names::load(&self.places)
    }

    /// Closes the connection. A gateway in this process ends its servers.
    pub async fn close(self) {
        self.client.remote().close();
        // The last messages, such as a cancellation, must arrive before the servers end.
        self.tasks.close();
        self.tasks.wait().await;
        if let Some(own) = self.own {
            own.shut_down().await;
        }
    }
}

/// A connection to the hub in this process.
fn connection_to(own: &Composed, tasks: &TaskTracker) -> anyhow::Result<UnixStream> {
    let (near, far) = UnixStream::pair().context("cannot create a pair of sockets")?;
    let (server, links) = (own.server.clone(), tasks.clone());
    tasks.spawn(async move { socket::serve_connection(&server, far, &links).await });
    Ok(near)
}

/// The build of the hub that runs as `process`. Warns the user if it differs from this program.
async fn build_of(places: &Places, process: Option<i32>) -> Option<String> {
    let running = hub_of_process(places, process?).await?;
    if let Some(hub) = running.outdated() {
        render::warn(&hub.to_string());
    }
    Some(running.version)
}

async fn connect(
    stream: UnixStream,
    terminal: &Arc<Terminal>,
    tasks: &TaskTracker,
    handshake: Duration,
) -> anyhow::Result<(Client, HubEvents)> {
    let (sender, queue) = mpsc::channel(QUEUE_LENGTH);
    let updated = UpdatedResources::default();
    let mut options = ClientOptions::new("hobnob", env!("CARGO_PKG_VERSION"));
    options.implementation = compose::implementation();
    options.timeouts = Timeouts {
        handshake,
        call: UNLIMITED,
        call_max: UNLIMITED,
        question: UNLIMITED,
        ..Timeouts::default()
    };
    options.lists.time = UNLIMITED;
    options.trace.peer = "hub".into();
    let host: Arc<dyn Host> = Arc::<Terminal>::clone(terminal);
    let connection = Connection {
        host: Arc::clone(&host),
        events: Arc::new(EventQueue { sender, updated: updated.clone() }),
        options,
        tasks: tasks.clone(),
    };
    let (read, write) = stream.into_split();
    let remote = connect_lines(connection, read, write).await?;
    Ok((Client::new(remote, host), HubEvents { queue: Mutex::new(queue), updated }))
}

/// Queues events until the command reads them.
struct EventQueue {
    sender: mpsc::Sender<ServerEvent>,
    updated: UpdatedResources,
}

impl EventHandler for EventQueue {
    fn on_event(&self, event: ServerEvent) {
        if let ServerEvent::ResourceUpdated(uri) = &event {
            self.updated.add(uri);
        }
        // A full queue drops the event: a command so far behind reads the newest state anyway.
        if matches!(event, ServerEvent::ResourceUpdated(_) | ServerEvent::Ended(_)) {
            drop(self.sender.try_send(event));
        }
    }
}
