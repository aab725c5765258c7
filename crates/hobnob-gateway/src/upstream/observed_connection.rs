//! A connection to a server as the observer learns of it: the revision, and where the server is.
//!
//! `life` reports its begin and its end. What must stay true: the address has no value of a
//! variable of the entry, which may be a secret.

use crate::upstream::configured::Configured;
use crate::upstream::running::Running;
use hobnob_config::Target;
use hobnob_mcp_types::Revision;
use std::time::Duration;

/// A connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedConnection {
    /// The server's name in the configuration.
    pub server: Box<str>,
    /// The revision of the protocol that it speaks.
    pub revision: Revision,
    /// The transport, and the address if there is one.
    pub place: ServerPlace,
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerPlace {
    /// A program of this machine, on a pipe.
    Pipe,
    /// It listens, at this host and port unless they come from variables.
    Http(Option<(Box<str>, u16)>),
}

/// How a connection to a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionEnd {
    /// The time since its begin.
    pub duration: Duration,
    /// Whether the server was lost: nothing here had ended the connection.
    pub was_lost: bool,
}

impl ObservedConnection {
    pub(super) fn new(configured: &Configured, running: &Running) -> Self {
        let target = configured.spec.as_ref().ok().map(|(spec, _)| &spec.target);
        Self {
            server: configured.name.as_str().into(),
            revision: running.remote.hello().revision,
            place: match target {
                Some(Target::Url { url, .. }) => ServerPlace::Http(
                    address(url.expose()).filter(|(host, _)| configured.conceal(host) == **host),
                ),
                Some(Target::Command { .. }) | None => ServerPlace::Pipe,
            },
        }
    }
}

/// The host and port of a URL.
fn address(url: &str) -> Option<(Box<str>, u16)> {
    let url: http::Uri = url.parse().ok()?;
    let usual = match url.scheme_str()? {
        "https" => 443,
        _ => 80,
    };
    Some((url.host()?.into(), url.port_u16().unwrap_or(usual)))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_url_has_a_host_and_a_port() {
        for (url, host, port) in [
            ("https://example.com/mcp", "example.com", 443),
            ("http://127.0.0.1:8080", "127.0.0.1", 8080),
            ("http://user:pass@[::1]/x?y", "[::1]", 80),
        ] {
            assert_eq!(address(url), Some((host.into(), port)), "{url}");
        }
        assert_eq!(address("not a url"), None);
    }
}
