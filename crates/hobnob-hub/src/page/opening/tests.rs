//! The listener of the page: opened by a link, shared by the next ones, closed when it is not used.

use crate::compose::{Callers, Composed, Plan, Views, compose};
use crate::listeners::open_ports;
use crate::local_clients::LocalClients;
use crate::page::PageOpener;
use crate::refusal_audit::AuditedRefusals;
use crate::test_places::places;
use hobnob_config::{NativeCallAccess, Places};
use hobnob_gateway::{FirstStarts, Reload};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A hub without servers, and the task that opens its page.
struct TestHub {
    composed: Composed,
    places: Places,
    clients: LocalClients,
    opener: PageOpener,
    stop: CancellationToken,
    opening: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl TestHub {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let plan = Plan {
            places: places.clone(),
            views: Views::Plain,
            first_starts: FirstStarts::Unknown,
            reload: Reload::OnDemand,
            native_calls: NativeCallAccess::AnyTime,
            callers: Callers::Local,
        };
        let composed = compose(plan).await.unwrap();
        let (clients, stop) = (LocalClients::none(), CancellationToken::new());
        let refusals = AuditedRefusals::new(None);
        let mut listener = composed.page.listener(places.clone(), refusals, clients.clone());
        // A port that no other test, and no hub of this machine, takes next.
        listener.usual = "127.0.0.1:0";
        let (opener, running) = listener.start(stop.clone().cancelled_owned());
        let mut opening = JoinSet::new();
        opening.spawn(running);
        Self { composed, places, clients, opener, stop, opening, _folder: folder }
    }

    /// Where a new link leads.
    async fn link(&self) -> SocketAddr {
        let link = self.opener.open().await.unwrap();
        let (origin, token) = link.split_once("/ui#link=").unwrap();
        assert!(32 <= token.len(), "{link}");
        origin.strip_prefix("http://").unwrap().parse().unwrap()
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.opening.join_next().await.is_some() {}
        assert!(open_ports(&self.places).is_empty());
        self.composed.shut_down().await;
    }
}

async fn listens(address: SocketAddr) -> bool {
    TcpStream::connect(address).await.is_ok()
}

#[tokio::test]
async fn the_listener_is_shared_announced_and_ends_with_the_hub() {
    let hub = TestHub::start().await;
    assert!(open_ports(&hub.places).is_empty(), "nothing listens before a person asks");
    let address = hub.link().await;
    assert!(address.ip().is_loopback() && listens(address).await);
    assert_eq!(hub.link().await, address);
    assert_eq!(open_ports(&hub.places), [address.port()]);
    assert_eq!(hub.clients.count(), 1, "a background hub stays");
    hub.end().await;
    assert!(!listens(address).await);
}

#[tokio::test]
async fn it_closes_when_nobody_uses_the_page_and_opens_again() {
    let hub = TestHub::start().await;
    let address = hub.link().await;
    // From here on, waiting takes no time.
    tokio::time::pause();
    hub.clients.left().await;
    assert!(!listens(address).await);
    assert!(open_ports(&hub.places).is_empty());
    tokio::time::resume();
    let again = hub.link().await;
    assert!(listens(again).await);
    hub.end().await;
}

#[tokio::test]
async fn a_hub_with_a_listener_opens_no_other() {
    let hub = TestHub::start().await;
    hub.composed.page.shown_at("http://127.0.0.1:1");
    assert_eq!(hub.link().await.port(), 1);
    assert!(open_ports(&hub.places).is_empty());
    hub.end().await;
}
