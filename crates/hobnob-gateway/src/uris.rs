//! Public addresses of upstream resources: `mcp://server/` followed by the original, unchanged; an
//! address of a scheme that clients know keeps it, so `ui://x` becomes `ui://server/x`.
//!
//! The server's name is percent-encoded, so the first `/` after the scheme always ends it and the
//! way back is exact. What must stay true: a resource has one public address. Hobnob's own resources
//! are `hobnob://…` and never an upstream's.

use hobnob_mcp_toolbox::encode_uri_component;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

const SCHEME: &str = "mcp://";
/// The schemes that public addresses keep. Hosts of MCP Apps show nothing from another one.
const KEPT_SCHEMES: [&str; 1] = ["ui://"];
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

/// The public addresses of one server's resources; it holds the server's encoded name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PublicUris(Arc<str>);

impl PublicUris {
    /// The public addresses of the server with this name.
    pub fn of(server: &str) -> Self {
        Self(encode_uri_component(server).to_string().into())
    }

    /// The public address of a resource, or of a template, of this server.
    pub fn public(&self, original: &str) -> String {
        let (scheme, rest) = match kept_scheme(original) {
            Some(scheme) => (scheme, original.strip_prefix(scheme).unwrap_or_default()),
            None => (SCHEME, original),
        };
        [scheme, &self.0, "/", rest].concat()
    }

    /// What this server calls the resource with this public address; `None` if it is not its own.
    pub fn original<'a>(&self, public: &'a str) -> Option<Cow<'a, str>> {
        let (server, original) = split(public)?;
        (*server == *self.0).then_some(original)
    }
}

/// The scheme of an address if public addresses keep it.
fn kept_scheme(uri: &str) -> Option<&'static str> {
    KEPT_SCHEMES.into_iter().find(|scheme| uri.starts_with(scheme))
}

/// The encoded name of the server in a public address, and the original.
pub fn split(public: &str) -> Option<(&str, Cow<'_, str>)> {
    if let Some(scheme) = kept_scheme(public) {
        let (server, rest) = public.strip_prefix(scheme)?.split_once('/')?;
        return Some((server, Cow::Owned([scheme, rest].concat())));
    }
    let (server, original) = public.strip_prefix(SCHEME)?.split_once('/')?;
    // Its public address is the other one.
    kept_scheme(original).is_none().then_some((server, Cow::Borrowed(original)))
}

/// The public address of what `server` calls `original`.
pub fn public_uri(server: &str, original: &str) -> String {
    PublicUris::of(server).public(original)
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
    pub fn split<'a>(&self, public: &'a str) -> Option<(&Arc<str>, Cow<'a, str>)> {
        let (server, original) = split(public)?;
        Some((self.servers.get(server)?, original))
    }
}

#[cfg(test)]
mod tests;
