//! Opens the page for the owner: makes a one-time link, and a listener for it if the hub has none
//! that shows the page.
//!
//! The private socket asks through [`PageOpener`]; one task, [`PageListener::run`], owns the listener.
//! What must stay true: the listener serves the page and no MCP, is announced like the others, so
//! that confined commands are kept away from it, and closes soon after its last use.

use crate::listeners::{self, Announced};
use crate::local_clients::LocalClients;
use crate::refusal_audit::AuditedRefusals;
use hobnob_config::Places;
use hobnob_mcp_http::{
    HttpLimits, HttpOptions, OpenSiteOptions, PeerCheck, bind, serve_open_routes,
};
use hobnob_ui::{HubPage, PageConnection, PageVisitors, page_routes};
use parking_lot::Mutex;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// How long the listener stays open without a link, a request of a session or a stream.
const LINGER: Duration = Duration::from_secs(10 * 60);

/// The most requests for a link that wait.
const MAX_WAITING: usize = 16;

/// The most connections at a time: a few browsers, each with a few connections.
const MAX_CONNECTIONS: usize = 64;

/// The link, or why there is none.
pub(crate) type LinkAnswer = Result<String, String>;

/// The way to ask for a link. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PageOpener(mpsc::Sender<oneshot::Sender<LinkAnswer>>);

impl PageOpener {
    /// A new one-time link to the page.
    pub(crate) async fn open(&self) -> LinkAnswer {
        let stopping = || "this hub is stopping; try again".to_owned();
        let (sender, answer) = oneshot::channel();
        self.0.send(sender).await.map_err(|_| stopping())?;
        answer.await.unwrap_or_else(|_| Err(stopping()))
    }
}

/// Where the page can be visited now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum PageOrigin {
    /// Nowhere: the next link opens a listener.
    #[default]
    Nowhere,
    /// At the listener of the hub. `serve` sets this once.
    OfHub(Box<str>),
    /// At a listener for the page alone.
    OfPage(Box<str>),
}

impl PageOrigin {
    /// Its text, such as `http://127.0.0.1:4815`.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Nowhere => None,
            Self::OfHub(origin) | Self::OfPage(origin) => Some(origin),
        }
    }
}

/// The origin, shared by the task that opens the page and those who show it.
pub(crate) type SharedOrigin = Arc<Mutex<PageOrigin>>;

/// The task that answers requests for links.
pub(crate) struct PageListener {
    pub(crate) page: Arc<HubPage>,
    pub(crate) origin: SharedOrigin,
    pub(crate) places: Places,
    pub(crate) refusals: AuditedRefusals,
    /// The hub's clients; the open listener is one, so that a background hub stays.
    pub(crate) clients: LocalClients,
    /// The address that is tried first.
    pub(crate) usual: &'static str,
}

/// A listener for the page alone.
struct OpenListener {
    listener: TcpListener,
    origin: String,
    _announced: Announced,
}

impl PageListener {
    /// Returns the way to ask, and the task, which ends when `stop` is ready.
    pub(crate) fn start<S: Future<Output = ()>>(
        self,
        stop: S,
    ) -> (PageOpener, impl Future<Output = ()> + use<S>) {
        let (sender, requests) = mpsc::channel(MAX_WAITING);
        (PageOpener(sender), self.run(requests, stop))
    }

    async fn run(
        self,
        mut requests: mpsc::Receiver<oneshot::Sender<LinkAnswer>>,
        stop: impl Future<Output = ()>,
    ) {
        let mut stop = pin!(stop);
        loop {
            let asked = tokio::select! {
                () = &mut stop => return,
                asked = requests.recv() => asked,
            };
            let Some(asker) = asked else { return };
            let known = self.origin.lock().clone();
            if let Some(origin) = known.as_str() {
                give(asker, self.link(origin));
                continue;
            }
            match self.listen().await {
                Ok(open) => {
                    give(asker, self.link(&open.origin));
                    self.serve(open, &mut requests, stop.as_mut()).await;
                }
                Err(error) => give(
                    asker,
                    Err(format!("no port of this machine could be opened for the page: {error}")),
                ),
            }
        }
    }

    /// A new one-time link to the page at this origin.
    fn link(&self, origin: &str) -> LinkAnswer {
        let token = self.page.issue_link();
        let token = token.map_err(|_| "the system has no random numbers for a link".to_owned())?;
        Ok(format!("{origin}/ui#link={token}"))
    }

    /// Listens at the usual port, or at any other if that is taken.
    async fn listen(&self) -> io::Result<OpenListener> {
        let usual: SocketAddr = self.usual.parse().map_err(io::Error::other)?;
        let options = HttpOptions::default();
        let listener = match bind(usual, &options).await {
            Ok(listener) => listener,
            Err(_) => bind(SocketAddr::new(usual.ip(), 0), &options).await?,
        };
        let address = listener.local_addr()?;
        // Without the announcement, confined commands could connect.
        let announced = listeners::announce_page(&self.places, address)?;
        let origin = format!("http://{address}");
        tracing::info!(url = format!("{origin}/ui"), "showing the page");
        Ok(OpenListener { listener, origin, _announced: announced })
    }

    /// Serves the page until it was not used for a while, or the hub stops.
    async fn serve(
        &self,
        open: OpenListener,
        requests: &mut mpsc::Receiver<oneshot::Sender<LinkAnswer>>,
        mut stop: std::pin::Pin<&mut impl Future<Output = ()>>,
    ) {
        let OpenListener { listener, origin, _announced } = open;
        let _client = self.clients.add();
        *self.origin.lock() = PageOrigin::OfPage(origin.as_str().into());
        let close = CancellationToken::new();
        let options = OpenSiteOptions {
            limits: HttpLimits { connections: MAX_CONNECTIONS, ..HttpLimits::default() },
            peers: local_programs(&self.refusals),
            refusals: Some(Arc::new(self.refusals.clone())),
            routes: vec![page_routes(&self.page, PageConnection::Plain, PageVisitors::Owner)],
        };
        let serving = serve_open_routes(listener, options, close.clone().cancelled_owned());
        let mut serving = pin!(serving);
        loop {
            tokio::select! {
                ended = serving.as_mut() => return self.forget(ended.map(drop)),
                () = self.page.unused_for(LINGER) => break,
                () = &mut stop => break,
                Some(asker) = requests.recv() => give(asker, self.link(&origin)),
            }
        }
        close.cancel();
        self.forget(serving.await.map(drop));
    }

    /// The page can be visited nowhere any more.
    fn forget(&self, ended: io::Result<()>) {
        *self.origin.lock() = PageOrigin::Nowhere;
        match ended {
            Ok(()) => tracing::info!("the page is closed"),
            Err(error) => tracing::warn!(%error, "the listener of the page has ended"),
        }
    }
}

fn give(asker: oneshot::Sender<LinkAnswer>, answer: LinkAnswer) {
    // A command that has stopped waiting does not need it.
    drop(asker.send(answer));
}

/// The check that only programs of this user connect, where the system can tell.
#[cfg(target_os = "linux")]
fn local_programs(refusals: &AuditedRefusals) -> Option<Arc<dyn PeerCheck>> {
    match crate::peer_user::LocalPrograms::new(refusals.clone()) {
        Ok(programs) => Some(Arc::new(programs)),
        Err(error) => {
            tracing::debug!(%error, "the kernel does not tell who visits the page");
            None
        }
    }
}

/// Elsewhere, only one-time links and cookies keep others out.
#[cfg(not(target_os = "linux"))]
fn local_programs(_refusals: &AuditedRefusals) -> Option<Arc<dyn PeerCheck>> {
    None
}
