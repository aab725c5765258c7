//! Why a view cannot be opened, or a server not restarted.
//!
//! `servers` opens views; the binary reports the error to the user of the profile.

use crate::catalog::InvalidOverride;
use hobnob_mcp_toolbox::KitError;
use hobnob_policy::RuleError;

/// Why a view cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A built-in kit is invalid.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A permission rule is invalid.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The profile removes an argument that a built-in requires, or keeps one it does not have.
    #[error("the profile cannot be applied: {0}")]
    Profile(InvalidOverride),
}

/// Why a server was not restarted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestartError {
    /// No server of the configuration has this name.
    #[error("there is no server `{0}`")]
    Unknown(String),
    /// The server may not run, or it ended and did not start again.
    #[error("{0}")]
    Unavailable(String),
}
