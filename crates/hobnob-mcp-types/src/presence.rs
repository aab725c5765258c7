//! What an absent member means on the wire, as serde hooks for the feature files.
//!
//! For optional lists and flags, absent, `null` and empty mean the same, because real peers send
//! all three. For optional JSON, an explicit `null` is a value and must not become absence.

use serde::{Deserialize, Deserializer};

/// A list that may be absent or null; both mean empty.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A flag that may be absent or null; both mean off.
pub(crate) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Whether a flag is off and therefore left out on the wire.
pub(crate) fn unset(flag: &bool) -> bool {
    !flag
}

/// An optional value whose explicit `null` counts as present.
pub(crate) fn explicit<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
