//! Restarts an upstream on request. The gateway calls it for `hobnob restart`.
//!
//! What must stay true: the old process is gone before the new one starts, since both may need the
//! same port or file; and no call is repeated.

use crate::upstream::configured::Unavailable;
use crate::upstream::server::Upstream;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::Urgency;
use hobnob_mcp_engine::Principal;
use std::sync::Arc;

impl Upstream {
    /// Ends all connections, forgets failures, and starts the server for this principal. Running
    /// calls fail. A connection reserved for a client comes back with that client's next call.
    pub(crate) async fn restart(
        self: &Arc<Self>,
        principal: &Principal,
    ) -> Result<(), Unavailable> {
        self.configured().check_startable()?;
        // A person may have logged in or out since.
        self.logins.forget();
        for running in self.connections.end_all() {
            running.closed.cancelled().await;
        }
        let key = ConnectionKey::of_principal(principal);
        let running = self.connection(&key, Urgency::Call).await?;
        self.end_if_reserved(&key, &running);
        Ok(())
    }
}
