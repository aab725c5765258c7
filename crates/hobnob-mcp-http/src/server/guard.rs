//! Protection against DNS rebinding: the `Host` and `Origin` checks, and the rule for listening.
//! The endpoint calls [`check`] on every route before it touches a body, so that a web page that
//! rebinds its name to 127.0.0.1 reaches nothing. All functions are pure: headers in, verdict out.
//!
//! What must stay true: a header that was not understood is refused, never guessed at.

use std::net::{Ipv4Addr, SocketAddr};

use http::header::{FORWARDED, HOST, ORIGIN, VIA};
use http::{HeaderMap, HeaderName, Response, StatusCode, Uri};

use crate::server::reply::{ReplyBody, closing_json_reply};
use crate::server::single_header::SingleHeader;

#[cfg(test)]
mod tests;

/// The hosts and origins that are accepted.
///
/// By default only loopback: `Host` must be `localhost`, `[::1]` or a 127.x.y.z address, with the
/// port we listen on or none; `Origin`, when present, must be http or https on such a host. Its
/// port is free, because local user interfaces run on ports of their own and a page from another
/// site cannot claim a loopback origin.
#[derive(Clone, Debug)]
pub struct OriginPolicy {
    port: u16,
    /// The `Host` values of nearly all local clients, which are recognised without parsing.
    usual_hosts: [Box<str>; 2],
    hosts: Vec<Box<str>>,
    origins: Vec<Box<str>>,
}

impl OriginPolicy {
    /// Accepts only loopback names, on the port we listen on.
    pub fn loopback(port: u16) -> Self {
        let usual_hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}").into());
        Self { port, usual_hosts, hosts: Vec::new(), origins: Vec::new() }
    }

    /// Also accepts requests whose `Host` is exactly `host` (`name` or `name:port`), and pages that
    /// were served from that host.
    #[must_use]
    pub fn allow_host(mut self, host: &str) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Also accepts requests whose `Origin` is exactly `origin` (`scheme://name` or
    /// `scheme://name:port`).
    #[must_use]
    pub fn allow_origin(mut self, origin: &str) -> Self {
        self.origins.push(origin.into());
        self
    }

    fn place_of_host(&self, authority: &str) -> Option<NamedPlace> {
        if self.usual_hosts.iter().any(|usual| **usual == *authority) {
            return Some(NamedPlace::ThisMachine);
        }
        let ours = |port: Option<u16>| port.is_none_or(|port| port == self.port);
        match loopback_port(authority).is_some_and(ours) {
            true => Some(NamedPlace::ThisMachine),
            false => self.names_host(authority).then_some(NamedPlace::Elsewhere),
        }
    }

    fn place_of_origin(&self, origin: &str) -> Option<NamedPlace> {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if authority.is_some_and(|name| loopback_port(name).is_some()) {
            return Some(NamedPlace::ThisMachine);
        }
        let named = authority.is_some_and(|name| self.names_host(name));
        (self.lists_origin(origin) || named).then_some(NamedPlace::Elsewhere)
    }

    /// Whether a page of this origin is ours, or was allowed by name.
    fn is_own_page(&self, origin: &str) -> bool {
        let (scheme, authority) = origin.split_once("://").unwrap_or_default();
        let usual = if scheme == "https" { 443 } else { 80 };
        match loopback_port(authority) {
            Some(port) => port.unwrap_or(usual) == self.port || self.lists_origin(origin),
            None => self.place_of_origin(origin).is_some(),
        }
    }

    fn lists_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }

    fn names_host(&self, authority: &str) -> bool {
        self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(authority))
    }
}

/// The machine that a request names, as its target or as the origin of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedPlace {
    /// Every name is a loopback name, and no proxy says that it forwarded the request.
    ThisMachine,
    /// A name was allowed by the settings, or a proxy forwarded the request: the sender may be
    /// anywhere, although the connection begins on this machine.
    Elsewhere,
}

/// Why the guard refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Without `Host`, the name that the client believes it talks to is unknown.
    #[error("request has no Host header")]
    HostMissing,
    /// With two `Host` headers, two readers could believe two different names.
    #[error("request has more than one Host header")]
    HostRepeated,
    /// The name in `Host`, or in an absolute request target, is not allowed.
    #[error("request is for a host that is not allowed")]
    HostForeign,
    /// With two `Origin` headers, two readers could believe two different pages.
    #[error("request has more than one Origin header")]
    OriginRepeated,
    /// The page that sent the request is not allowed.
    #[error("request comes from an origin that is not allowed")]
    OriginForeign,
}

impl Refusal {
    /// The 403 response, which says what was wrong and what to do, without repeating the client's
    /// bytes. It closes the connection, because the body was left unread.
    pub fn response(self) -> Response<ReplyBody> {
        let body = match self {
            Self::HostMissing => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"the Host header is missing; send the host and port of this server"}}"#
            }
            Self::HostRepeated => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"the Host header is repeated; send it once"}}"#
            }
            Self::HostForeign => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"this Host is not allowed; use localhost with the server's port, or add the host to the allowed hosts"}}"#
            }
            Self::OriginRepeated => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"the Origin header is repeated; send it once"}}"#
            }
            Self::OriginForeign => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"this Origin is not allowed; open the page from localhost, or add the origin to the allowed origins"}}"#
            }
        };
        closing_json_reply(StatusCode::FORBIDDEN, body)
    }
}

/// Headers that proxies add to requests they forward.
const PROXY_HEADERS: [HeaderName; 6] = [
    FORWARDED,
    VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-real-ip"),
];

/// The headers that the guard checks.
struct GuardedHeaders<'a> {
    host: SingleHeader<'a>,
    origin: SingleHeader<'a>,
    was_passed_on: bool,
}

impl<'a> GuardedHeaders<'a> {
    /// One pass over the few headers of a request is faster than a search for each name.
    fn of(headers: &'a HeaderMap) -> Self {
        let (host, origin) = (SingleHeader::Absent, SingleHeader::Absent);
        let mut found = Self { host, origin, was_passed_on: false };
        for (name, value) in headers {
            if *name == HOST {
                found.host = found.host.and(value);
            } else if *name == ORIGIN {
                found.origin = found.origin.and(value);
            } else if PROXY_HEADERS.contains(name) {
                found.was_passed_on = true;
            }
        }
        found
    }

    fn place_of_host(&self, uri: &Uri, policy: &OriginPolicy) -> Result<NamedPlace, Refusal> {
        let host = match self.host {
            SingleHeader::Once(host) => host.to_str().map_err(|_| Refusal::HostForeign)?,
            SingleHeader::Absent => return Err(Refusal::HostMissing),
            SingleHeader::Repeated => return Err(Refusal::HostRepeated),
        };
        let mut place = policy.place_of_host(host).ok_or(Refusal::HostForeign)?;
        // RFC 9112, 3.2.2: a name in the request target outranks Host, so the rule covers it too.
        if let Some(target) = uri.authority() {
            place = place.max(policy.place_of_host(target.as_str()).ok_or(Refusal::HostForeign)?);
        }
        match self.was_passed_on {
            true => Ok(NamedPlace::Elsewhere),
            false => Ok(place),
        }
    }
}

/// Decides from the head alone whether to accept a request, and which machine it names.
pub fn check(headers: &HeaderMap, uri: &Uri, policy: &OriginPolicy) -> Result<NamedPlace, Refusal> {
    let headers = GuardedHeaders::of(headers);
    let place = headers.place_of_host(uri, policy)?;
    match headers.origin {
        SingleHeader::Absent => Ok(place),
        SingleHeader::Once(origin) => {
            let origin = origin.to_str().map_err(|_| Refusal::OriginForeign)?;
            Ok(place.max(policy.place_of_origin(origin).ok_or(Refusal::OriginForeign)?))
        }
        SingleHeader::Repeated => Err(Refusal::OriginRepeated),
    }
}

/// Refuses pages on other ports of this machine. Over HTTP a browser sends a preflight for such a
/// page and withholds the response from it, but it opens a WebSocket without asking.
pub fn check_page(headers: &HeaderMap, policy: &OriginPolicy) -> Result<(), Refusal> {
    let SingleHeader::Once(origin) = GuardedHeaders::of(headers).origin else { return Ok(()) };
    let origin = origin.to_str().map_err(|_| Refusal::OriginForeign)?;
    match policy.is_own_page(origin) {
        true => Ok(()),
        false => Err(Refusal::OriginForeign),
    }
}

/// The check of `Host` alone, for pages and documents to which any page may link.
pub fn check_host(
    headers: &HeaderMap,
    uri: &Uri,
    policy: &OriginPolicy,
) -> Result<NamedPlace, Refusal> {
    GuardedHeaders::of(headers).place_of_host(uri, policy)
}

/// Whether `Host` is a loopback name.
pub(crate) fn names_this_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    host.is_some_and(|host| loopback_port(host).is_some())
}

/// `Some` if the authority names this machine and nothing else; inside, its port if it has one.
/// Everything that is not one of the exact spellings is foreign: user info, trailing dots,
/// shortened or octal addresses, zone ids, names that merely begin or end like ours.
fn loopback_port(authority: &str) -> Option<Option<u16>> {
    let (host, port) = match authority.strip_prefix("[::1]") {
        Some("") => return Some(None),
        Some(rest) => ("[::1]", Some(rest.strip_prefix(':')?)),
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let ours = host == "[::1]"
        || host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    match port {
        _ if !ours => None,
        None => Some(None),
        // `u16::from_str` would also accept a leading plus sign.
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok().map(Some)
        }
        Some(_) => None,
    }
}

/// How far the operator has opened the server to other machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Not at all: this machine only.
    LoopbackOnly,
    /// To every client with a valid token.
    Authenticated,
    /// To every client; the operator explicitly asked for that.
    UnsafeNoAuth,
}

/// The address is reachable from other machines, which the operator has not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} can be reached from other machines; listen on 127.0.0.1, ask for tokens, or allow access without authentication explicitly"
)]
pub struct BindRefused(pub SocketAddr);

/// Decides whether the server may listen on `address`.
pub fn check_bind(address: SocketAddr, exposure: Exposure) -> Result<(), BindRefused> {
    match exposure {
        Exposure::Authenticated | Exposure::UnsafeNoAuth => Ok(()),
        Exposure::LoopbackOnly if address.ip().to_canonical().is_loopback() => Ok(()),
        Exposure::LoopbackOnly => Err(BindRefused(address)),
    }
}
