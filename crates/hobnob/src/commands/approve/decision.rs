//! What the user decided about a server or a tool that waits for approval. `approve` asks
//! for it and carries it out.
//!
//! What must stay true: the spelling in the JSON output does not change.

use serde::Serialize;

/// Spelled in the JSON output as written here, in kebab case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Decision {
    Approved,
    Waiting,
}
