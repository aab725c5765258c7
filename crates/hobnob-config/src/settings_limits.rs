//! How much clients may take, each alone and all together.

use std::num::NonZeroUsize;

use serde::{Deserialize, Deserializer, de};

/// The fewest bytes of bodies that make sense: a few of the largest.
const LEAST_BODIES: u64 = 16 << 20;

/// `[limits]`: read when Hobnob starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Requests at once of one client.
    pub calls_per_client: NonZeroUsize,
    /// Requests at once of all clients.
    pub calls_total: NonZeroUsize,
    /// Open `subscriptions/listen` of one client.
    pub listens_per_client: NonZeroUsize,
    /// Open `subscriptions/listen` of all clients.
    pub listens_total: NonZeroUsize,
    /// Resources one client may subscribe to.
    pub subscriptions_per_client: NonZeroUsize,
    /// Resources all clients may subscribe to, counted for each.
    pub subscriptions_total: NonZeroUsize,
    /// Bytes of all large request bodies together.
    #[serde(deserialize_with = "bodies")]
    pub bodies_total: u64,
    /// Entries on one page of a list; as many as fit into 4 MiB if it is not given.
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
            page: None,
        }
    }
}

fn bodies<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let bytes = u64::deserialize(deserializer)?;
    if bytes < LEAST_BODIES {
        return Err(de::Error::custom(format!("at least {LEAST_BODIES} bytes")));
    }
    Ok(bytes)
}
