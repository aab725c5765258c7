//! Which client a request comes from, and whom the transport has authenticated.
//!
//! Transports make both; nothing that a client says about itself goes into them.

use crate::keyed_hash::keyed_hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One client, distinct from every other that this process has served.
///
/// The number is ours and never leaves the process, so that no client can pass for another.
/// It stands for what a transport can tell apart by itself:
///
/// - a pipe or a private socket: one id from its first byte to its last, in both eras;
/// - a legacy session over HTTP: one id from `initialize` to its end, on any number of connections;
/// - a modern request over HTTP: the id of its connection, since it belongs to no session. A client
///   that uses several connections counts as several clients, and a proxy that carries many
///   clients on one connection counts as one: tell those apart by their [`Principal`].
#[derive(Clone, Copy)]
pub struct ClientId {
    number: u64,
    /// The address of its connection, hashed. Zero of a pipe.
    origin: u64,
    /// The address itself, for records of who did what.
    address: Option<IpAddr>,
    /// Whether it is on this machine.
    local: bool,
}

impl ClientId {
    /// This process itself: what it asks for on no client's behalf.
    pub const OURSELVES: Self = Self { number: 0, origin: 0, address: None, local: true };

    /// A client that is none of those before, without an address: a pipe.
    pub fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        Self { number, ..Self::OURSELVES }
    }

    /// A client that is none of those before, on a connection from this address.
    pub fn next_at(address: IpAddr) -> Self {
        // An IPv4 client of a socket for both families has an IPv6 address that wraps its own.
        let address = address.to_canonical();
        let local = address.is_loopback();
        Self { origin: origin(address), address: Some(address), local, ..Self::next() }
    }

    /// A session of its own, begun by this client on its connection.
    pub fn next_session(self) -> Self {
        Self { number: Self::next().number, ..self }
    }

    /// The same client, who may be anywhere although the connection begins on this machine: a proxy
    /// passes requests on.
    #[must_use]
    pub fn from_elsewhere(self) -> Self {
        Self { local: false, ..self }
    }

    /// The same client, whose request a proxy passes on from this address. It is not on this machine,
    /// whatever the address says.
    #[must_use]
    pub fn behind_proxy(self, address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { origin: origin(address), address: Some(address), local: false, ..self }
    }

    /// Whether it is on this machine, as far as the transport can tell: a pipe, a private socket, or
    /// the loopback interface without a proxy.
    pub fn is_local(self) -> bool {
        self.local
    }

    /// Whether it is a pipe or a private socket, so that its end is the client's end. Of requests
    /// over HTTP nobody can tell which was the last one.
    pub fn is_pipe(self) -> bool {
        self.origin == 0
    }

    /// Stands for where its requests come from, in this process; `None` of a pipe. Addresses of IPv6
    /// count by their first 64 bits, since whoever has one has all of these.
    pub fn origin(self) -> Option<u64> {
        Some(self.origin).filter(|origin| *origin != 0)
    }

    /// The address at which this client, or its session, began; `None` of a pipe. Behind a proxy that
    /// nobody trusts it is the proxy's, so it is for records and never a ground for trust.
    pub fn address(self) -> Option<IpAddr> {
        self.address
    }

    /// Stands for this client and no other of this process.
    pub(crate) fn number(self) -> u64 {
        self.number
    }
}

/// What an address is counted by, never zero.
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

// The number is enough: requests that a proxy passes on may share a connection with its own.
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

/// An authenticated identity, or nobody in particular.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<str>>);

impl Principal {
    /// Nobody in particular: a local pipe, or a loopback request without credentials.
    pub fn anonymous() -> Self {
        Self(None)
    }

    /// Somebody the transport has authenticated.
    pub fn named(name: &str) -> Self {
        Self(Some(name.into()))
    }

    /// The name, empty for nobody.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}
