//! Public addresses of upstream resources: `mcp://server/` and then the original, unchanged.
//!
//! The server's name is percent-encoded, so the first `/` after the scheme always ends it and the
//! way back is exact. Hobnob's own resources are `hobnob://…` and never an upstream's.

use hobnob_mcp_toolbox::encode_uri_component;
use std::collections::HashMap;
use std::sync::Arc;

const SCHEME: &str = "mcp://";
const OWN_SCHEME: &str = "hobnob://";

/// How the servers are.
pub const STATUS: &str = "hobnob://status";

/// Results that were too large.
pub(crate) const RESULTS: &str = "hobnob://results/";

/// What servers write to standard error.
pub(crate) const LOGS: &str = "hobnob://logs/";

/// Behind the address of the status or of a log: everybody's connections, not only the reader's. An edge
/// that knows its callers asks for `admin` wherever it finds this.
pub const OF_ALL: &str = "?of=all";

/// What polls have found.
pub(crate) const POLLS: &str = "hobnob://polls/";

/// What every public address of one server begins with.
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

/// The servers whose addresses can be taken back to the originals.
#[derive(Debug, Clone, Default)]
pub struct UriMap {
    /// By the encoded name.
    servers: HashMap<Box<str>, Arc<str>>,
}

impl UriMap {
    /// A map of these servers.
    pub fn new(servers: impl IntoIterator<Item = Arc<str>>) -> Self {
        let encoded = servers.into_iter().map(|server| {
            let key = encode_uri_component(&server).to_string();
            (key.into(), server)
        });
        Self { servers: encoded.collect() }
    }

    /// The server and the original address; nothing if it is no public address of a known server.
    pub fn split<'a>(&self, public: &'a str) -> Option<(&Arc<str>, &'a str)> {
        let (server, original) = public.strip_prefix(SCHEME)?.split_once('/')?;
        Some((self.servers.get(server)?, original))
    }
}

#[cfg(test)]
mod tests;
