//! The table `[limits]` of `config.toml`: how much one client, one principal and all clients together
//! may use and store.
//!
//! `hobnob-hub` passes the limits to the server and the store at startup, `serve` to the HTTP listener.

use std::num::NonZeroUsize;

use serde::{Deserialize, Deserializer, de};

/// With fewer bytes, not even a few of the largest bodies would fit.
const MIN_BODIES_TOTAL: u64 = 16 << 20;

/// `[limits]`: read when Hobnob starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Concurrent requests of one client.
    pub calls_per_client: NonZeroUsize,
    /// Concurrent requests of all clients.
    pub calls_total: NonZeroUsize,
    /// Open `subscriptions/listen` requests of one client.
    pub listens_per_client: NonZeroUsize,
    /// Open `subscriptions/listen` requests of all clients.
    pub listens_total: NonZeroUsize,
    /// Resources one client may subscribe to.
    pub subscriptions_per_client: NonZeroUsize,
    /// Resources all clients together may subscribe to.
    pub subscriptions_total: NonZeroUsize,
    /// Bytes of all large request bodies together.
    #[serde(deserialize_with = "bodies")]
    pub bodies_total: u64,
    /// Requests per minute of one principal, if the listener asks for tokens.
    pub requests_per_minute: NonZeroUsize,
    /// Bytes per minute of the request bodies of one principal, if the listener asks for tokens.
    pub bytes_per_minute: NonZeroUsize,
    /// Memories of one principal, including those that are deleted and not purged. By default a
    /// million for principals with a name, unlimited for this machine's user, as are the next two.
    pub memories_per_principal: Option<NonZeroUsize>,
    /// Tasks of one principal.
    pub tasks_per_principal: Option<NonZeroUsize>,
    /// Nodes of all trees of one principal.
    pub tree_nodes_per_principal: Option<NonZeroUsize>,
    /// Entries on one page of a list; by default as many as fit into 4 MiB.
    pub page: Option<NonZeroUsize>,
}

impl Default for LimitSettings {
    fn default() -> Self {
        const fn number(number: usize) -> NonZeroUsize {
            match NonZeroUsize::new(number) {
                Some(number) => number,
                None => NonZeroUsize::MIN,
            }
        }
        Self {
            calls_per_client: number(1024),
            calls_total: number(4096),
            listens_per_client: number(2048),
            listens_total: number(10_000),
            subscriptions_per_client: number(4096),
            subscriptions_total: number(16_384),
            bodies_total: 256 << 20,
            requests_per_minute: number(6000),
            bytes_per_minute: number(1 << 30),
            memories_per_principal: None,
            tasks_per_principal: None,
            tree_nodes_per_principal: None,
            page: None,
        }
    }
}

fn bodies<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let bytes = u64::deserialize(deserializer)?;
    if bytes < MIN_BODIES_TOTAL {
        return Err(de::Error::custom(format!("must be at least {MIN_BODIES_TOTAL} bytes")));
    }
    Ok(bytes)
}
