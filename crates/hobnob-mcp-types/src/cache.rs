//! How long and for whom an answer stays good (since 2026-07-28).
//!
//! The gateway reads and merges these hints; the server edge writes them. An answer without hints
//! must be treated as stale at once and as belonging to one caller.

use serde::{Deserialize, Deserializer};

use crate::choice::open_enum;

open_enum! {
    /// Who may be given a cached answer.
    pub enum CacheScope {
        /// Any caller: the answer holds nothing that belongs to one of them.
        Public = "public",
        /// Only callers with the same authorization.
        Private = "private",
    }
}

/// How long and for whom an answer stays good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheHint {
    /// Milliseconds the answer stays fresh; zero means not at all.
    pub ttl_ms: u64,
    /// Who may be given the cached answer.
    pub scope: CacheScope,
}

impl CacheHint {
    /// The hint that is always safe: do not keep it, and do not share it.
    pub const NONE: Self = Self { ttl_ms: 0, scope: CacheScope::Private };

    /// The strictest of two hints, for an answer made of two answers.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        let both_public = self.scope == CacheScope::Public && other.scope == CacheScope::Public;
        Self {
            ttl_ms: self.ttl_ms.min(other.ttl_ms),
            scope: if both_public { CacheScope::Public } else { CacheScope::Private },
        }
    }
}

/// A result that may carry a [`CacheHint`].
pub trait Cacheable {
    /// The hint on this result; a missing part is read as its safe value.
    fn cache_hint(&self) -> CacheHint;

    /// Puts the hint on this result.
    #[must_use]
    fn with_cache_hint(self, hint: CacheHint) -> Self;
}

/// Declares a result that is [`Cacheable`]: what all such results have stands around its own fields.
macro_rules! cacheable_result {
    ($(#[$attribute:meta])* pub struct $result:ident { $($fields:tt)* }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Default, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $result {
            /// How to read this result.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub result_type: Option<$crate::result::ResultType>,
            $($fields)*
            /// Milliseconds this answer stays fresh.
            #[serde(default, deserialize_with = "crate::cache::ttl")]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub ttl_ms: Option<u64>,
            /// Who may be given the cached answer.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub cache_scope: Option<$crate::cache::CacheScope>,
            /// Metadata for the receiver.
            #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
            pub meta: Option<Box<RawValue>>,
        }

        impl $crate::cache::Cacheable for $result {
            fn cache_hint(&self) -> $crate::cache::CacheHint {
                $crate::cache::CacheHint {
                    ttl_ms: self.ttl_ms.unwrap_or_default(),
                    scope: self.cache_scope.clone().unwrap_or($crate::cache::CacheScope::Private),
                }
            }

            fn with_cache_hint(mut self, hint: $crate::cache::CacheHint) -> Self {
                self.ttl_ms = Some(hint.ttl_ms);
                self.cache_scope = Some(hint.scope);
                self
            }
        }
    };
}

pub(crate) use cacheable_result;

/// Reads a time to live. Spec 2026-07-28, caching: a negative one counts as zero.
pub(crate) fn ttl<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let milliseconds = Option::<i64>::deserialize(deserializer)?;
    Ok(milliseconds.map(|number| u64::try_from(number).unwrap_or_default()))
}
