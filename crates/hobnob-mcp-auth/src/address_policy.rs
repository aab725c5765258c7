//! Which addresses a login may connect to: the public internet, and what the user allowed.
//!
//! The guarded fetch checks every address that a name resolves to. A server chooses the URLs that
//! are fetched; without this policy it could make us send requests into our own network (SSRF).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hobnob_web_client::is_loopback;
use reqwest::Url;

#[cfg(test)]
mod tests;

/// Which addresses one server's login may connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Whether the server is on this machine, so that its login may be too.
    server_is_local: ServerPlace,
    /// Hosts in private networks that the user allowed, in lower case.
    hosts: Vec<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerPlace {
    ThisMachine,
    Elsewhere,
}

impl AddressPolicy {
    /// The policy for this server: the public internet, and this machine if the server runs here.
    pub fn for_server(server: &Url) -> Self {
        let local = is_loopback(server);
        let server_is_local = if local { ServerPlace::ThisMachine } else { ServerPlace::Elsewhere };
        Self { server_is_local, hosts: Vec::new() }
    }

    /// The policy for URLs that a stranger may have chosen: the public internet and nothing else.
    pub fn public_only() -> Self {
        Self { server_is_local: ServerPlace::Elsewhere, hosts: Vec::new() }
    }

    /// Also allows this host, at any address that its name resolves to.
    #[must_use]
    pub fn allow_private(mut self, host: &str) -> Self {
        self.hosts.push(plain_host(host));
        self
    }

    /// Whether `host` may be reached at `address`.
    pub fn allows(&self, host: &str, address: IpAddr) -> bool {
        let local = address.to_canonical().is_loopback();
        is_public(address)
            || local && self.server_is_local == ServerPlace::ThisMachine
            || self.hosts.contains(&plain_host(host))
    }
}

/// `LOCALHOST.` and `localhost` are one host, and so are `[::1]` and `::1`.
fn plain_host(host: &str) -> Box<str> {
    let bare = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    bare.to_ascii_lowercase().into()
}

/// Whether the address is on the public internet, so that a request to it reveals nothing.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let special = match (first, second, third) {
        // This network, private, this machine, multicast, and the reserved range above it.
        (0 | 10 | 127 | 224..=255, _, _) => true,
        (100, 64..=127, _) => true,                // carrier-grade NAT
        (169, 254, _) => true,                     // link-local, and clouds' metadata
        (172, 16..=31, _) | (192, 168, _) => true, // private
        (192, 0, 0 | 2) | (192, 88, 99) => true,   // protocols, documentation, 6to4 relays
        (198, 18 | 19, _) => true,                 // benchmarks
        (198, 51, 100) | (203, 0, 113) => true,    // documentation
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // NAT64: the network translates it to the IPv4 address at its end.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        // 6to4, with the IPv4 address after the prefix.
        [0x2002, high, low, ..] => embedded(high, low),
        // Teredo and the other IETF protocol assignments, and documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] => false,
        [0x3fff, ..] => false,
        // Global unicast. Local, private and multicast addresses are outside of it.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}
