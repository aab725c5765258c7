//! The answers a client adds when it sends a request again (since 2026-07-28).
//!
//! Tools, prompts and resources take these in their parameters, so this file knows no feature;
//! [`crate::input`] adds a reader for each kind of answer. An answer stays raw until then, because
//! only the request under the same key says what kind it is.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::entries::Entries;

/// What a client answers, under the keys the server chose.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputResponses(pub Entries<Box<RawValue>>);

impl InputResponses {
    pub(crate) fn read<T: DeserializeOwned>(&self, key: &str) -> serde_json::Result<Option<T>> {
        self.0.get(key).map(|raw| serde_json::from_str(raw.get())).transpose()
    }
}
