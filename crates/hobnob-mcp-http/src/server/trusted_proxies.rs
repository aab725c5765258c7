//! The origin of a request that a proxy forwards, from the standard headers of a trusted proxy.
//!
//! The site calls it first. What must stay true: a client cannot change its address with a header;
//! only proxies that the operator names are believed, from the nearest one on, and no client behind
//! a proxy counts as local.

use hobnob_mcp_engine::ClientId;
use http::header::FORWARDED;
use http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

#[cfg(test)]
mod tests;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The addresses of proxies that are trusted to name the clients they forward.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// A text that is neither an address nor a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network, such as 10.0.0.5 or 10.0.0.0/8")]
pub struct NoNetwork(String);

impl TrustedProxies {
    /// Parses addresses and networks.
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

    /// The client, with the address of the request's sender if a trusted proxy forwarded it.
    pub(crate) fn sender(&self, client: ClientId, headers: &HeaderMap) -> ClientId {
        let Some(proxy) = client.address().filter(|address| self.has(*address)) else {
            return client;
        };
        client.behind_proxy(self.origin(headers).unwrap_or(proxy))
    }

    /// The last address that is not a trusted proxy's. `None` if the headers do not say, or if
    /// there are both kinds of headers, since the proxy may have passed one of them through.
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

/// The elements of all lines of a header; a line that is not text becomes an empty element.
fn elements<'a>(values: impl Iterator<Item = &'a HeaderValue>) -> impl Iterator<Item = &'a str> {
    // No address contains a comma, so no valid one is cut.
    values.flat_map(|value| value.to_str().unwrap_or_default().split(',')).map(str::trim)
}

/// RFC 7239, 4: the address behind `for`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.eq_ignore_ascii_case("for"))?;
    let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    address(quoted.unwrap_or(value))
}

/// Parses an address, with or without brackets and port.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let bare = bracketed.unwrap_or(text).parse::<IpAddr>();
    let address = bare.or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address| address.to_canonical())
}
