//! Where a request comes from that a proxy passes on: the standard headers, if the proxy is trusted.
//!
//! The site asks before anything else. What must stay true: what a client writes into a header moves it
//! nowhere; only proxies that the operator names are believed, from the nearest one on, and nobody behind
//! a proxy is on this machine.

use hobnob_mcp_engine::ClientId;
use http::header::FORWARDED;
use http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

#[cfg(test)]
mod tests;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The addresses of proxies that say truly whose requests they pass on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network, such as 10.0.0.5 or 10.0.0.0/8")]
pub struct NoNetwork(String);

impl TrustedProxies {
    /// Reads addresses and networks.
    ///
    /// # Errors
    /// Names the first text that is neither.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, NoNetwork> {
        let network = |text: &T| {
            let text = text.as_ref();
            let address = || text.parse::<IpAddr>().map(IpNet::from);
            text.parse().or_else(|_| address()).map_err(|_| NoNetwork(text.to_owned()))
        };
        texts.iter().map(network).collect::<Result<_, _>>().map(Self)
    }

    fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client with the address of the request's sender, if a trusted proxy passed it on.
    pub(crate) fn sender(&self, client: ClientId, headers: &HeaderMap) -> ClientId {
        let Some(proxy) = client.address().filter(|address| self.has(*address)) else {
            return client;
        };
        client.behind_proxy(self.origin(headers).unwrap_or(proxy))
    }

    /// The last address that is not one of a trusted proxy; nothing if the headers do not say, or if
    /// there are both kinds, one of which the proxy may have let through.
    fn origin(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let forwarded = headers.get_all(FORWARDED);
        let listed = headers.get_all(X_FORWARDED_FOR);
        let hops: Vec<Option<IpAddr>> =
            match (forwarded.iter().next().is_some(), listed.iter().next().is_some()) {
                (true, false) => elements(forwarded.iter()).map(forwarded_for).collect(),
                (false, true) => elements(listed.iter()).map(address).collect(),
                (true, true) | (false, false) => return None,
            };
        let mut nearest = None;
        for hop in hops.into_iter().rev() {
            nearest = Some(hop?);
            if !self.has(hop?) {
                break;
            }
        }
        nearest
    }
}

/// The elements of all lines of a header; one that is no text is one that says nothing.
fn elements<'a>(values: impl Iterator<Item = &'a HeaderValue>) -> impl Iterator<Item = &'a str> {
    // No address has a comma in it, so none that counts is cut.
    values.flat_map(|value| value.to_str().unwrap_or_default().split(',')).map(str::trim)
}

/// RFC 7239, 4: the address behind `for`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.eq_ignore_ascii_case("for"))?;
    let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    address(quoted.unwrap_or(value))
}

/// An address, in brackets or not, with a port or not.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let bare = bracketed.unwrap_or(text).parse::<IpAddr>();
    let address = bare.or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address| address.to_canonical())
}
