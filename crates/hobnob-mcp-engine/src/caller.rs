//! Who calls, as far as the call itself says.

use mcp_types::Revision;
use mcp_types::capabilities::ClientCapabilities;
use mcp_types::hello::Implementation;
use mcp_types::logging::LoggingLevel;
use std::sync::Arc;

/// Who calls, in which revision, and what they can do. Self-reported but for the principal.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The revision the answer must be written in.
    pub revision: Revision,
    /// What the caller can be asked for.
    pub capabilities: Arc<ClientCapabilities>,
    /// What the caller calls itself. Never a ground for trust.
    pub client: Option<Arc<Implementation>>,
    /// Whom the transport knows the caller to be.
    pub principal: Principal,
    /// From which level on the caller wants log messages: what `logging/setLevel` set in a legacy
    /// session, or what a modern request says itself. `None` if neither was ever said.
    pub log_level: Option<LoggingLevel>,
}

/// An authenticated identity, or nobody in particular.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<str>>);

impl Principal {
    /// Nobody in particular: a local pipe, or a loopback request without credentials.
    pub fn anonymous() -> Self {
        Self(None)
    }

    /// Somebody the transport has authenticated.
    pub fn named(name: &str) -> Self {
        Self(Some(name.into()))
    }

    /// The name, empty for nobody.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}
