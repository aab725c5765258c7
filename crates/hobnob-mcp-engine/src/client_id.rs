//! Which client a request comes from, and which identity the transport has authenticated.
//!
//! The transports make both values; nothing that a client says about itself goes into them.

use crate::keyed_hash::keyed_hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One client, distinct from every other client that this process has served.
///
/// The number is assigned here and never leaves the process, so no client can pass for another. It
/// stands for what a transport can tell apart by itself:
///
/// - a pipe or a private socket: one id from its first byte to its last, in both eras;
/// - a legacy session over HTTP: one id from `initialize` to its end, on any number of connections;
/// - a modern request over HTTP: the id of its connection, since it belongs to no session. A client
///   that uses several connections counts as several clients, and a proxy that carries many clients
///   on one connection counts as one: tell those apart by their [`Principal`].
#[derive(Clone, Copy)]
pub struct ClientId {
    number: u64,
    /// Keyed hash of the connection's address; zero for a pipe.
    origin: u64,
    /// The address itself, for the audit records.
    address: Option<IpAddr>,
    /// Whether the client is on this machine.
    local: bool,
    /// Whether the program's own page makes the request.
    own_page: bool,
}

impl ClientId {
    /// This process itself, for requests that it makes on no client's behalf.
    pub const OURSELVES: Self =
        Self { number: 0, origin: 0, address: None, local: true, own_page: false };

    /// A new client without an address: a pipe.
    pub fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        Self { number, ..Self::OURSELVES }
    }

    /// A new client on a connection from this address.
    pub fn next_at(address: IpAddr) -> Self {
        // A dual-stack socket reports an IPv4 client as an IPv4-mapped IPv6 address.
        let address = address.to_canonical();
        let local = address.is_loopback();
        Self { origin: origin(address), address: Some(address), local, ..Self::next() }
    }

    /// A new session that this client begins on its connection.
    pub fn next_session(self) -> Self {
        Self { number: Self::next().number, ..self }
    }

    /// The same client, no longer counted as local: the connection begins on this machine, but at a
    /// proxy that passes requests on.
    #[must_use]
    pub fn from_elsewhere(self) -> Self {
        Self { local: false, ..self }
    }

    /// The same client, for a request that a proxy passes on from this address. It is never counted
    /// as local, not even with a loopback address.
    #[must_use]
    pub fn behind_proxy(self, address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { origin: origin(address), address: Some(address), local: false, ..self }
    }

    /// Whether the client is on this machine, as far as the transport can tell: it uses a pipe, a
    /// private socket, or the loopback interface without a proxy.
    pub fn is_local(self) -> bool {
        self.local
    }

    /// The same client, for a request that a person makes on the program's own page in this client's
    /// browser.
    #[must_use]
    pub fn on_own_page(self) -> Self {
        Self { own_page: true, ..self }
    }

    /// Whether a person makes the request on the program's own page; no other client can claim it.
    pub fn is_own_page(self) -> bool {
        self.own_page
    }

    /// Whether the client is a pipe or a private socket, whose end is also the client's end. Over
    /// HTTP, the server cannot know which request was the last one.
    pub fn is_pipe(self) -> bool {
        self.origin == 0
    }

    /// A hash of the address its requests come from, valid in this process; `None` for a pipe. IPv6
    /// addresses count by their first 64 bits: one client often has the whole /64 network.
    pub fn origin(self) -> Option<u64> {
        Some(self.origin).filter(|origin| *origin != 0)
    }

    /// The address at which this client or its session began; `None` for a pipe. Behind an
    /// untrusted proxy it is the proxy's, so use it for records and never to grant anything.
    pub fn address(self) -> Option<IpAddr> {
        self.address
    }

    /// A pseudonym for logs and traces, valid in this process.
    pub fn pseudonym(self) -> u64 {
        keyed_hash(self.number)
    }

    /// The number of this client, unique in this process.
    pub(crate) fn number(self) -> u64 {
        self.number
    }
}

/// The hash under which an address is counted; never zero, which means "a pipe".
fn origin(address: IpAddr) -> u64 {
    let counted = match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    };
    keyed_hash(counted).max(1)
}

// The other fields do not count: a proxy's own requests may share the connection.
impl PartialEq for ClientId {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for ClientId {}

impl std::hash::Hash for ClientId {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl std::fmt::Debug for ClientId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClientId({})", self.number)
    }
}

/// An authenticated identity, or the anonymous one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<str>>);

impl Principal {
    /// The anonymous principal: a local pipe, or a loopback request without credentials.
    pub fn anonymous() -> Self {
        Self(None)
    }

    /// A principal that the transport has authenticated.
    pub fn named(name: &str) -> Self {
        Self(Some(name.into()))
    }

    /// The name; empty for the anonymous principal.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}
