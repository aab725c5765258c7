//! Getting to the servers, and leaving again with nothing left behind.

use crate::compose::{self, Composed, Plan, Views};
use crate::hub::names::Names;
use crate::socket;
use crate::terminal::Terminal;
use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::{FirstStarts, Reload};
use hobnob_mcp_client::{
    Client, ClientOptions, Connection, EventHandler, ServerEvent, Timeouts, connect_lines,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::{Mutex, mpsc};
use tokio_util::task::TaskTracker;

/// Set to anything, a running `hobnob serve` is not used.
const NO_REUSE: &str = "HOBNOB_NO_REUSE";

/// Changes that may wait to be shown.
const WAITING: usize = 256;

/// How long a running `hobnob serve` may take to say hello before it is done without.
const GREETING: Duration = Duration::from_secs(5);

/// The gateway watches over its servers' time, and the person over ours.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// What a command needs of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Only what is known of them: nothing is started but what the command asks for by name.
    Knowledge,
    /// Everything they offer: those nothing is known of are started.
    Catalogue,
}

/// How the servers were reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Through a `hobnob serve` that was running.
    Running,
    /// Through a gateway of our own.
    Own,
}

/// All servers, ready to be asked.
pub(crate) struct Hub {
    client: Client,
    places: Places,
    changes: Mutex<mpsc::Receiver<ServerEvent>>,
    own: Option<Composed>,
    tasks: TaskTracker,
}

impl Hub {
    /// Reaches them. Questions go to this terminal.
    pub(crate) async fn open(
        places: Places,
        needs: Needs,
        terminal: &Arc<Terminal>,
    ) -> anyhow::Result<Self> {
        let reuse = std::env::var_os(NO_REUSE).is_none_or(|it| it.is_empty());
        if reuse {
            for stream in socket::find(&places).await {
                let tasks = TaskTracker::new();
                match greet(stream, terminal, &tasks, GREETING).await {
                    Ok((client, changes)) => {
                        return Ok(Self { client, places, changes, own: None, tasks });
                    }
                    Err(error) => tracing::debug!("a running serve is not used: {error:#}"),
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
                Needs::Catalogue => FirstStarts::UnknownOnce,
            },
            reload: Reload::OnDemand,
        })
        .await?;
        let tasks = TaskTracker::new();
        let (near, far) = UnixStream::pair().context("a pair of sockets cannot be made")?;
        tasks.spawn({
            let (server, links) = (composed.server.clone(), tasks.clone());
            async move { socket::answer(&server, far, &links).await }
        });
        match greet(near, terminal, &tasks, LONG).await {
            Ok((client, changes)) => {
                Ok(Self { client, places, changes, own: Some(composed), tasks })
            }
            Err(error) => {
                composed.shut_down().await;
                Err(error)
            }
        }
    }

    /// Where calls are made.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// How they were reached.
    pub(crate) fn reached(&self) -> Reached {
        if self.own.is_some() { Reached::Own } else { Reached::Running }
    }

    /// Has servers started that nothing is known of: these, or all of them. A `hobnob serve` that
    /// runs does that by itself.
    pub(super) fn learn(&self, servers: Option<&str>) {
        let Some(own) = &self.own else { return };
        own.gateway.start_servers(&match servers {
            Some(server) => FirstStarts::Only(vec![server.to_owned()]),
            None => FirstStarts::UnknownOnce,
        });
    }

    /// Whose the public names are.
    pub(crate) fn names(&self) -> Names {
        Names::load(&self.places)
    }

    /// The next change that was told; nothing once the connection is over.
    pub(crate) async fn change(&self) -> Option<ServerEvent> {
        self.changes.lock().await.recv().await
    }

    /// Leaves. A gateway of our own ends its servers.
    pub(crate) async fn close(self) {
        self.client.remote().close();
        // What was said last, that a call is cancelled for example, is heard before servers end.
        self.tasks.close();
        self.tasks.wait().await;
        if let Some(own) = self.own {
            own.shut_down().await;
        }
    }
}

async fn greet(
    stream: UnixStream,
    terminal: &Arc<Terminal>,
    tasks: &TaskTracker,
    patience: Duration,
) -> anyhow::Result<(Client, Mutex<mpsc::Receiver<ServerEvent>>)> {
    let (sender, changes) = mpsc::channel(WAITING);
    let mut options = ClientOptions::new("hobnob", env!("CARGO_PKG_VERSION"));
    options.implementation = compose::implementation();
    options.timeouts = Timeouts {
        handshake: patience,
        call: LONG,
        call_max: LONG,
        question: LONG,
        ..Timeouts::default()
    };
    options.lists.time = LONG;
    let host: Arc<Terminal> = Arc::clone(terminal);
    let connection = Connection {
        host: Arc::clone(&host) as Arc<dyn hobnob_mcp_client::Host>,
        events: Arc::new(Changes(sender)),
        options,
        tasks: tasks.clone(),
    };
    let (read, write) = stream.into_split();
    let remote = connect_lines(connection, read, write).await?;
    Ok((Client::new(remote, host), Mutex::new(changes)))
}

/// Keeps what is told until the command looks.
struct Changes(mpsc::Sender<ServerEvent>);

impl EventHandler for Changes {
    fn on_event(&self, event: ServerEvent) {
        // Who falls that far behind sees the newest state anyway when it looks.
        if matches!(event, ServerEvent::ResourceUpdated(_) | ServerEvent::Ended(_)) {
            drop(self.0.try_send(event));
        }
    }
}
