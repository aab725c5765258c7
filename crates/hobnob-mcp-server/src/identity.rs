//! Who the server says it is, and how it writes what it can do. Sessions and modern calls quote it.

use hobnob_mcp_engine::{downgrade_capabilities, downgrade_implementation};
use hobnob_mcp_types::capabilities::ServerCapabilities;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::{Revision, meta};
use serde_json::{Map, Value};

/// The server's name, in the form of each revision.
pub(crate) struct ServerIdentity {
    implementation: String,
    /// The `_meta` of every modern result: it names this server.
    pub(crate) modern_meta: String,
    wording: Wording,
}

/// How capabilities are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wording {
    /// Flags that are `false` are left out.
    Terse,
    /// Every flag is written.
    Explicit,
}

impl ServerIdentity {
    pub(crate) fn new(implementation: &Implementation, wording: Wording) -> Self {
        let implementation = serde_json::to_string(implementation).unwrap_or_default();
        let newest = downgrade_implementation(&implementation, Revision::NEWEST);
        let modern_meta = object(|object| {
            object.raw(meta::SERVER_INFO, &newest);
        });
        Self { implementation, modern_meta, wording }
    }

    pub(crate) fn implementation(&self, revision: Revision) -> String {
        downgrade_implementation(&self.implementation, revision)
    }

    /// The service's capabilities as text, in the form of one revision.
    pub(crate) fn capabilities(&self, able: &ServerCapabilities, revision: Revision) -> String {
        let text = serde_json::to_string(able).unwrap_or_default();
        let text = downgrade_capabilities(&text, revision);
        match self.wording {
            Wording::Terse => text,
            Wording::Explicit => explicit_capabilities_text(&text).unwrap_or(text),
        }
    }
}

impl std::fmt::Display for ServerIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.implementation)
    }
}

/// Adds the missing flags to the capabilities.
fn explicit_capabilities_text(text: &str) -> Option<String> {
    let mut able: Map<String, Value> = serde_json::from_str(text).ok()?;
    for (key, switches) in [
        ("tools", &["listChanged"][..]),
        ("resources", &["subscribe", "listChanged"]),
        ("prompts", &["listChanged"]),
    ] {
        if let Some(Value::Object(declared)) = able.get_mut(key) {
            for switch in switches {
                declared.entry(*switch).or_insert(Value::Bool(false));
            }
        }
    }
    serde_json::to_string(&able).ok()
}
