//! An action and the grant that covers it: what a [`Permit`](crate::Permit) for the machine needs.
//!
//! Only the files of this folder can make one, and [`Permit::of_grant`](crate::Permit) takes
//! nothing else, so no permit for the machine exists without a grant.

use std::sync::Arc;

/// An action that a grant covers, before it becomes a permit.
#[derive(Debug)]
pub(crate) struct GrantedAction<A> {
    action: A,
    grant: Arc<str>,
}

impl<A> GrantedAction<A> {
    pub(super) fn new(action: A, grant: &Arc<str>) -> Self {
        Self { action, grant: Arc::clone(grant) }
    }

    /// The action, and the grant in one line.
    pub(crate) fn into_parts(self) -> (A, Arc<str>) {
        (self.action, self.grant)
    }
}
