//! Public addresses of upstream resources: `mcp://server/` followed by the original, unchanged.
//!
//! The server's name is percent-encoded, so the first `/` after the scheme always ends it and the
//! way back is exact. Hobnob's own resources are `hobnob://…` and never an upstream's.

use hobnob_mcp_toolbox::encode_uri_component;
use std::collections::HashMap;
use std::sync::Arc;

const SCHEME: &str = "mcp://";
const OWN_SCHEME: &str = "hobnob://";

/// The address of the status of all servers.
pub const STATUS: &str = "hobnob://status";

/// The prefix for results that were too large.
pub(crate) const RESULTS: &str = "hobnob://results/";

/// The prefix for servers' standard error.
pub(crate) const LOGS: &str = "hobnob://logs/";

/// Appended to the address of the status or of a log to see all connections, not only the reader's.
/// An edge that knows its callers requires the scope `admin` for such an address.
pub const OF_ALL: &str = "?of=all";

/// The prefix for results of polls.
pub(crate) const POLLS: &str = "hobnob://polls/";

/// The prefix of all public addresses of one server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Prefix(Arc<str>);

impl Prefix {
    /// The prefix of a server.
    pub fn of(server: &str) -> Self {
        Self(format!("{SCHEME}{}/", encode_uri_component(server)).into())
    }

    /// The prefix as text, with its last `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The public address of a resource, or of a template, of this server.
    pub fn public(&self, original: &str) -> String {
        [&*self.0, original].concat()
    }
}

/// The public address of what `server` calls `original`.
pub fn public_uri(server: &str, original: &str) -> String {
    Prefix::of(server).public(original)
}

/// Whether an address is one of Hobnob's own, listed or not.
pub fn is_own(uri: &str) -> bool {
    uri.starts_with(OWN_SCHEME)
}

/// Maps public addresses of these servers back to the originals.
#[derive(Debug, Clone, Default)]
pub struct UriMap {
    /// Keyed by the encoded name.
    servers: HashMap<Box<str>, Arc<str>>,
}

impl UriMap {
    /// A map for these servers.
    pub fn new(servers: impl IntoIterator<Item = Arc<str>>) -> Self {
        let encoded = servers.into_iter().map(|server| {
            let key = encode_uri_component(&server).to_string();
            (key.into(), server)
        });
        Self { servers: encoded.collect() }
    }

    /// The server and the original address; `None` if it is not a public address of a known server.
    pub fn split<'a>(&self, public: &'a str) -> Option<(&Arc<str>, &'a str)> {
        let (server, original) = public.strip_prefix(SCHEME)?.split_once('/')?;
        Some((self.servers.get(server)?, original))
    }
}

#[cfg(test)]
mod tests;
