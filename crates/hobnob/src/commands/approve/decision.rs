//! What the user decided about a server or a tool that waits for approval.

use serde::Serialize;

/// Spelled in the JSON output as written here, in kebab case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Decision {
    Approved,
    Waiting,
}
