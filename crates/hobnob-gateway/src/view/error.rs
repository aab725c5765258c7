//! Why a view cannot be opened, or a server not restarted.
//!
//! `servers` opens views; the binary reports the error to whoever asked for the profile.

use crate::catalog::InvalidOverride;
use hobnob_mcp_toolbox::KitError;
use hobnob_policy::RuleError;

/// Why there is no such view.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A built-in is not fit to be served.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A permission rule is wrong.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The profile takes from a built-in what it cannot do without, or leaves it what it has not.
    #[error("the profile cannot be met: {0}")]
    Profile(InvalidOverride),
}

/// Why a server was not restarted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestartError {
    /// No server of the configuration has this name.
    #[error("there is no server `{0}`")]
    Unknown(String),
    /// It may not run, or it ended and did not start again.
    #[error("{0}")]
    Unavailable(String),
}
