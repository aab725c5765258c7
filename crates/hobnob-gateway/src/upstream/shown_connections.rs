//! Which connections a reader may see: a server's output and failures for one principal are for
//! that principal, the owner of the hub, and admins.
//!
//! The status, the logs and refused calls check it. What must stay true: callers without a name are
//! the owner, who started the hub or its pipe.

use hobnob_mcp_engine::Principal;

/// The reason shown to readers who may not see the failure.
pub(crate) const FAILED_FOR_ANOTHER: &str =
    "it failed for another user; the owner of this hub finds the reason in its log";

/// Which connections a reader may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownConnections {
    /// All connections: for the owner of the hub, and for admins who ask for them.
    All,
    /// Only the connections of this principal.
    Of(Principal),
}

impl ShownConnections {
    /// What a caller may see by default.
    pub(crate) fn of(caller: &Principal) -> Self {
        if *caller == Principal::anonymous() { Self::All } else { Self::Of(caller.clone()) }
    }

    pub(crate) fn include(&self, owner: &Principal) -> bool {
        match self {
            Self::All => true,
            Self::Of(principal) => principal == owner,
        }
    }

    /// The principal whose login a reader sees.
    pub(crate) fn principal(&self) -> Principal {
        match self {
            Self::All => Principal::anonymous(),
            Self::Of(principal) => principal.clone(),
        }
    }
}
