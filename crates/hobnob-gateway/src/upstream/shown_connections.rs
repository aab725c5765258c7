//! Whose connections somebody is shown: what a server writes and how it fails for one principal is shown
//! to them, to the owner of the hub, and to admins.
//!
//! The status, the logs and refused calls ask it. What must stay true: callers without a name are the
//! owner, who started the hub or its pipe.

use hobnob_mcp_engine::Principal;

/// What is said of a failure to those who are not shown it.
pub(crate) const FAILED_FOR_ANOTHER: &str =
    "it failed for somebody else; the owner of this hub sees why in its log";

/// Whose connections somebody is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownConnections {
    /// Everybody's: for the owner of the hub, and for admins who ask for it.
    All,
    /// Those of this principal.
    Of(Principal),
}

impl ShownConnections {
    /// What a caller is shown who asks for nothing more.
    pub(crate) fn of(caller: &Principal) -> Self {
        if *caller == Principal::anonymous() { Self::All } else { Self::Of(caller.clone()) }
    }

    pub(crate) fn include(&self, owner: &Principal) -> bool {
        match self {
            Self::All => true,
            Self::Of(principal) => principal == owner,
        }
    }

    /// Whose login to a server they are told of.
    pub(crate) fn principal(&self) -> Principal {
        match self {
            Self::All => Principal::anonymous(),
            Self::Of(principal) => principal.clone(),
        }
    }
}
